/* report_rows.c - see report_rows.h. */
#include "report_rows.h"

bool report_rows_open(struct report *report, enum graph_edges edges, struct report_rows *rows)
{
    struct graph_options options;
    *rows = (struct report_rows){0};
    if (!report_frames(report, &rows->frames)) {
        return false;
    }
    if (report->options.ci &&
        !intervals_open(report, &rows->frames, report->value_index, &rows->intervals)) {
        frames_free(&rows->frames);
        return false;
    }
    report_graph_options(report, &options);
    options.edges = edges;
    if (report->options.ci) {
        intervals_listen(&rows->intervals, &options);
    }
    options.call_tree = report->options.call_tree && (report->format->flags & FORMAT_CALL_TREE);
    graph_build_trimmed(&rows->graph, &rows->frames, &options);
    report_choose_unit(report, &rows->graph);
    return true;
}

void report_rows_close(struct report_rows *rows)
{
    intervals_close(&rows->intervals);
    graph_free(&rows->graph);
    frames_free(&rows->frames);
}

static const char *inline_mark(const struct graph *g, uint32_t n)
{
    bool inlined = false, called = false;
    for (uint32_t i = g->in_first[n]; i < g->in_first[n + 1]; i++) {
        const struct graph_edge *edge = &g->edges[g->in_edges[i]];
        if (!edge->removed) {
            inlined |= edge->inlined;
            called |= !edge->inlined;
        }
    }
    return !inlined ? "" : called ? "(partial-inline)" : "(inline)";
}

struct report_row report_row(struct report_rows *rows, uint32_t i)
{
    struct graph *g = &rows->graph;
    uint32_t n = g->order[i];
    return (struct report_row){
        .node = n,
        .name = frame_name(&rows->frames, g->nodes[n].info),
        .inlined = inline_mark(g, n),
        .flat = graph_flat(&g->nodes[n]),
        .cum = graph_cum(&g->nodes[n]),
    };
}
