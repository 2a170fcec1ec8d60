/* report.c - from a loaded profile to one that is ready to be printed; the table of formats. */
#include "report.h"

#include "filter.h"
#include "memory.h"
#include "profile_edit.h"
#include "regexp.h"
#include "source_load.h"
#include "tag_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct report_format report_formats[] = {
    {"top", report_top, FORMAT_UNLIMITED | FORMAT_OTHER_VIEW | FORMAT_INTERVALS},
    {"diff", report_diff, FORMAT_UNLIMITED | FORMAT_INTERVALS},
    {"churn", report_churn, FORMAT_UNLIMITED | FORMAT_ALLOC_SPACE | FORMAT_INTERVALS},
    {"list", report_list,
     FORMAT_UNTRIMMED | FORMAT_LINES | FORMAT_TAKES_REGEXP | FORMAT_OBJECT_NAMES |
         FORMAT_INTERVALS},
    {"weblist", report_weblist,
     FORMAT_UNTRIMMED | FORMAT_LINES | FORMAT_TAKES_REGEXP | FORMAT_OBJECT_NAMES | FORMAT_BINARY |
         FORMAT_INTERVALS},
    {"disasm", report_disasm,
     FORMAT_UNTRIMMED | FORMAT_ADDRESSES | FORMAT_TAKES_REGEXP | FORMAT_OBJECT_NAMES |
         FORMAT_INTERVALS},
    {"tree", report_tree, FORMAT_INTERVALS},
    {"peek", report_peek, FORMAT_UNTRIMMED | FORMAT_TAKES_REGEXP | FORMAT_INTERVALS},
    {"traces", report_traces, FORMAT_FULL_PATHS | FORMAT_INTERVALS},
    {"tags", report_tags, FORMAT_INTERVALS},
    {"raw", report_raw, FORMAT_UNTRIMMED | FORMAT_ADDRESSES | FORMAT_ALL_INLINES},
    {"dot", report_dot, FORMAT_CALL_TREE},
    {"callgrind", report_callgrind,
     FORMAT_UNTRIMMED | FORMAT_ADDRESSES | FORMAT_ALL_INLINES | FORMAT_OBJECT_NAMES |
         FORMAT_WHOLE_NUMBERS | FORMAT_CALL_TREE},
    {"comments", report_comments, 0},
    {"proto", report_proto,
     FORMAT_UNTRIMMED | FORMAT_ADDRESSES | FORMAT_ALL_INLINES | FORMAT_BINARY},
    {"topproto", report_topproto, FORMAT_UNLIMITED | FORMAT_BINARY},
    {"folded", report_folded, FORMAT_UNTRIMMED | FORMAT_FULL_PATHS},
    {"speedscope", report_speedscope, FORMAT_UNTRIMMED},
    {"web", report_web, FORMAT_UNTRIMMED | FORMAT_LINES | FORMAT_ALL_TOTALS},
};
const size_t n_report_formats = sizeof report_formats / sizeof report_formats[0];

const struct report_format *report_format_find(const char *name)
{
    for (size_t i = 0; i < n_report_formats; i++) {
        if (strcmp(report_formats[i].name, name) == 0) {
            return &report_formats[i];
        }
    }
    return NULL;
}

/* ---- which values ---- */

static bool shorthand(const struct cli_options *options, const char **name)
{
    const struct {
        bool set;
        const char *option, *type;
    } forms[] = {
        {options->inuse_space, "inuse_space", "inuse_space"},
        {options->inuse_objects, "inuse_objects", "inuse_objects"},
        {options->alloc_space, "alloc_space", "alloc_space"},
        {options->alloc_objects, "alloc_objects", "alloc_objects"},
        {options->total_delay, "total_delay", "delay"},
        {options->mean_delay, "mean_delay", "delay"},
        {options->contentions, "contentions", "contentions"},
    };
    *name = options->sample_index;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (forms[i].set) {
            if (**name) {
                message_note("Multiple value selections, ignoring -%s", forms[i].option);
            } else {
                *name = forms[i].type;
            }
        }
    }
    return **name != 0;
}

