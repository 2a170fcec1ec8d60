/* graph_tree.c - call trees with nodes taken out, and edges that a drawing can do without. */
#include "graph_tree.h"

#include "key_table.h"

#include <stdlib.h>

/* While nodes go, children are lists: next_child by edge, first and last by node. */
struct tree {
    struct graph *graph;
    uint32_t *parent_edge, *first_child, *last_child, *next_child;
};

static void append_child(struct tree *tree, uint32_t parent, uint32_t edge)
{
    tree->next_child[edge] = KEY_NONE;
    if (tree->first_child[parent] == KEY_NONE) {
        tree->first_child[parent] = edge;
    } else {
        tree->next_child[tree->last_child[parent]] = edge;
    }
    tree->last_child[parent] = edge;
}

static void remove_node(struct tree *tree, uint32_t n)
{
    struct graph *g = tree->graph;
    uint32_t above = tree->parent_edge[n], next;
    if (above != KEY_NONE) {
        g->edges[above].removed = true;
    }
    for (uint32_t e = tree->first_child[n]; e != KEY_NONE; e = next) {
        struct graph_edge *edge = &g->edges[e];
        next = tree->next_child[e];
        if (edge->removed) {
            continue;
        }
        if (above == KEY_NONE) {
            edge->removed = true;
            tree->parent_edge[edge->to] = KEY_NONE;
            continue;
        }
        edge->from = g->edges[above].from;
        edge->residual = true;
        edge->inlined &= g->edges[above].inlined;
        append_child(tree, edge->from, e);
    }
}

void graph_tree_trim(struct graph *g, const bool *keep)
{
    struct tree tree = {
        .graph = g,
        .parent_edge = memory_array(g->n_nodes, sizeof(uint32_t)),
        .first_child = memory_array(g->n_nodes, sizeof(uint32_t)),
        .last_child = memory_array(g->n_nodes, sizeof(uint32_t)),
        .next_child = memory_array(g->n_edges, sizeof(uint32_t)),
    };
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        tree.parent_edge[n] = tree.first_child[n] = KEY_NONE;
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        if (!g->edges[e].removed) {
            tree.parent_edge[g->edges[e].to] = e;
            append_child(&tree, g->edges[e].from, e);
        }
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t n = g->order[i];
        if (keep[n]) {
            g->order[left++] = n;
        } else {
            g->nodes[n].listed = false;
            remove_node(&tree, n);
        }
    }
    g->n_order = left;
    free(tree.parent_edge);
    free(tree.first_child);
    free(tree.last_child);
    free(tree.next_child);
    graph_link(g);
    graph_remove_redundant(g);
}

/* Whether the edge's end can be reached from its start without it. */
static bool is_redundant(struct graph *g, uint32_t e, uint32_t *queue, uint32_t *seen,
                         uint32_t stamp)
{
    const struct graph_edge *edge = &g->edges[e];
    uint32_t n = 0, at = 0;
    queue[n++] = edge->to;
    seen[edge->to] = stamp;
    while (at < n) {
        uint32_t node = queue[at++];
        for (uint32_t i = g->in_first[node]; i < g->in_first[node + 1]; i++) {
            uint32_t other = g->in_edges[i];
            uint32_t from = g->edges[other].from;
            if (g->edges[other].removed || other == e || seen[from] == stamp) {
                continue;
            }
            if (from == edge->from) {
                return true;
            }
            seen[from] = stamp;
            queue[n++] = from;
        }
    }
    return false;
}

void graph_remove_redundant(struct graph *g)
{
    uint32_t *queue = memory_array(g->n_nodes, sizeof *queue);
    uint32_t *seen = memory_array(g->n_nodes, sizeof *seen);
    uint32_t stamp = 0;
    for (uint32_t i = g->n_order; i-- > 0;) {
        uint32_t node = g->order[i];
        uint32_t *in = g->in_edges + g->in_first[node];
        uint32_t n = graph_sort_edges(g, in, g->in_first[node + 1] - g->in_first[node]);
        for (uint32_t k = n; k-- > 0 && g->edges[in[k]].residual;) {
            g->edges[in[k]].removed = is_redundant(g, in[k], queue, seen, ++stamp);
        }
    }
    free(queue);
    free(seen);
}
