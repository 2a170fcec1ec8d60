/* graph_trim.c - which nodes and edges are shown, and in what order. */
#include "graph.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct sort_context {
    struct graph *graph;
    bool cum_order, by_score;
};

static int descending(int64_t a, int64_t b)
{
    a = graph_abs(a);
    b = graph_abs(b);
    return (a < b) - (a > b);
}

static int compare_nodes(const void *left, const void *right, void *ctx)
{
    const struct sort_context *sort = ctx;
    struct graph *g = sort->graph;
    const struct graph_node *a = &g->nodes[*(const uint32_t *)left];
    const struct graph_node *b = &g->nodes[*(const uint32_t *)right];
    bool by_flat = !sort->cum_order && !sort->by_score;
    int order = by_flat          ? descending(a->flat, b->flat)
                : sort->by_score ? descending(a->score, b->score)
                                 : descending(a->cum, b->cum);
    if (!order) {
        order = strcmp(frame_name(g->frames, a->info), frame_name(g->frames, b->info));
    }
    if (!order) {
        order = by_flat ? descending(a->cum, b->cum) : descending(a->flat, b->flat);
    }
    if (!order) {
        order = frame_compare(g->frames, a->info, b->info);
    }
    return order ? order : (a > b) - (a < b);
}

void graph_sort(struct graph *g, const struct graph_options *options)
{
    struct sort_context sort = {g, options->cum_order, options->by_score};
    if (options->by_score) {
        graph_score(g);
    }
    qsort_r(g->order, g->n_order, sizeof *g->order, compare_nodes, &sort);
}

static int compare_edges(const void *left, const void *right, void *ctx)
{
    struct graph *g = ctx;
    const struct graph_edge *a = &g->edges[*(const uint32_t *)left];
    const struct graph_edge *b = &g->edges[*(const uint32_t *)right];
    int order = descending(a->weight, b->weight);
    if (!order && a->from != b->from) {
        order = strcmp(frame_name(g->frames, g->nodes[a->from].info),
                       frame_name(g->frames, g->nodes[b->from].info));
    }
    if (!order && a->to != b->to) {
        order = strcmp(frame_name(g->frames, g->nodes[a->to].info),
                       frame_name(g->frames, g->nodes[b->to].info));
    }
    if (!order) {
        order = (a->weight < b->weight) - (a->weight > b->weight);
    }
    if (!order) {
        order = frame_compare(g->frames, g->nodes[a->from].info, g->nodes[b->from].info);
    }
    if (!order) {
        order = frame_compare(g->frames, g->nodes[a->to].info, g->nodes[b->to].info);
    }
    return order;
}

uint32_t graph_sort_edges(struct graph *g, uint32_t *edges, uint32_t n)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!g->edges[edges[i]].removed) {
            uint32_t swap = edges[left];
            edges[left++] = edges[i];
            edges[i] = swap;
        }
    }
    qsort_r(edges, left, sizeof *edges, compare_edges, g);
    return left;
}

static uint32_t trim_edges(struct graph *g, int64_t cutoff)
{
    uint32_t dropped = 0;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        struct graph_edge *edge = &g->edges[e];
        if (!edge->removed && g->nodes[edge->to].listed && graph_abs(edge->weight) < cutoff) {
            edge->removed = true;
            dropped++;
        }
    }
    return dropped;
}

/* Only identities in keep[] are counted from now on. */
static void keep_only(struct graph *g, const bool *keep)
{
    if (!g->kept_storage) {
        g->kept_storage = memory_array(g->frames->n_infos, sizeof *g->kept_storage);
    }
    memcpy(g->kept_storage, keep, g->frames->n_infos * sizeof *keep);
    g->kept = g->kept_storage;
}

/* Takes nodes out of the rows without counting again: what is left weighs the same, since a
 * node's weights do not depend on which others are shown. */
static void unlist(struct graph *g, const bool *keep)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_order; i++) {
        if (keep[g->order[i]]) {
            g->order[n++] = g->order[i];
        } else {
            g->nodes[g->order[i]].listed = false;
        }
    }
    g->n_order = n;
}

