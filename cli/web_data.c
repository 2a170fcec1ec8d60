/* web_data.c - a prepared profile as the data that the web page reads (format: docs/WEB.md).
 *
 * Facts and names as JSON, all else as columns of numbers, small ones where differences make them
 * small: a page with 200,000 samples is read in one go, and compresses well. The page sums up by
 * itself, so that views change without asking anyone. */
#include "paths.h"
#include "profile_edit.h"
#include "records.h"
#include "report.h"
#include "web_columns.h"
#include "web_sources.h"
#include "web_tree.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct web_data {
    struct report *report;
    struct frame_table lines, functions;
    struct web_tree tree;
    struct web_columns columns;
    uint32_t *file_numbers; /* by string; PROFILE_NONE: not in the list */
};

static void begin_array(FILE *out, const char *name)
{
    fprintf(out, ",\n\"%s\":[", name);
}

static void write_facts(struct web_data *d, FILE *out)
{
    struct report *report = d->report;
    const struct profile *p = report->profile;
    const char *file = p->n_mappings ? profile_text(p, p->mappings[0].filename) : "";
    fputs("{\"format\":2,\n\"title\":", out);
    json_text(out, *file ? path_base(file) : "profile");
    fputs(",\n\"binary\":", out);
    json_text(out, file);
    fputs(",\n\"build_id\":", out);
    json_text(out, p->n_mappings ? profile_text(p, p->mappings[0].build_id) : "");
    fprintf(out,
            ",\n\"time_ms\":%" PRId64 ",\n\"duration_ms\":%" PRId64 ",\n\"period\":%" PRId64
            ",\n\"shown\":%u,\n\"types\":[",
            p->time_nanos / 1000000, p->duration_nanos / 1000000, p->period, report->value_index);
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        fputs(t ? ",{\"name\":" : "{\"name\":", out);
        json_text(out, profile_text(p, p->sample_types[t].type));
        fputs(",\"unit\":", out);
        json_text(out, profile_text(p, p->sample_types[t].unit));
        fprintf(out, ",\"total\":%" PRId64 "}", report->totals[t]);
    }
    fputs("],\n\"base\":", out);
    json_text(out, report->options.diff_base);
    begin_array(out, "comments");
    for (uint32_t c = 0; c < p->n_comments; c++) {
        fputs(c ? "," : "", out);
        json_text(out, profile_text(p, p->comments[c]));
    }
    fputc(']', out);
}

static void write_files(struct web_data *d, FILE *out)
{
    const struct profile *p = d->report->profile;
    uint32_t n = 0;
    d->file_numbers = memory_array(p->n_strings, sizeof *d->file_numbers);
    memset(d->file_numbers, 0xff, p->n_strings * sizeof *d->file_numbers);
    begin_array(out, "files");
    for (uint32_t i = 0; i < d->lines.n_infos; i++) {
        string_id file = d->lines.infos[i].file;
        if (file && d->file_numbers[file] == PROFILE_NONE) {
            d->file_numbers[file] = n++;
            fputs(n > 1 ? "," : "", out);
            json_text(out, profile_text(p, file));
        }
    }
    fputc(']', out);
}

static void write_functions(struct web_data *d, FILE *out)
{
    begin_array(out, "functions");
    for (uint32_t f = 0; f < d->functions.n_infos; f++) {
        fputs(f ? "," : "", out);
        json_text(out, frame_name(&d->functions, f));
    }
    fputc(']', out);
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The system's libraries, and its headers wherever they were compiled into. */
static bool is_system(const struct profile *p, const struct profile_location *location,
                      string_id file)
{
    const char *source = profile_text(p, file);
    const char *module = location->mapping == PROFILE_NONE
                             ? ""
                             : profile_text(p, p->mappings[location->mapping].filename);
    return begins(module, "/lib") || begins(module, "/usr/lib") || *module == '[' ||
           begins(source, "/usr/include/") || begins(source, "/usr/lib/");
}

/* Functions of which some line is the program's own. */
static void add_own(struct web_data *d)
{
    const struct profile *p = d->report->profile;
    bool *own = memory_array(d->functions.n_infos, sizeof *own);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        for (uint32_t f = d->lines.first[l]; f < d->lines.first[l + 1]; f++) {
            uint32_t line = FRAME_INFO(d->lines.frames[f]);
            own[d->tree.functions[line]] |=
                !is_system(p, &p->locations[l], d->lines.infos[line].file);
        }
    }
    web_column_begin(&d->columns, "function_own");
    for (uint32_t f = 0; f < d->functions.n_infos; f++) {
        web_column_add(&d->columns, own[f]);
    }
    free(own);
}

