/* report_top.c - rows by weight: pprof-spec 7.2. */
#include "report.h"

#include "report_rows.h"

int report_top(struct report *report)
{
    struct report_rows rows;
    if (!report_rows_open(report, GRAPH_INLINE_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
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
