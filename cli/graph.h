/* graph.h - weights of rows and of the calls between them.
 *
 * Formulas: pprof-spec 5.2 to 5.5. A node's number is that of its identity in the frame table (or,
 * in a call tree, a number of its own). Samples are walked root to leaf with one stamp a node and a
 * call, so that nothing counts twice in a sample and nothing is allocated for one.
 */
#ifndef APPROF_GRAPH_H
#define APPROF_GRAPH_H

#include "frames.h"

struct graph_node {
    uint32_t info;               /* in the frame table */
    int64_t flat, cum;           /* sums of weights */
    int64_t flat_base, cum_base; /* sums of divisors, for -mean */
    bool listed;                 /* one of the rows: has weight, and was not dropped */
    int64_t score;
};

struct graph_edge {
    uint32_t from, to;
    int64_t weight, base;
    uint32_t stamp;
    bool residual; /* some sample reached it over a frame that was left out */
    bool inlined;  /* every sample reached it through an inlined line */
    bool removed;
};

enum graph_edges {
    GRAPH_NO_EDGES,
    GRAPH_INLINE_EDGES, /* only those that decide whether a row is marked (inline) */
    GRAPH_ALL_EDGES,
};

struct graph_options {
    uint32_t value_index;
    bool mean; /* divide by the first value */
    bool drop_negative;
    bool call_tree;
    bool cum_order;
    bool by_score; /* the order of drawings */
    enum graph_edges edges;
    int64_t node_count;
    double node_fraction, edge_fraction;
    /* How many nodes of node_count a node takes in a drawing, for its labels; NULL: 1. */
    uint32_t (*cost)(void *ctx, uint32_t node);
    /* Called before costs are asked for, when the set of nodes is known; may be NULL. */
    void (*prepare_costs)(void *ctx, uint32_t n_nodes, int64_t node_cutoff);
    /* For labels of drawings: told when counting with GRAPH_ALL_EDGES starts, and each time that a
     * sample weighs on a node. May be NULL. */
    void (*count_begin)(void *ctx);
    void (*count_weight)(void *ctx, uint32_t sample, uint32_t node, int64_t weight, int64_t base,
                         bool flat);
    /* The same for calls: a sample weighs on the edge of this number. May be NULL. */
    void (*count_call)(void *ctx, uint32_t sample, uint32_t edge);
    void *ctx;
};

struct graph {
    struct frame_table *frames;
    const struct profile *profile;
    struct graph_node *nodes;
    uint32_t n_nodes, nodes_room;
    struct graph_edge *edges;
    uint32_t n_edges, edges_room;
    /* Edges of each node, after graph_link: in_edges[in_first[n] .. in_first[n + 1]). */
    uint32_t *in_first, *in_edges, *out_first, *out_edges;
    uint32_t *order; /* the rows, sorted */
    uint32_t n_order;
    const bool *kept; /* by info: which identities were counted; NULL is all */
    bool *kept_storage;
    /* What trimming did. */
    uint32_t original_count, dropped_nodes, dropped_edges;
    int64_t node_cutoff, edge_cutoff;
};

/* Counts, trims and sorts. */
void graph_build_trimmed(struct graph *graph, struct frame_table *frames,
                         const struct graph_options *options);
/* Only counts and sorts. */
void graph_build_all(struct graph *graph, struct frame_table *frames,
                     const struct graph_options *options);
void graph_free(struct graph *graph);

int64_t graph_flat(const struct graph_node *node); /* divided, for -mean */
int64_t graph_cum(const struct graph_node *node);

/* Sorts a node's edges by weight, then names; removed ones go. Returns how many are left. */
uint32_t graph_sort_edges(struct graph *graph, uint32_t *edges, uint32_t n);

/* ---- for the files that make up the graph ---- */
void graph_count(struct graph *graph, const struct graph_options *options);
void graph_count_tree(struct graph *graph, const struct graph_options *options);
void graph_link(struct graph *graph);
void graph_sort(struct graph *graph, const struct graph_options *options);
void graph_score(struct graph *graph);
void graph_tree_trim(struct graph *graph, const bool *keep);

static inline int64_t graph_abs(int64_t value)
{
    return value < 0 ? (int64_t)(0 - (uint64_t)value) : value;
}

#endif