static bool type_is(const struct profile *p, uint32_t t, const char *name)
{
    return strcmp(profile_text(p, p->sample_types[t].type), name) == 0;
}

bool report_choose_type(const struct profile *p, const struct cli_options *options, uint32_t *index)
{
    const char *name;
    if (p->n_sample_types == 0) {
        message_error("the profile has no sample types");
        message_hint("a profile without samples says nothing; was the program run long enough?");
        return false;
    }
    if (!shorthand(options, &name)) {
        *index = p->n_sample_types - 1;
        for (uint32_t t = p->n_sample_types; p->default_sample_type && t-- > 0;) {
            if (p->sample_types[t].type == p->default_sample_type) {
                *index = t;
            }
        }
        return true;
    }
    char *end;
    errno = 0;
    long long number = strtoll(name, &end, 10);
    if (!*end && !errno) {
        if (number >= 0 && number < p->n_sample_types) {
            *index = (uint32_t)number;
            return true;
        }
        message_error("-sample_index: %s is outside the range [0..%u]", name,
                      p->n_sample_types - 1);
    } else {
        const char *bare = strncmp(name, "inuse_", 6) == 0 ? name + 6 : name;
        for (uint32_t t = 0; t < p->n_sample_types; t++) {
            if (type_is(p, t, name) || type_is(p, t, bare)) {
                *index = t;
                return true;
            }
        }
        message_error("-sample_index: the profile has no values '%s'", name);
    }
    char list[512] = "";
    size_t length = 0;
    for (uint32_t t = 0; t < p->n_sample_types && length < sizeof list; t++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", t ? ", " : "",
                                   profile_text(p, p->sample_types[t].type));
    }
    message_hint("it must be one of: %s", list);
    return false;
}

/* ---- options ---- */

static bool choose_granularity(struct report *report)
{
    const struct cli_options *o = &report->options;
    const struct {
        bool set;
        const char *name;
        enum granularity value;
    } choices[] = {
        {o->functions, "functions", GRANULARITY_FUNCTIONS},
        {o->filefunctions, "filefunctions", GRANULARITY_FILEFUNCTIONS},
        {o->files, "files", GRANULARITY_FILES},
        {o->lines, "lines", GRANULARITY_LINES},
        {o->addresses, "addresses", GRANULARITY_ADDRESSES},
    };
    const char *chosen = NULL;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].set) {
            if (chosen) {
                message_error("conflicting options set: -%s and -%s", chosen, choices[i].name);
                message_hint("rows can have one granularity only");
                return false;
            }
            chosen = choices[i].name;
            report->granularity = choices[i].value;
        }
    }
    if (o->flat && o->cum) {
        message_error("conflicting options set: -flat and -cum");
        message_hint("rows can have one order only");
        return false;
    }
    return true;
}

/* pprof-spec 3.1 */
static void override_options(struct report *report)
{
    unsigned flags = report->format->flags;
    struct cli_options *o = &report->options;
    if (flags & FORMAT_ALLOC_SPACE) {
        o->sample_index = "alloc_space";
        o->inuse_space = o->inuse_objects = o->alloc_space = o->alloc_objects = false;
    }
    if (flags & FORMAT_LINES) {
        report->granularity = GRANULARITY_LINES;
    }
    if (flags & FORMAT_ADDRESSES) {
        report->granularity = GRANULARITY_ADDRESSES;
    }
    if ((flags & FORMAT_ALL_INLINES) && report->go119) {
        o->noinlines = false;
    }
    if (o->nodecount == -1) {
        o->nodecount = flags & FORMAT_UNLIMITED ? 0 : 80;
    }
    if ((flags & FORMAT_UNTRIMMED) || !o->trim) {
        o->nodecount = 0;
        o->nodefraction = 0;
        o->edgefraction = 0;
    }
}

/* ---- figures ---- */

