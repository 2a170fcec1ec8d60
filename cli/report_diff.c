/* report_diff.c - two profiles, row by row: the difference, what it was before, how much of that.
 *
 * The first five columns are those of top with -diff_base: differences, and percentages of the
 * total before, whatever the two profiles have in common. (Percentages with -base depend on whether
 * addresses happen to be equal: pprof-spec 2.4.) Then the row's own weight before and its change in
 * percent of that, and both again with callees. */
#include "report.h"

#include "memory.h"
#include "profile_edit.h"
#include "report_records.h"
#include "report_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct difference {
    struct report_rows rows;
    struct graph before; /* over the same frames, numbered alike; weights are negative */
};

/* Counts only the samples of the base. */
static void count_before(struct report *report, struct difference *d)
{
    struct profile *p = report->profile;
    struct profile base = *p;
    string_id key = profile_find_text(p, "pprof::base"), yes = profile_find_text(p, "true");
    base.samples = memory_array(p->n_samples, sizeof *base.samples);
    base.values = memory_array((size_t)p->n_samples * p->n_sample_types, sizeof *base.values);
    base.n_samples = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_label *labels = p->labels + p->samples[s].first_label;
        for (uint32_t i = 0; i < p->samples[s].n_labels; i++) {
            if (labels[i].key == key && labels[i].str == yes) {
                base.samples[base.n_samples] = p->samples[s];
                memcpy(&base.values[(size_t)base.n_samples * p->n_sample_types],
                       &p->values[(size_t)s * p->n_sample_types],
                       p->n_sample_types * sizeof *base.values);
                base.n_samples++;
                break;
            }
        }
    }
    struct graph_options options;
    report_graph_options(report, &options);
    options.edges = GRAPH_NO_EDGES;
    d->before = (struct graph){.frames = &d->rows.frames, .profile = &base};
    graph_count(&d->before, &options);
    free(base.samples);
    free(base.values);
    d->before.profile = NULL;
}

static int64_t before_flat(const struct difference *d, uint32_t node)
{
    return -graph_flat(&d->before.nodes[node]);
}

static int64_t before_cum(const struct difference *d, uint32_t node)
{
    return -graph_cum(&d->before.nodes[node]);
}

/* In percent of what was; NaN when there was nothing. */
static double change(int64_t before, int64_t difference)
{
    return before ? 100.0 * (double)difference / fabs((double)before) : NAN;
}

static void print_change(char text[32], int64_t before, int64_t difference)
{
    double percent = change(before, difference);
    if (difference == 0) {
        snprintf(text, 32, "=");
    } else if (isnan(percent)) {
        snprintf(text, 32, "new");
    } else if (before + difference == 0) {
        snprintf(text, 32, "gone");
    } else if (fabs(percent) >= 1e6) {
        snprintf(text, 32, "%+.1e%%", percent);
    } else {
        snprintf(text, 32, "%+.*f%%", fabs(percent) < 10 ? 2 : 1, percent);
    }
}

/* Of what rows are ordered by. */
static void print_interval(struct report *report, const struct report_rows *rows,
                           const struct report_row *row)
{
    char text[INTERVAL_TEXT_ROOM];
    bool cum = report->options.cum;
    if (report->options.ci) {
        interval_text(report, &rows->intervals, cum ? row->cum : row->flat,
                      cum ? rows->intervals.cum[row->node] : rows->intervals.flat[row->node], text,
                      sizeof text);
        fprintf(report->out, "  %-*s", INTERVAL_WIDTH, text);
    }
}

static void print_summary(struct report *report, const struct intervals *intervals)
{
    const struct profile *p = report->profile;
    char old[UNIT_TEXT_ROOM], new[UNIT_TEXT_ROOM], delta[UNIT_TEXT_ROOM], percent[32];
    uint64_t net = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        net += (uint64_t)p->values[(size_t)s * p->n_sample_types + report->value_index];
    }
    if (report->options.mean) {
        return;
    }
    print_change(percent, report->total, (int64_t)net);
    fprintf(report->out, "Before %s, after %s: %s%s (%s)", report_value(report, old, report->total),
            report_value(report, new, report->total + (int64_t)net), (int64_t)net > 0 ? "+" : "",
            report_value(report, delta, (int64_t)net), percent);
    if (report->options.ci) {
        char text[INTERVAL_TEXT_ROOM];
        interval_text(report, intervals, (int64_t)net, intervals->total, text, sizeof text);
        fprintf(report->out, ", 95%% of the change: %s", text);
    }
    fputc('\n', report->out);
}

