/* report_rows.h - the rows of a table: frames, graph and what is shown of a node, for all formats
 * that print tables.
 */
#ifndef APPROF_REPORT_ROWS_H
#define APPROF_REPORT_ROWS_H

#include "intervals.h"
#include "report.h"

struct report_rows {
    struct frame_table frames;
    struct graph graph;
    struct intervals intervals; /* with -ci */
};

struct report_row {
    uint32_t node;
    const char *name;
    const char *inlined; /* "(inline)", "(partial-inline)" or "" */
    int64_t flat, cum;   /* divided, for -mean */
};

/* Counts, trims, sorts, and chooses the report's unit. False after a message. */
bool report_rows_open(struct report *report, enum graph_edges edges, struct report_rows *rows);
void report_rows_close(struct report_rows *rows);
struct report_row report_row(struct report_rows *rows, uint32_t i);

#endif
