/* report_dot.c - the graph in graphviz's language: pprof-spec 7.11. */
#include "report.h"

#include "dot_nodelets.h"
#include "dot_text.h"
#include "graph_tags.h"
#include "graph_tree.h"
#include "memory.h"
#include "paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
    struct report *report;
    struct frame_table frames;
    struct graph graph;
    struct graph_tags tags;
    struct short_names *names;
    uint32_t *number;   /* by node: N1, N2, ...; 0 for nodes that are not drawn */
    bool *has_nodelets; /* by node */
    bool any_line;      /* of the legend */
};

static const char *title_of(const struct report *report)
{
    const struct profile *p = report->profile;
    const char *file = p->n_mappings > 0 ? profile_text(p, p->mappings[0].filename) : "";
    return *file ? path_base(file) : "";
}

static void print_legend_line(void *ctx, const char *text)
{
    struct drawing *d = ctx;
    char *escaped = dot_escape(text);
    if (!d->any_line) {
        fprintf(d->report->out, "subgraph cluster_L { \"%s\" [shape=box fontsize=16 label=\"",
                escaped);
        d->any_line = true;
    }
    fprintf(d->report->out, "%s\\l", escaped);
    free(escaped);
}

static void print_start(struct drawing *d)
{
    FILE *out = d->report->out;
    const char *title = title_of(d->report);
    fprintf(out, "digraph \"%s\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n",
            *title ? title : "unnamed");
    report_all_lines(d->report, &d->graph, true, print_legend_line, d);
    fputc('"', out);
    if (*title) {
        fprintf(out, " tooltip=\"%s\"", title);
    }
    fputs("] }\n", out);
}

static double share_of(const struct report *report, int64_t value)
{
    return (double)value / (double)graph_abs(report->total);
}

static void print_node(struct drawing *d, uint32_t n, double largest)
{
    struct report *report = d->report;
    FILE *out = report->out;
    const struct graph_node *node = &d->graph.nodes[n];
    int64_t flat = graph_flat(node), cum = graph_cum(node);
    char flat_text[UNIT_TEXT_ROOM], cum_text[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM], color[8];
    char *label = dot_node_name(&d->frames, node->info, d->names);
    char *name = dot_escape(frame_name(&d->frames, node->info));
    report_value(report, flat_text, flat);
    report_value(report, cum_text, cum);
    fprintf(out, "N%u [label=\"%s", d->number[n], label);
    if (flat) {
        fprintf(out, "%s (%s)", flat_text,
                unit_percentage_bare(percent, sizeof percent, flat, report->total));
    } else {
        fputc('0', out);
    }
    if (cum != flat) {
        fprintf(out, "%sof %s (%s)", flat ? "\\n" : " ", cum_text,
                unit_percentage_bare(percent, sizeof percent, cum, report->total));
    }
    int size = 8;
    double weight = (double)graph_abs(flat);
    if (largest != 0 && flat && weight <= largest) {
        size += (int)ceil(16 * sqrt(weight / largest));
    }
    fprintf(out, "\" id=\"node%u\" fontsize=%d shape=box tooltip=\"%s (%s)\"", d->number[n], size,
            name, cum != flat ? cum_text : flat_text);
    dot_color(color, share_of(report, cum), false);
    fprintf(out, " color=\"%s\"", color);
    dot_color(color, share_of(report, cum), true);
    fprintf(out, " fillcolor=\"%s\"]\n", color);
    free(name);
    free(label);
}

static int64_t edge_weight(const struct graph_edge *edge)
{
    return edge->base ? edge->weight / edge->base : edge->weight;
}

/* abs(weight * times / total), at most `most`, in integers as pprof does. */
static int64_t part_of(int64_t weight, int64_t times, int64_t total)
{
    int64_t product = (int64_t)((uint64_t)weight * (uint64_t)times);
    int64_t part = total == -1 ? (int64_t)(0 - (uint64_t)product) : product / total;
    part = graph_abs(part);
    return part < times ? part : times;
}

