/* report_churn.c - what was allocated beside what is still in use, row by row.
 *
 * A function that allocated gigabytes of which megabytes live is invisible in one of pprof's views
 * and looks like any other in the other; here it is one row. Live is what is in use of what was
 * allocated; the lifetime's name follows it: below 10% short-lived, above 50% long-lived. */
#include "report.h"

#include "report_records.h"
#include "report_rows.h"

#include <math.h>
#include <string.h>

enum { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, N_FIGURES };

static const char *const figure_names[N_FIGURES] = {"alloc_objects", "alloc_space", "inuse_objects",
                                                    "inuse_space"};

struct churn {
    struct report_rows rows; /* by allocated bytes */
    struct graph figures[N_FIGURES];
    struct intervals intervals[N_FIGURES]; /* with -ci */
};

static bool count_figures(struct report *report, struct churn *churn)
{
    const struct profile *p = report->profile;
    uint32_t types[N_FIGURES];
    for (int f = 0; f < N_FIGURES; f++) {
        types[f] = PROFILE_NONE;
        for (uint32_t t = p->n_sample_types; t-- > 0;) {
            if (strcmp(profile_text(p, p->sample_types[t].type), figure_names[f]) == 0) {
                types[f] = t;
            }
        }
        if (types[f] == PROFILE_NONE) {
            message_error("churn: the profile has no %s", figure_names[f]);
            message_hint("churn is for heap profiles that count allocations and what is in use");
            return false;
        }
    }
    if (!report_rows_open(report, GRAPH_INLINE_EDGES, &churn->rows)) {
        return false;
    }
    for (int f = 0; f < N_FIGURES; f++) {
        struct graph_options options;
        report_graph_options(report, &options);
        options.edges = GRAPH_NO_EDGES;
        options.value_index = types[f];
        churn->figures[f] =
            (struct graph){.frames = &churn->rows.frames, .profile = report->profile};
        graph_count(&churn->figures[f], &options);
    }
    for (int f = 0; f < N_FIGURES && report->options.ci; f++) {
        if (!intervals_open(report, &churn->rows.frames, types[f], &churn->intervals[f])) {
            return false;
        }
    }
    return true;
}

static double variance(const struct report *report, const struct churn *churn, int f, uint32_t node)
{
    const struct intervals *intervals = &churn->intervals[f];
    return report->options.cum ? intervals->cum[node] : intervals->flat[node];
}

static int64_t figure(const struct report *report, const struct churn *churn, int f, uint32_t node)
{
    const struct graph_node *n = &churn->figures[f].nodes[node];
    return report->options.cum ? n->cum : n->flat;
}

static const char *lifetime_of(double live)
{
    return isnan(live) ? "" : live < 10 ? "short-lived" : live > 50 ? "long-lived" : "mixed";
}

struct churn_row {
    int64_t figures[N_FIGURES];
    double live, mean_size; /* percent, bytes; NaN when nothing was allocated */
};

static struct churn_row row_of(const struct report *report, const struct churn *churn,
                               uint32_t node)
{
    struct churn_row row;
    for (int f = 0; f < N_FIGURES; f++) {
        row.figures[f] = figure(report, churn, f, node);
    }
    double allocated = (double)row.figures[ALLOC_SPACE];
    double objects = (double)row.figures[ALLOC_OBJECTS];
    row.live = allocated ? 100 * (double)row.figures[INUSE_SPACE] / allocated : NAN;
    row.mean_size = objects ? allocated / objects : NAN;
    return row;
}

/* What is in use may be far smaller than what was allocated: it has a unit of its own. */
static const char *used_unit(const struct report *report)
{
    return strcmp(report->options.unit, "minimum") == 0 ? "auto" : report->options.unit;
}

static void print_interval(const struct report *report, const struct churn *churn,
                           const struct churn_row *row, int f, uint32_t node)
{
    char text[INTERVAL_TEXT_ROOM];
    interval_text(report, &churn->intervals[f], row->figures[f], variance(report, churn, f, node),
                  text, sizeof text);
    fprintf(report->out, "  %-*s", INTERVAL_WIDTH, text);
}