static void recount(struct graph *g, const struct graph_options *options, enum graph_edges edges)
{
    struct graph_options with = *options;
    with.edges = edges;
    if (options->call_tree) {
        graph_count_tree(g, &with);
    } else {
        graph_count(g, &with);
    }
}

static bool any_inlined(const struct frame_table *frames)
{
    for (uint32_t i = 0; i < frames->n_infos; i++) {
        if (frames->may_be_inlined[i]) {
            return true;
        }
    }
    return false;
}

/* How many of the sorted nodes fit. */
static uint32_t count_that_fit(const struct graph *g, const struct graph_options *options)
{
    uint64_t room = (uint64_t)options->node_count, used = 0;
    if (!options->by_score) {
        return room < g->n_order ? (uint32_t)room : g->n_order;
    }
    for (uint32_t i = 0; i < g->n_order; i++) {
        used += 1 + (options->cost ? options->cost(options->ctx, g->order[i]) : 0);
        if (used >= room) {
            return i + 1;
        }
    }
    return g->n_order;
}

void graph_build_all(struct graph *g, struct frame_table *frames,
                     const struct graph_options *options)
{
    *g = (struct graph){.frames = frames, .profile = frames->profile};
    recount(g, options, options->edges);
    graph_sort(g, options);
    g->original_count = g->n_order;
}

void graph_build_trimmed(struct graph *g, struct frame_table *frames,
                         const struct graph_options *options)
{
    *g = (struct graph){.frames = frames, .profile = frames->profile};
    bool tree = options->call_tree;
    enum graph_edges early = tree ? GRAPH_ALL_EDGES : GRAPH_NO_EDGES, final = options->edges;
    if (final == GRAPH_INLINE_EDGES && !any_inlined(frames)) {
        final = GRAPH_NO_EDGES;
    }
    recount(g, options, early);
    bool *keep = memory_array(g->n_nodes, sizeof *keep);
    int64_t total = 0;
    for (uint32_t i = 0; i < g->n_order; i++) {
        total = (int64_t)((uint64_t)total + (uint64_t)g->nodes[g->order[i]].flat);
    }
    g->node_cutoff = graph_abs((int64_t)((double)total * options->node_fraction));
    g->edge_cutoff = graph_abs((int64_t)((double)total * options->edge_fraction));

    bool counted_with_edges = tree;
    if (g->node_cutoff > 0) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < g->n_order; i++) {
            uint32_t n = g->order[i];
            keep[n] = graph_abs(g->nodes[n].cum) >= g->node_cutoff;
            kept += keep[n];
        }
        g->dropped_nodes = g->n_order - kept;
        if (g->dropped_nodes && tree) {
            graph_tree_trim(g, keep);
        } else if (g->dropped_nodes) {
            unlist(g, keep);
            keep_only(g, keep);
        }
    }
    g->original_count = g->n_order;

    if (options->by_score && !tree) {
        recount(g, options, GRAPH_ALL_EDGES);
        counted_with_edges = true;
    }
    graph_sort(g, options);
    if (options->node_count > 0) {
        if (options->prepare_costs) {
            options->prepare_costs(options->ctx, g->n_nodes, g->node_cutoff);
        }
        trim_edges(g, g->edge_cutoff);
        uint32_t fit = count_that_fit(g, options);
        if (fit < g->n_order) {
            memset(keep, 0, g->n_nodes * sizeof *keep);
            for (uint32_t i = 0; i < fit; i++) {
                keep[g->order[i]] = true;
            }
            if (tree) {
                graph_tree_trim(g, keep);
                graph_sort(g, options);
            } else {
                unlist(g, keep);
                keep_only(g, keep);
                counted_with_edges = false;
            }
        }
    }
    if (!counted_with_edges && final != GRAPH_NO_EDGES) {
        recount(g, options, final);
        graph_sort(g, options);
    }
    g->dropped_edges = trim_edges(g, g->edge_cutoff);
    free(keep);
}