int64_t report_divided(const struct report *report, int64_t value)
{
    double divided = (double)value * report->ratio;
    if (!(report->ratio > 0) || report->ratio == 1) {
        return value;
    }
    return divided >= -0x1p63 && divided < 0x1p63 ? (int64_t)divided : INT64_MIN;
}

const char *report_value(const struct report *report, char text[UNIT_TEXT_ROOM], int64_t value)
{
    return unit_label(text, UNIT_TEXT_ROOM, report_divided(report, value), report->unit,
                      report->output_unit);
}

const char *report_style(const struct report *report, enum terminal_style style)
{
    return terminal_escape(report->color, style);
}

const char *report_weight_style(const struct report *report, int64_t value)
{
    double share = report->total ? fabs((double)value / (double)report->total) : 0;
    return share >= 0.1   ? report_style(report, STYLE_STRONG)
           : share < 0.01 ? report_style(report, STYLE_FAINT)
                          : "";
}

/* pprof-spec 4.4 */
static int64_t total_of(const struct profile *p, uint32_t index, bool mean)
{
    string_id key = profile_find_text(p, "pprof::base"), yes = profile_find_text(p, "true");
    uint64_t total = 0, base_total = 0, divisor = 0, base_divisor = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const int64_t *values = &p->values[(size_t)s * p->n_sample_types];
        uint64_t value = (uint64_t)graph_abs(values[index]), by = mean ? (uint64_t)values[0] : 0;
        total += value;
        divisor += by;
        if (key == PROFILE_NONE || yes == PROFILE_NONE) {
            continue;
        }
        const struct profile_label *labels = p->labels + p->samples[s].first_label;
        for (uint32_t i = 0; i < p->samples[s].n_labels; i++) {
            if (labels[i].key == key && labels[i].str == yes) {
                base_total += value;
                base_divisor += by;
                break;
            }
        }
    }
    if ((int64_t)base_total > 0) {
        total = base_total;
        divisor = base_divisor;
    }
    return divisor ? (int64_t)total / (int64_t)divisor : (int64_t)total;
}

/* Of a heap profile: the sums of what lives for one of what was allocated, and the reverse. */
static void total_of_other_view(struct report *report)
{
    static const char *const pairs[][2] = {
        {"inuse_space", "alloc_space"},
        {"alloc_space", "inuse_space"},
        {"inuse_objects", "alloc_objects"},
        {"alloc_objects", "inuse_objects"},
    };
    const struct profile *p = report->profile;
    report->other_total = 0;
    report->other_type = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!type_is(p, report->value_index, pairs[i][0])) {
            continue;
        }
        for (uint32_t t = 0; t < p->n_sample_types; t++) {
            if (type_is(p, t, pairs[i][1])) {
                report->other_type = pairs[i][1];
                report->other_total = total_of(p, t, false);
            }
        }
    }
}

/* ---- frames and graph ---- */

struct regexp *report_regexp(const struct report *report)
{
    char error[512];
    struct regexp *regexp = regexp_compile(report->regexp_text, error, sizeof error);
    if (!regexp) {
        message_error("%s: error parsing regexp: %s", report->format->name, error);
        message_hint("expressions are RE2's; \\ makes a special character ordinary: 'f\\(x\\)'");
    }
    return regexp;
}

bool report_frames(struct report *report, struct frame_table *frames)
{
    struct frame_options options = {
        .granularity = report->granularity,
        .no_inlines = report->options.noinlines,
        .show_columns = report->options.showcolumns,
        .object_names = report->format->flags & FORMAT_OBJECT_NAMES,
        .trim_path = report->format->flags & FORMAT_FULL_PATHS ? NULL : report->options.trim_path,
        .source_path = report->options.source_path,
    };
    if (!frames_build(report->profile, &options, frames)) {
        message_error("the profile has more lines than approf can count");
        return false;
    }
    return true;
}