static void print_edge(struct drawing *d, const struct graph_edge *edge)
{
    struct report *report = d->report;
    FILE *out = report->out;
    int64_t weight = edge_weight(edge);
    char value[UNIT_TEXT_ROOM], color[8];
    char *from = dot_escape(frame_name(&d->frames, d->graph.nodes[edge->from].info));
    char *to = dot_escape(frame_name(&d->frames, d->graph.nodes[edge->to].info));
    report_value(report, value, weight);
    fprintf(out, "N%u -> N%u [label=\" %s%s\"", d->number[edge->from], d->number[edge->to], value,
            edge->inlined ? "\\n (inline)" : "");
    if (report->total) {
        int64_t thick = 1 + part_of(weight, 100, report->total);
        int64_t wide = 1 + part_of(weight, 5, report->total);
        if (thick > 1) {
            fprintf(out, " weight=%" PRId64, thick);
        }
        if (wide > 1) {
            fprintf(out, " penwidth=%" PRId64, wide);
        }
        dot_color(color, share_of(report, weight), false);
        fprintf(out, " color=\"%s\"", color);
    }
    const char *arrow = edge->residual ? "..." : "->";
    fprintf(out, " tooltip=\"%s %s %s (%s)\" labeltooltip=\"%s %s %s (%s)\"%s%s]\n", from, arrow,
            to, value, from, arrow, to, value, edge->residual ? " style=\"dotted\"" : "",
            d->has_nodelets[edge->from] ? " minlen=2" : "");
    free(from);
    free(to);
}

static void print_body(struct drawing *d)
{
    struct graph *g = &d->graph;
    double largest = 0;
    uint32_t n_edges = 0;
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t n = g->order[i];
        d->number[n] = i + 1;
        double flat = (double)graph_abs(graph_flat(&g->nodes[n]));
        largest = flat > largest ? flat : largest;
    }
    uint32_t *edges = memory_array(g->n_edges, sizeof *edges);
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t n = g->order[i];
        uint32_t first_edge = n_edges;
        for (uint32_t k = g->out_first[n]; k < g->out_first[n + 1]; k++) {
            if (!g->edges[g->out_edges[k]].removed) {
                edges[n_edges++] = g->out_edges[k];
            }
        }
        print_node(d, n, largest);
        d->has_nodelets[n] = dot_nodelets_print(&d->tags, n, d->number[n], n_edges > first_edge);
    }
    n_edges = graph_sort_edges(g, edges, n_edges);
    for (uint32_t i = 0; i < n_edges; i++) {
        print_edge(d, &g->edges[edges[i]]);
    }
    free(edges);
}

int report_dot(struct report *report)
{
    struct drawing d = {.report = report};
    struct graph_options options;
    if (!report_frames(report, &d.frames)) {
        return STATUS_BAD_USAGE;
    }
    d.names = short_names_open(report->go119);
    if (!d.names) {
        frames_free(&d.frames);
        return message_error("out of memory");
    }
    graph_tags_open(&d.tags, report);
    report_graph_options(report, &options);
    options.by_score = true;
    options.call_tree = report->options.call_tree;
    graph_tags_listen(&d.tags, &options);
    graph_build_trimmed(&d.graph, &d.frames, &options);
    graph_tags_link(&d.tags, d.graph.n_nodes, d.graph.node_cutoff);
    graph_remove_redundant(&d.graph);
    report_choose_unit(report, &d.graph);
    d.number = memory_array(d.graph.n_nodes, sizeof *d.number);
    d.has_nodelets = memory_array(d.graph.n_nodes, sizeof *d.has_nodelets);
    print_start(&d);
    if (d.graph.n_order > 0) {
        print_body(&d);
    }
    fputs("}\n", report->out);
    free(d.number);
    free(d.has_nodelets);
    graph_free(&d.graph);
    graph_tags_close(&d.tags);
    short_names_close(d.names);
    frames_free(&d.frames);
    return STATUS_FINE;
}