static void print_row(struct report *report, struct churn *churn, uint32_t i)
{
    char allocated[UNIT_TEXT_ROOM], part[UNIT_TEXT_ROOM], used[UNIT_TEXT_ROOM];
    char mean[UNIT_TEXT_ROOM], live[32] = "";
    struct report_row shown = report_row(&churn->rows, i);
    struct churn_row row = row_of(report, churn, shown.node);
    if (!isnan(row.live)) {
        snprintf(live, sizeof live, row.live < 10 ? "%.2g%%" : "%.0f%%", row.live);
    }
    if (isnan(row.mean_size)) {
        mean[0] = 0;
    } else {
        unit_label(mean, sizeof mean, (int64_t)llround(row.mean_size), report->unit, "auto");
    }
    unit_label(used, sizeof used, report_divided(report, row.figures[INUSE_SPACE]), report->unit,
               used_unit(report));
    fprintf(report->out, "%s%10s %s %10s %6s %12ld %10s  %-11s",
            report_weight_style(report, row.figures[ALLOC_SPACE]),
            report_value(report, allocated, row.figures[ALLOC_SPACE]),
            unit_percentage(part, sizeof part, row.figures[ALLOC_SPACE], report->total), used, live,
            report_divided(report, row.figures[ALLOC_OBJECTS]), mean, lifetime_of(row.live));
    if (report->options.ci) {
        const char *unit = report->output_unit;
        print_interval(report, churn, &row, ALLOC_SPACE, shown.node);
        report->output_unit = used_unit(report);
        print_interval(report, churn, &row, INUSE_SPACE, shown.node);
        report->output_unit = unit;
    }
    fprintf(report->out, "  %s%s%s%s\n", shown.name, *shown.inlined ? " " : "", shown.inlined,
            report_style(report, STYLE_PLAIN));
}

static void record_rows(struct report *report, struct churn *churn)
{
    struct records records;
    report_records_open(report, &records);
    for (uint32_t i = 0; i < churn->rows.graph.n_order; i++) {
        struct report_row shown = report_row(&churn->rows, i);
        struct churn_row row = row_of(report, churn, shown.node);
        records_begin(&records);
        records_text(&records, "name", shown.name);
        records_int(&records, "alloc_objects", report_divided(report, row.figures[ALLOC_OBJECTS]));
        records_int(&records, "alloc_space", report_divided(report, row.figures[ALLOC_SPACE]));
        records_int(&records, "inuse_objects", report_divided(report, row.figures[INUSE_OBJECTS]));
        records_int(&records, "inuse_space", report_divided(report, row.figures[INUSE_SPACE]));
        records_real(&records, "live_percent", row.live);
        records_real(&records, "mean_size", row.mean_size);
        records_text(&records, "lifetime", lifetime_of(row.live));
        for (int f = 0; f < N_FIGURES && report->options.ci; f++) {
            interval_record(report, &churn->intervals[f], &records, figure_names[f], row.figures[f],
                            variance(report, churn, f, shown.node));
        }
        records_end(&records);
    }
    records_close(&records);
}

int report_churn(struct report *report)
{
    struct churn churn = {0};
    int status = STATUS_BAD_USAGE;
    if (count_figures(report, &churn)) {
        status = STATUS_FINE;
        if (report_records_format(report) != RECORDS_NONE) {
            record_rows(report, &churn);
        } else {
            report_print_header(report, &churn.rows.graph);
            fprintf(report->out, "%10s %6s %10s %6s %12s %10s  %-11s%s  name\n", "allocated",
                    "alloc%", "in use", "live", "objects", "mean size", "lifetime",
                    report->options.ci ? "  95% of allocated       95% of in use        " : "");
            for (uint32_t i = 0; i < churn.rows.graph.n_order; i++) {
                print_row(report, &churn, i);
            }
        }
    }
    for (int f = 0; f < N_FIGURES; f++) {
        graph_free(&churn.figures[f]);
        intervals_close(&churn.intervals[f]);
    }
    report_rows_close(&churn.rows);
    return status;
}
