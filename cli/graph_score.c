/* graph_score.c - how interesting a node is in a drawing: pprof-spec 7.11.
 *
 * Entropy of the weights that come in and go out, so that a node that only passes its weight on
 * comes behind one where ways part. */
#include "graph.h"

#include <math.h>

static double entropy(const struct graph *g, const uint32_t *edges, uint32_t n, int64_t self)
{
    uint64_t sum = (uint64_t)self;
    double score = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_edge *edge = &g->edges[edges[i]];
        if (!edge->removed && edge->weight > 0) {
            sum += (uint64_t)edge->weight;
        }
    }
    double total = (double)(int64_t)sum;
    if (total == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_edge *edge = &g->edges[edges[i]];
        if (!edge->removed) {
            double fraction = (double)graph_abs(edge->weight) / total;
            score += -fraction * log2(fraction);
        }
    }
    if (self > 0) {
        double fraction = (double)self / total;
        score += -fraction * log2(fraction);
    }
    return score;
}

static uint32_t count_edges(const struct graph *g, const uint32_t *edges, uint32_t n)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        left += !g->edges[edges[i]].removed;
    }
    return left;
}

static int64_t truncated(double value)
{
    /* Also where there is no such integer: what x86 makes of it. */
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

void graph_score(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t n = g->order[i];
        struct graph_node *node = &g->nodes[n];
        const uint32_t *in = g->in_edges + g->in_first[n], *out = g->out_edges + g->out_first[n];
        uint32_t n_in = g->in_first[n + 1] - g->in_first[n];
        uint32_t n_out = g->out_first[n + 1] - g->out_first[n];
        double score = count_edges(g, in, n_in) ? entropy(g, in, n_in, 0) : 1;
        score += count_edges(g, out, n_out) ? entropy(g, out, n_out, node->flat) : 1;
        node->score =
            (int64_t)((uint64_t)truncated(score * (double)node->cum) + (uint64_t)node->flat);
    }
}