static void add_frames(struct web_data *d)
{
    const struct frame_table *lines = &d->lines;
    web_column_begin(&d->columns, "frame_function");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        web_column_add(&d->columns, d->tree.functions[i]);
    }
    web_column_begin(&d->columns, "frame_file");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        string_id file = lines->infos[i].file;
        web_column_add(&d->columns, file ? d->file_numbers[file] + 1 : 0);
    }
    web_column_begin(&d->columns, "frame_line");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        web_column_add_signed(&d->columns, lines->infos[i].line);
    }
    web_column_begin(&d->columns, "frame_inlined");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        web_column_add(&d->columns, lines->may_be_inlined[i]);
    }
}

static void add_tree(struct web_data *d)
{
    const struct web_nodes *nodes = &d->tree.by_line;
    web_column_begin(&d->columns, "node_up");
    for (uint32_t n = 1; n < nodes->n; n++) {
        uint32_t up = 0;
        for (uint32_t at = n - 1; at != nodes->parents[n]; at = nodes->parents[at]) {
            up++;
        }
        web_column_add(&d->columns, up);
    }
    web_column_begin(&d->columns, "node_frame");
    for (uint32_t n = 1; n < nodes->n; n++) {
        web_column_add(&d->columns, nodes->infos[n]);
    }
    /* How far back the node by function lies; 0 is a new one. */
    uint32_t known = 1;
    web_column_begin(&d->columns, "node_function");
    for (uint32_t n = 1; n < nodes->n; n++) {
        uint32_t function = d->tree.function_nodes[n];
        web_column_add(&d->columns, known - function);
        known += function == known;
    }
}

static bool is_base(const struct profile *p, uint32_t sample, string_id key, string_id yes)
{
    const struct profile_label *labels = p->labels + p->samples[sample].first_label;
    for (uint32_t i = 0; i < p->samples[sample].n_labels; i++) {
        if (labels[i].key == key && labels[i].str == yes && key != PROFILE_NONE) {
            return true;
        }
    }
    return false;
}

/* -1: it has none. */
static int64_t size_class(const struct profile *p, uint32_t sample, string_id key)
{
    const struct profile_label *labels = p->labels + p->samples[sample].first_label;
    for (uint32_t i = 0; i < p->samples[sample].n_labels; i++) {
        if (labels[i].key == key && labels[i].str == 0) {
            return labels[i].num;
        }
    }
    return -1;
}

/* By node; those of the base come last. Returns how many come before them. */
static uint32_t add_samples(struct web_data *d)
{
    const struct profile *p = d->report->profile;
    string_id key = profile_find_text(p, "pprof::base"), yes = profile_find_text(p, "true");
    string_id bytes = profile_find_text(p, "bytes");
    uint32_t *order = memory_array(p->n_samples, sizeof *order), n = 0, n_new = 0, last = 0;
    for (int base = 0; base < 2; base++) {
        for (uint32_t i = 0; i < p->n_samples; i++) {
            if (is_base(p, d->tree.order[i], key, yes) == base) {
                order[n++] = d->tree.order[i];
            }
        }
        n_new = base ? n_new : n;
    }
    web_column_begin(&d->columns, "sample_node");
    for (uint32_t i = 0; i < n; i++) {
        last = i == n_new ? 0 : last;
        web_column_add(&d->columns, d->tree.of_sample[order[i]] - last);
        last = d->tree.of_sample[order[i]];
    }
    web_column_begin(&d->columns, "sample_bytes");
    for (uint32_t i = 0; i < n; i++) {
        web_column_add_signed(&d->columns, size_class(p, order[i], bytes));
    }
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        web_column_begin(&d->columns, "values");
        for (uint32_t i = 0; i < n; i++) {
            web_column_add_signed(&d->columns, p->values[(size_t)order[i] * p->n_sample_types + t]);
        }
    }
    free(order);
    return n_new;
}

int report_web(struct report *report)
{
    struct web_data d = {.report = report};
    FILE *out = report->out;
    report->granularity = GRANULARITY_FUNCTIONS;
    if (!report_frames(report, &d.functions)) {
        return STATUS_BAD_USAGE;
    }
    report->granularity = GRANULARITY_LINES;
    if (!report_frames(report, &d.lines)) {
        frames_free(&d.functions);
        return STATUS_BAD_USAGE;
    }
    web_tree_build(&d.tree, report->profile, &d.lines, &d.functions);
    write_facts(&d, out);
    write_files(&d, out);
    write_functions(&d, out);
    add_own(&d);
    add_frames(&d);
    add_tree(&d);
    fprintf(out, ",\n\"new_samples\":%u", add_samples(&d));
    fputs(",\n\"sources\":", out);
    web_sources_write(out, report->profile, &d.lines, d.file_numbers, report->options.source_path,
                      report->options.trim_path);
    fputs(",\n\"columns\":", out);
    web_columns_index(&d.columns, out);
    fwrite("}\n", 1, 3, out); /* and the NUL */
    fwrite(d.columns.bytes, 1, d.columns.length, out);
    web_columns_free(&d.columns);
    free(d.file_numbers);
    web_tree_free(&d.tree);
    frames_free(&d.lines);
    frames_free(&d.functions);
    return STATUS_FINE;
}
