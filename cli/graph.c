/* graph.c - counting: from samples to nodes and edges. Trimming is in graph_trim.c. */
#include "graph.h"

#include "key_table.h"

#include <stdlib.h>
#include <string.h>

/* The listener is told of what is drawn, not of counts that only serve to choose it. */
static bool listens(const struct graph_options *options)
{
    return (options->count_weight || options->count_call) && options->edges == GRAPH_ALL_EDGES;
}

static void tell_weight(const struct graph_options *options, uint32_t s, uint32_t node,
                        int64_t weight, int64_t base, bool flat)
{
    if (options->count_weight && listens(options)) {
        options->count_weight(options->ctx, s, node, weight, base, flat);
    }
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* From a pair of nodes to their edge; open addressing, keyed by the pair itself. */
struct edge_slot {
    uint64_t pair; /* from + 1, to */
    uint32_t edge;
};

struct edge_table {
    struct edge_slot *slots;
    size_t mask;
    uint32_t *of_frame; /* by frame that is inlined: the edge from the frame around it */
};

static size_t edge_home(const struct edge_table *table, uint64_t pair)
{
    return (size_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & table->mask;
}

static void edge_table_grow(struct edge_table *table)
{
    size_t size = table->slots ? (table->mask + 1) * 2 : 1024;
    struct edge_table bigger = {memory_array(size, sizeof *bigger.slots), size - 1,
                                table->of_frame};
    for (size_t i = 0; table->slots && i <= table->mask; i++) {
        if (table->slots[i].pair) {
            size_t at = edge_home(&bigger, table->slots[i].pair);
            while (bigger.slots[at].pair) {
                at = (at + 1) & bigger.mask;
            }
            bigger.slots[at] = table->slots[i];
        }
    }
    free(table->slots);
    *table = bigger;
}

static struct graph_edge *find_edge(struct graph *g, struct edge_table *table, uint32_t from,
                                    uint32_t to)
{
    uint64_t pair = ((uint64_t)from + 1) << 32 | to;
    if (!table->slots || g->n_edges > table->mask / 2) {
        edge_table_grow(table);
    }
    size_t at = edge_home(table, pair);
    while (table->slots[at].pair) {
        if (table->slots[at].pair == pair) {
            return &g->edges[table->slots[at].edge];
        }
        at = (at + 1) & table->mask;
    }
    MEMORY_ROOM(g->edges, g->n_edges, g->edges_room);
    table->slots[at] = (struct edge_slot){pair, g->n_edges};
    struct graph_edge *edge = &g->edges[g->n_edges++];
    *edge = (struct graph_edge){.from = from, .to = to, .inlined = true};
    return edge;
}

static void count_into_edge(struct graph *g, struct edge_table *table,
                            const struct graph_options *options, uint32_t from, uint32_t f,
                            int64_t weight, int64_t base, uint32_t stamp, bool residual)
{
    uint32_t frame = g->frames->frames[f];
    bool inlined = FRAME_INLINED(frame);
    struct graph_edge *edge;
    /* An inlined frame's caller is nearly always the frame before it in its location. */
    if (inlined && FRAME_INFO(g->frames->frames[f - 1]) == from) {
        if (table->of_frame[f] == KEY_NONE) {
            table->of_frame[f] =
                (uint32_t)(find_edge(g, table, from, FRAME_INFO(frame)) - g->edges);
        }
        edge = &g->edges[table->of_frame[f]];
    } else {
        edge = find_edge(g, table, from, FRAME_INFO(frame));
    }
    if (edge->stamp == stamp) {
        return;
    }
    edge->stamp = stamp;
    edge->weight = add(edge->weight, weight);
    edge->base = add(edge->base, base);
    edge->residual |= residual;
    edge->inlined &= inlined;
    if (options->count_call && listens(options)) {
        options->count_call(options->ctx, stamp - 1, (uint32_t)(edge - g->edges));
    }
}

/* What the walk touches of a node, apart from the rest so that it stays in the cache. */
struct node_count {
    int64_t cum, cum_base;
    uint32_t stamp;
};

static void count_sample(struct graph *g, struct node_count *counts, struct edge_table *table,
                         const struct graph_options *options, uint32_t s, int64_t weight,
                         int64_t base)
{
    const struct profile *p = g->profile;
    const struct frame_table *frames = g->frames;
    const struct profile_sample *sample = &p->samples[s];
    const uint32_t *locations = p->sample_locations + sample->first_location;
    uint32_t stamp = s + 1, caller = KEY_NONE;
    bool residual = false;
    for (uint32_t i = sample->n_locations; i-- > 0;) {
        uint32_t l = locations[i];
        for (uint32_t f = frames->first[l]; f < frames->first[l + 1]; f++) {
            uint32_t frame = frames->frames[f], id = FRAME_INFO(frame);
            if (g->kept && !g->kept[id]) {
                residual = true;
                continue;
            }
            struct node_count *node = &counts[id];
            if (node->stamp != stamp) {
                node->stamp = stamp;
                node->cum = add(node->cum, weight);
                node->cum_base = add(node->cum_base, base);
                tell_weight(options, s, id, weight, base, false);
            }
            if (caller != KEY_NONE && caller != id &&
                (options->edges == GRAPH_ALL_EDGES ||
                 (options->edges == GRAPH_INLINE_EDGES && frames->may_be_inlined[id]))) {
                count_into_edge(g, table, options, caller, f, weight, base, stamp, residual);
            }
            caller = id;
            residual = false;
        }
    }
    if (caller != KEY_NONE && !residual) {
        g->nodes[caller].flat = add(g->nodes[caller].flat, weight);
        g->nodes[caller].flat_base = add(g->nodes[caller].flat_base, base);
        tell_weight(options, s, caller, weight, base, true);
    }
}

static bool is_negative(const struct graph_node *node)
{
    return node->flat < 0 || (node->flat == 0 && node->cum < 0);
}

static void list_nodes(struct graph *g, const struct graph_options *options)
{
    free(g->order);
    g->order = memory_array(g->n_nodes, sizeof *g->order);
    g->n_order = 0;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        struct graph_node *node = &g->nodes[n];
        node->listed = (node->flat || node->cum) && !(options->drop_negative && is_negative(node));
        if (node->listed) {
            g->order[g->n_order++] = n;
        }
    }
}

static bool sample_weight(const struct graph *g, const struct graph_options *options, uint32_t s,
                          int64_t *weight, int64_t *base)
{
    const int64_t *values = &g->profile->values[(size_t)s * g->profile->n_sample_types];
    *weight = values[options->value_index];
    *base = options->mean ? values[0] : 0;
    return *weight || *base;
}

void graph_count(struct graph *g, const struct graph_options *options)
{
    struct edge_table table = {0};
    int64_t weight, base;
    g->n_nodes = g->frames->n_infos;
    free(g->nodes);
    g->nodes = memory_array(g->n_nodes, sizeof *g->nodes);
    g->n_edges = 0;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        g->nodes[n].info = n;
    }
    if (listens(options) && options->count_begin) {
        options->count_begin(options->ctx);
    }
    struct node_count *counts = memory_array(g->n_nodes, sizeof *counts);
    if (options->edges != GRAPH_NO_EDGES) {
        uint32_t n_frames = g->frames->first[g->profile->n_locations];
        table.of_frame = memory_array(n_frames, sizeof *table.of_frame);
        memset(table.of_frame, 0xff, n_frames * sizeof *table.of_frame);
    }
    for (uint32_t s = 0; s < g->profile->n_samples; s++) {
        if (sample_weight(g, options, s, &weight, &base)) {
            count_sample(g, counts, &table, options, s, weight, base);
        }
    }
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        g->nodes[n].cum = counts[n].cum;
        g->nodes[n].cum_base = counts[n].cum_base;
    }
    free(counts);
    free(table.slots);
    free(table.of_frame);
    list_nodes(g, options);
    graph_link(g);
}