static void print_table(struct report *report, struct difference *d)
{
    const char *order = report->options.cum ? "cum" : "flat";
    report_print_header(report, &d->rows.graph);
    print_summary(report, &d->rows.intervals);
    fprintf(report->out, "%10s %5s%% %5s%% %10s %5s%% %11s %8s %11s %8s", "flat", "flat", "sum",
            "cum", "cum", "flat before", "change", "cum before", "change");
    if (report->options.ci) {
        fprintf(report->out, "  95%% of %-*s  name", INTERVAL_WIDTH - 7, order);
    }
    fputc('\n', report->out);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->rows.graph.n_order; i++) {
        char flat[UNIT_TEXT_ROOM], flat_part[UNIT_TEXT_ROOM], sum_part[UNIT_TEXT_ROOM];
        char cum[UNIT_TEXT_ROOM], cum_part[UNIT_TEXT_ROOM];
        char flat_was[UNIT_TEXT_ROOM], cum_was[UNIT_TEXT_ROOM];
        char flat_change[32], cum_change[32];
        struct report_row row = report_row(&d->rows, i);
        int64_t was = before_flat(d, row.node), cum_before = before_cum(d, row.node);
        sum += (uint64_t)row.flat;
        print_change(flat_change, was, row.flat);
        print_change(cum_change, cum_before, row.cum);
        int64_t grown = report->options.cum || !row.flat ? row.cum : row.flat;
        fprintf(report->out, "%s%10s %s %s %10s %s %11s %8s %11s %8s",
                grown ? report_style(report, grown > 0 ? STYLE_MORE : STYLE_LESS) : "",
                report_value(report, flat, row.flat),
                unit_percentage(flat_part, UNIT_TEXT_ROOM, row.flat, report->total),
                unit_percentage(sum_part, UNIT_TEXT_ROOM, (int64_t)sum, report->total),
                report_value(report, cum, row.cum),
                unit_percentage(cum_part, UNIT_TEXT_ROOM, row.cum, report->total),
                report_value(report, flat_was, was), flat_change,
                report_value(report, cum_was, cum_before), cum_change);
        print_interval(report, &d->rows, &row);
        fprintf(report->out, "  %s%s%s%s\n", row.name, *row.inlined ? " " : "", row.inlined,
                report_style(report, STYLE_PLAIN));
    }
}

static void record_table(struct report *report, struct difference *d)
{
    struct records records;
    report_records_open(report, &records);
    for (uint32_t i = 0; i < d->rows.graph.n_order; i++) {
        struct report_row row = report_row(&d->rows, i);
        int64_t flat = before_flat(d, row.node), cum = before_cum(d, row.node);
        records_begin(&records);
        records_text(&records, "name", row.name);
        records_int(&records, "flat", report_divided(report, row.flat));
        records_int(&records, "cum", report_divided(report, row.cum));
        records_int(&records, "flat_before", report_divided(report, flat));
        records_int(&records, "cum_before", report_divided(report, cum));
        records_int(&records, "flat_after", report_divided(report, flat + row.flat));
        records_int(&records, "cum_after", report_divided(report, cum + row.cum));
        records_real(&records, "flat_change_percent", change(flat, row.flat));
        records_real(&records, "cum_change_percent", change(cum, row.cum));
        if (report->options.ci) {
            const struct intervals *intervals = &d->rows.intervals;
            interval_record(report, intervals, &records, "flat", row.flat,
                            intervals->flat[row.node]);
            interval_record(report, intervals, &records, "cum", row.cum, intervals->cum[row.node]);
        }
        records_end(&records);
    }
    records_close(&records);
}

int report_diff(struct report *report)
{
    struct difference d;
    if (report->go119) {
        return report_top(report);
    }
    if (!report_rows_open(report, GRAPH_INLINE_EDGES, &d.rows)) {
        return STATUS_BAD_USAGE;
    }
    count_before(report, &d);
    if (report_records_format(report) != RECORDS_NONE) {
        record_table(report, &d);
    } else {
        print_table(report, &d);
    }
    graph_free(&d.before);
    report_rows_close(&d.rows);
    return STATUS_FINE;
}
