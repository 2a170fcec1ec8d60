/* report_top.c - rows by weight: pprof-spec 7.2. */
#include "missing_names.h"
#include "report.h"

#include "report_records.h"
#include "report_rows.h"

static void record_rows(struct report *report, struct report_rows *rows)
{
    const struct intervals *intervals = &rows->intervals;
    struct records records;
    report_records_open(report, &records);
    for (uint32_t i = 0; i < rows->graph.n_order; i++) {
        struct report_row row = report_row(rows, i);
        double total = (double)report->total;
        records_begin(&records);
        records_text(&records, "name", row.name);
        records_int(&records, "flat", report_divided(report, row.flat));
        records_real(&records, "flat_percent", 100 * (double)row.flat / total);
        records_int(&records, "cum", report_divided(report, row.cum));
        records_real(&records, "cum_percent", 100 * (double)row.cum / total);
        records_text(&records, "inlined", row.inlined);
        if (report->options.ci) {
            interval_record(report, intervals, &records, "flat", row.flat,
                            intervals->flat[row.node]);
            interval_record(report, intervals, &records, "cum", row.cum, intervals->cum[row.node]);
        }
        records_end(&records);
    }
    records_close(&records);
}

/* Why there are no rows, and what to try. */
static void explain_nothing(const struct report *report)
{
    const struct profile *p = report->profile;
    if (report->total != 0) {
        message_hint("the filters leave nothing; 'approf top' without them shows the names");
        return;
    }
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        for (uint32_t s = 0; s < p->n_samples; s++) {
            if (p->values[(size_t)s * p->n_sample_types + t]) {
                message_hint("all values of %s are 0; try -sample_index=%s", report->type,
                             profile_text(p, p->sample_types[t].type));
                return;
            }
        }
    }
    message_hint("the profile has no samples: the program ended too soon, or allocated too little "
                 "for its sampling rate");
}

int report_top(struct report *report)
{
    struct report_rows rows;
    if (!report_rows_open(report, GRAPH_INLINE_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
    }
    const struct intervals *intervals = &rows.intervals;
    bool with_ends = report->options.ci;
    if (report_records_format(report) != RECORDS_NONE) {
        record_rows(report, &rows);
        report_rows_close(&rows);
        return STATUS_FINE;
    }
    report_print_header(report, &rows.graph);
    fprintf(report->out, "%10s %5s%% %5s%% %10s %5s%%%s%s%s\n", "flat", "flat", "sum", "cum", "cum",
            with_ends ? "  95% of " : "",
            !with_ends            ? ""
            : report->options.cum ? "cum"
                                  : "flat",
            with_ends ? "            name" : "");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rows.graph.n_order; i++) {
        char flat[UNIT_TEXT_ROOM], flat_part[UNIT_TEXT_ROOM], sum_part[UNIT_TEXT_ROOM];
        char cum[UNIT_TEXT_ROOM], cum_part[UNIT_TEXT_ROOM];
        struct report_row row = report_row(&rows, i);
        sum += (uint64_t)row.flat;
        fprintf(report->out, "%s%10s %s %s %10s %s  ",
                report_weight_style(report, report->options.cum ? row.cum : row.flat),
                report_value(report, flat, row.flat),
                unit_percentage(flat_part, UNIT_TEXT_ROOM, row.flat, report->total),
                unit_percentage(sum_part, UNIT_TEXT_ROOM, (int64_t)sum, report->total),
                report_value(report, cum, row.cum),
                unit_percentage(cum_part, UNIT_TEXT_ROOM, row.cum, report->total));
        if (with_ends) {
            bool cum_order = report->options.cum;
            char ends[INTERVAL_TEXT_ROOM];
            interval_text(report, intervals, cum_order ? row.cum : row.flat,
                          cum_order ? intervals->cum[row.node] : intervals->flat[row.node], ends,
                          sizeof ends);
            fprintf(report->out, "%-*s  ", INTERVAL_WIDTH, ends);
        }
        fprintf(report->out, "%s%s%s%s\n", row.name, *row.inlined ? " " : "", row.inlined,
                report_style(report, STYLE_PLAIN));
    }
    if (rows.graph.n_order == 0 && !report->go119 && !*report->options.base &&
        !*report->options.diff_base) {
        explain_nothing(report);
    }
    missing_names_hint(report, report->granularity == GRANULARITY_LINES);
    report_rows_close(&rows);
    return STATUS_FINE;
}
