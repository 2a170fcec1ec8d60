/* report_top.c - rows by weight: pprof-spec 7.2. */
#include "report.h"

#include "report_records.h"
#include "report_rows.h"

static void record_rows(struct report *report, struct report_rows *rows)
{
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
        records_end(&records);
    }
    records_close(&records);
}

int report_top(struct report *report)
{
    struct report_rows rows;
    if (!report_rows_open(report, GRAPH_INLINE_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
    }
    if (report_records_format(report) != RECORDS_NONE) {
        record_rows(report, &rows);
        report_rows_close(&rows);
        return STATUS_FINE;
    }
    report_print_header(report, &rows.graph);
    fprintf(report->out, "%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rows.graph.n_order; i++) {
        char flat[UNIT_TEXT_ROOM], flat_part[UNIT_TEXT_ROOM], sum_part[UNIT_TEXT_ROOM];
        char cum[UNIT_TEXT_ROOM], cum_part[UNIT_TEXT_ROOM];
        struct report_row row = report_row(&rows, i);
        sum += (uint64_t)row.flat;
        fprintf(report->out, "%10s %s %s %10s %s  %s%s%s\n", report_value(report, flat, row.flat),
                unit_percentage(flat_part, UNIT_TEXT_ROOM, row.flat, report->total),
                unit_percentage(sum_part, UNIT_TEXT_ROOM, (int64_t)sum, report->total),
                report_value(report, cum, row.cum),
                unit_percentage(cum_part, UNIT_TEXT_ROOM, row.cum, report->total), row.name,
                *row.inlined ? " " : "", row.inlined);
    }
    report_rows_close(&rows);
    return STATUS_FINE;
}