void graph_count_tree(struct graph *g, const struct graph_options *options)
{
    /* Here a node is (caller, identity), so the edge to it is as good as its name. */
    struct key_table known = {0};
    uint32_t *edge_of = NULL; /* by node: the edge from its caller */
    size_t edge_of_room = 0;
    int64_t weight, base;
    free(g->nodes);
    g->nodes = NULL;
    g->n_nodes = g->nodes_room = g->n_edges = 0;
    if (listens(options) && options->count_begin) {
        options->count_begin(options->ctx);
    }
    for (uint32_t s = 0; s < g->profile->n_samples; s++) {
        const struct profile_sample *sample = &g->profile->samples[s];
        if (!sample_weight(g, options, s, &weight, &base)) {
            continue;
        }
        uint32_t caller = KEY_NONE;
        for (uint32_t i = sample->n_locations; i-- > 0;) {
            uint32_t l = g->profile->sample_locations[sample->first_location + i];
            for (uint32_t f = g->frames->first[l]; f < g->frames->first[l + 1]; f++) {
                uint32_t frame = g->frames->frames[f], info = FRAME_INFO(frame), id;
                uint64_t hash = key_hash(key_hash(hash_seed(), caller), info);
                struct key_cursor at = key_table_at(&known, hash);
                while ((id = key_table_next(&known, &at)) != KEY_NONE) {
                    uint32_t edge = edge_of[id];
                    uint32_t above = edge == KEY_NONE ? KEY_NONE : g->edges[edge].from;
                    if (g->nodes[id].info == info && above == caller) {
                        break;
                    }
                }
                if (id == KEY_NONE) {
                    MEMORY_ROOM(g->nodes, g->n_nodes, g->nodes_room);
                    MEMORY_ROOM(edge_of, g->n_nodes, edge_of_room);
                    id = g->n_nodes++;
                    g->nodes[id] = (struct graph_node){.info = info};
                    key_table_add(&known, hash, id);
                    edge_of[id] = KEY_NONE;
                    if (caller != KEY_NONE) {
                        MEMORY_ROOM(g->edges, g->n_edges, g->edges_room);
                        g->edges[g->n_edges] =
                            (struct graph_edge){.from = caller, .to = id, .inlined = true};
                        edge_of[id] = g->n_edges++;
                    }
                }
                struct graph_node *node = &g->nodes[id];
                node->cum = add(node->cum, weight);
                node->cum_base = add(node->cum_base, base);
                tell_weight(options, s, id, weight, base, false);
                if (edge_of[id] != KEY_NONE) {
                    struct graph_edge *edge = &g->edges[edge_of[id]];
                    edge->weight = add(edge->weight, weight);
                    edge->base = add(edge->base, base);
                    edge->inlined &= FRAME_INLINED(frame);
                }
                caller = id;
            }
        }
        if (caller != KEY_NONE) {
            g->nodes[caller].flat = add(g->nodes[caller].flat, weight);
            g->nodes[caller].flat_base = add(g->nodes[caller].flat_base, base);
            tell_weight(options, s, caller, weight, base, true);
        }
    }
    key_table_free(&known);
    free(edge_of);
    list_nodes(g, options);
    graph_link(g);
}