void report_graph_options(const struct report *report, struct graph_options *options)
{
    *options = (struct graph_options){
        .value_index = report->value_index,
        .mean = report->options.mean,
        .drop_negative = report->options.drop_negative,
        .cum_order = report->options.cum,
        .node_count = report->options.nodecount,
        .node_fraction = report->options.nodefraction,
        .edge_fraction = report->options.edgefraction,
        .edges = GRAPH_ALL_EDGES,
    };
}

void report_choose_unit(struct report *report, const struct graph *graph)
{
    if (strcmp(report->output_unit, "minimum") != 0 || graph->n_order == 0) {
        return;
    }
    int64_t smallest = 0, largest = report->total;
    for (uint32_t i = 0; i < graph->n_order; i++) {
        const struct graph_node *node = &graph->nodes[graph->order[i]];
        int64_t value = graph_abs(graph_flat(node));
        if (value == 0) {
            value = graph_abs(graph_cum(node));
        }
        if (value > 0 && (smallest == 0 || value < smallest)) {
            smallest = value;
        }
    }
    if (smallest == 0) {
        smallest = largest;
    }
    smallest = report_divided(report, smallest);
    largest = report_divided(report, largest);
    const char *unit, *largest_unit;
    int64_t hundredfold = (int64_t)(100 * (uint64_t)smallest);
    unit_scale(smallest, report->unit, "minimum", &unit);
    unit_scale(largest, report->unit, "minimum", &largest_unit);
    /* Figures with two decimals bear a unit a hundred times too large; callgrind's have none. */
    if (strcmp(unit, largest_unit) != 0 && hundredfold < largest &&
        !(report->format->flags & FORMAT_WHOLE_NUMBERS)) {
        unit_scale(hundredfold, report->unit, "minimum", &unit);
    }
    report->output_unit = *unit ? unit : report->unit;
}

/* ---- all of it ---- */

static bool prepare(struct report *report)
{
    struct profile *p = report->profile;
    const struct cli_options *o = &report->options;
    report->options.mean |= o->mean_delay;
    if (!choose_granularity(report)) {
        return false;
    }
    if (o->divide_by == 0) {
        message_error("-divide_by: zero divisor specified");
        message_hint("the default is -divide_by=1");
        return false;
    }
    override_options(report);
    if (o->ci && !(report->format->flags & FORMAT_INTERVALS)) {
        message_error("%s: -ci: there is no room for intervals in it", report->format->name);
        message_hint("top, list, tree, peek, traces, tags, diff and churn show them");
        return false;
    }
    label_units_find(p, true, &report->label_units);
    if (!tag_frames_add(p, o->tagroot, o->tagleaf, o->unit)) {
        message_error("out of memory");
        return false;
    }
    if (!report_choose_type(p, o, &report->value_index)) {
        return false;
    }
    if (o->relative_percentages && !filter_apply(p, &report->label_units, o, report->go119)) {
        return false;
    }
    report->ratio = 1 / o->divide_by;
    report->unit = profile_text(p, p->sample_types[report->value_index].unit);
    report->output_unit = o->unit;
    report->type = memory_print("%s%s", o->mean ? "mean_" : "",
                                profile_text(p, p->sample_types[report->value_index].type));
    report->total = total_of(p, report->value_index, o->mean);
    total_of_other_view(report);
    if (report->format->flags & FORMAT_ALL_TOTALS) {
        report->totals = memory_array(p->n_sample_types, sizeof *report->totals);
        for (uint32_t t = 0; t < p->n_sample_types; t++) {
            report->totals[t] = total_of(p, t, false);
        }
    }
    return o->relative_percentages || filter_apply(p, &report->label_units, o, report->go119);
}

int report_print(struct profile *profile, const struct cli_options *options,
                 const struct report_format *format, const char *regexp, FILE *out)
{
    struct report report = {
        .format = format,
        .profile = profile,
        .options = *options,
        .regexp_text = regexp,
        .out = out,
        .color = out == stdout && terminal_color(options),
        .go119 = options_go119(options),
    };
    int status = prepare(&report) ? format->print(&report) : STATUS_BAD_USAGE;
    label_units_free(&report.label_units);
    free(report.type);
    free(report.totals);
    return status;
}
