/* report_tree.c - rows with their callers and callees: pprof-spec 7.3, 7.4. */
#include "report.h"

#include "regexp.h"
#include "report_records.h"
#include "report_rows.h"

#include <string.h>

/* The interval of a figure as a column of its own, with -ci. */
static void print_interval(struct report *report, struct report_rows *rows, int64_t value,
                           double variance)
{
    char text[INTERVAL_TEXT_ROOM];
    if (report->options.ci) {
        interval_text(report, &rows->intervals, value, variance, text, sizeof text);
        fprintf(report->out, "%-*s ", INTERVAL_WIDTH, text);
    }
}

static double variance_of_call(const struct report *report, const struct report_rows *rows,
                               uint32_t edge)
{
    return report->options.ci ? rows->intervals.calls[edge] : 0;
}

static double variance_of_row(const struct report *report, const double *variances, uint32_t node)
{
    return report->options.ci ? variances[node] : 0;
}

static void print_edges(struct report *report, struct report_rows *rows, uint32_t node,
                        bool incoming, int64_t cum)
{
    struct graph *g = &rows->graph;
    const uint32_t *first = incoming ? g->in_first : g->out_first;
    uint32_t *edges = (incoming ? g->in_edges : g->out_edges) + first[node];
    uint32_t n = graph_sort_edges(g, edges, first[node + 1] - first[node]);
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_edge *edge = &g->edges[edges[i]];
        char value[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM];
        uint32_t other = incoming ? edge->from : edge->to;
        fprintf(report->out, "%50s %s ", report_value(report, value, edge->weight),
                unit_percentage(percent, sizeof percent, edge->weight, cum));
        print_interval(report, rows, edge->weight, variance_of_call(report, rows, edges[i]));
        fprintf(report->out, "|   %s%s\n", frame_name(&rows->frames, g->nodes[other].info),
                edge->inlined ? " (inline)" : "");
    }
}

static void print_node(struct report *report, struct report_rows *rows,
                       const struct report_row *row, int64_t sum)
{
    char flat[UNIT_TEXT_ROOM], flat_part[UNIT_TEXT_ROOM], sum_part[UNIT_TEXT_ROOM];
    char cum[UNIT_TEXT_ROOM], cum_part[UNIT_TEXT_ROOM];
    print_edges(report, rows, row->node, true, row->cum);
    fprintf(report->out, "%s%10s %s %s %10s %s                ", report_style(report, STYLE_STRONG),
            report_value(report, flat, row->flat),
            unit_percentage(flat_part, UNIT_TEXT_ROOM, row->flat, report->total),
            unit_percentage(sum_part, UNIT_TEXT_ROOM, sum, report->total),
            report_value(report, cum, row->cum),
            unit_percentage(cum_part, UNIT_TEXT_ROOM, row->cum, report->total));
    print_interval(report, rows, row->cum, variance_of_row(report, rows->intervals.cum, row->node));
    fprintf(report->out, "| %s%s\n", row->name, report_style(report, STYLE_PLAIN));
    print_edges(report, rows, row->node, false, row->cum);
}

static void record_intervals(const struct report *report, const struct report_rows *rows,
                             struct records *records, int64_t flat, double flat_variance,
                             int64_t cum, double cum_variance)
{
    if (report->options.ci) {
        interval_record(report, &rows->intervals, records, "flat", flat, flat_variance);
        interval_record(report, &rows->intervals, records, "cum", cum, cum_variance);
    }
}

static void record_edges(struct report *report, struct records *records, struct report_rows *rows,
                         uint32_t node, bool incoming)
{
    struct graph *g = &rows->graph;
    const uint32_t *first = incoming ? g->in_first : g->out_first;
    uint32_t *edges = (incoming ? g->in_edges : g->out_edges) + first[node];
    uint32_t n = graph_sort_edges(g, edges, first[node + 1] - first[node]);
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_edge *edge = &g->edges[edges[i]];
        uint32_t other = incoming ? edge->from : edge->to;
        records_begin(records);
        records_text(records, "row", frame_name(&rows->frames, g->nodes[node].info));
        records_text(records, "relation", incoming ? "caller" : "callee");
        records_text(records, "name", frame_name(&rows->frames, g->nodes[other].info));
        records_int(records, "flat", 0);
        records_int(records, "cum", report_divided(report, edge->weight));
        records_text(records, "inlined", edge->inlined ? "(inline)" : "");
        record_intervals(report, rows, records, 0, 0, edge->weight,
                         variance_of_call(report, rows, edges[i]));
        records_end(records);
    }
}

static void record_node(struct report *report, struct records *records, struct report_rows *rows,
                        const struct report_row *row)
{
    record_edges(report, records, rows, row->node, true);
    records_begin(records);
    records_text(records, "row", row->name);
    records_text(records, "relation", "self");
    records_text(records, "name", row->name);
    records_int(records, "flat", report_divided(report, row->flat));
    records_int(records, "cum", report_divided(report, row->cum));
    records_text(records, "inlined", row->inlined);
    record_intervals(report, rows, records, row->flat,
                     variance_of_row(report, rows->intervals.flat, row->node), row->cum,
                     variance_of_row(report, rows->intervals.cum, row->node));
    records_end(records);
    record_edges(report, records, rows, row->node, false);
}

static void print_separator(const struct report *report)
{
    fprintf(report->out,
            "----------------------------------------------------------%.*s+----------"
            "---\n",
            report->options.ci ? INTERVAL_WIDTH + 1 : 0, "-------------------------------");
}

static void print_legend(const struct report *report)
{
    print_separator(report);
    fprintf(report->out,
            "      flat  flat%%   sum%%        cum   cum%%   calls calls%% %s+ context "
            "\t \t \n",
            report->options.ci ? "95% of cum and calls   " : "");
}

static int print_tree(struct report *report, const struct regexp *regexp)
{
    struct report_rows rows;
    struct records records;
    bool recording = report_records_format(report) != RECORDS_NONE;
    if (!report_rows_open(report, GRAPH_ALL_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
    }
    uint64_t sum = 0;
    uint32_t matched = 0;
    for (uint32_t i = 0; i < rows.graph.n_order; i++) {
        struct report_row row = report_row(&rows, i);
        if (regexp && !regexp_matches(regexp, row.name, strlen(row.name))) {
            continue;
        }
        if (matched++ == 0 && recording) {
            report_records_open(report, &records);
        } else if (matched == 1) {
            report_print_header(report, &rows.graph);
            print_legend(report);
        }
        sum += (uint64_t)row.flat;
        if (recording) {
            record_node(report, &records, &rows, &row);
        } else {
            print_separator(report);
            print_node(report, &rows, &row, (int64_t)sum);
        }
    }
    int status = STATUS_FINE;
    if (matched == 0 && regexp) {
        message_error("%s: no matches found for regexp: %s", report->format->name,
                      report->regexp_text);
        message_hint("the expression is matched against the names that 'approf top' shows");
        status = STATUS_BAD_USAGE;
    } else if (recording) {
        if (matched == 0) {
            report_records_open(report, &records);
        }
        records_close(&records);
    } else if (matched == 0) {
        report_print_header(report, &rows.graph);
        print_legend(report);
    } else {
        print_separator(report);
    }
    report_rows_close(&rows);
    return status;
}

int report_tree(struct report *report)
{
    return print_tree(report, NULL);
}

int report_peek(struct report *report)
{
    struct regexp *regexp = report_regexp(report);
    if (!regexp) {
        return STATUS_BAD_USAGE;
    }
    int status = print_tree(report, regexp);
    regexp_free(regexp);
    return status;
}