static void link_side(const struct graph *g, bool incoming, uint32_t **first, uint32_t **list)
{
    free(*first);
    free(*list);
    *first = memory_array((size_t)g->n_nodes + 2, sizeof **first);
    *list = memory_array(g->n_edges, sizeof **list);
    uint32_t *starts = *first + 1; /* shifted, so that filling leaves the starts behind */
    for (uint32_t e = 0; e < g->n_edges; e++) {
        starts[(incoming ? g->edges[e].to : g->edges[e].from) + 1]++;
    }
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        starts[n + 1] += starts[n];
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        (*list)[starts[incoming ? g->edges[e].to : g->edges[e].from]++] = e;
    }
}

void graph_link(struct graph *g)
{
    link_side(g, true, &g->in_first, &g->in_edges);
    link_side(g, false, &g->out_first, &g->out_edges);
}

int64_t graph_flat(const struct graph_node *node)
{
    return node->flat_base ? node->flat / node->flat_base : node->flat;
}

int64_t graph_cum(const struct graph_node *node)
{
    return node->cum_base ? node->cum / node->cum_base : node->cum;
}

void graph_free(struct graph *g)
{
    free(g->nodes);
    free(g->edges);
    free(g->in_first);
    free(g->in_edges);
    free(g->out_first);
    free(g->out_edges);
    free(g->order);
    free(g->kept_storage);
    *g = (struct graph){0};
}
