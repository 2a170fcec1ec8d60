/* web_tree.c - see web_tree.h. */
#include "web_tree.h"

#include "memory.h"
#include "web_order.h"

#include <stdlib.h>

/* The nodes of the stack that was walked last, from the root down. */
struct path {
    uint32_t *nodes;
    uint32_t n, room;
};

static uint32_t add_node(struct web_nodes *nodes, uint32_t parent, uint32_t info)
{
    MEMORY_ROOM(nodes->parents, nodes->n, nodes->room);
    MEMORY_ROOM(nodes->infos, nodes->n, nodes->infos_room);
    nodes->parents[nodes->n] = parent;
    nodes->infos[nodes->n] = info;
    return nodes->n++;
}

/* The child of a node by function, made if there is none. */
static uint32_t function_child(struct web_tree *tree, uint32_t parent, uint32_t info)
{
    struct web_nodes *nodes = &tree->by_function;
    uint64_t hash = key_hash(key_hash(hash_seed(), parent), info);
    struct key_cursor at = key_table_at(&tree->known, hash);
    uint32_t id;
    while ((id = key_table_next(&tree->known, &at)) != KEY_NONE) {
        if (nodes->parents[id] == parent && nodes->infos[id] == info) {
            return id;
        }
    }
    id = add_node(nodes, parent, info);
    key_table_add(&tree->known, hash, id);
    return id;
}

static uint32_t line_child(struct web_tree *tree, uint32_t parent, uint32_t info)
{
    uint32_t node = add_node(&tree->by_line, parent, info);
    MEMORY_ROOM(tree->function_nodes, node, tree->function_nodes_room);
    tree->function_nodes[node] =
        function_child(tree, tree->function_nodes[parent], tree->functions[info]);
    return node;
}

/* Samples come in order: what a stack shares with another one, it shares with the one before. Where
 * inlined frames of different locations begin alike, a node may come twice; that harms nobody. */
static uint32_t walk(struct web_tree *tree, struct path *path, const struct profile *profile,
                     const struct frame_table *lines, const struct profile_sample *sample)
{
    uint32_t depth = 0, node = 0;
    bool shared = true;
    for (uint32_t i = sample->n_locations; i-- > 0;) {
        uint32_t l = profile->sample_locations[sample->first_location + i];
        for (uint32_t f = lines->first[l]; f < lines->first[l + 1]; f++) {
            uint32_t info = FRAME_INFO(lines->frames[f]);
            shared = shared && depth < path->n && tree->by_line.infos[path->nodes[depth]] == info;
            MEMORY_ROOM(path->nodes, depth, path->room);
            if (!shared) {
                path->nodes[depth] = line_child(tree, node, info);
            }
            node = path->nodes[depth++];
        }
    }
    path->n = depth;
    return node;
}

void web_tree_build(struct web_tree *tree, const struct profile *profile,
                    const struct frame_table *lines, const struct frame_table *functions)
{
    struct path path = {0};
    *tree = (struct web_tree){0};
    tree->functions = memory_array(lines->n_infos, sizeof *tree->functions);
    tree->of_sample = memory_array(profile->n_samples, sizeof *tree->of_sample);
    for (uint32_t l = 0; l < profile->n_locations; l++) {
        for (uint32_t f = lines->first[l]; f < lines->first[l + 1]; f++) {
            tree->functions[FRAME_INFO(lines->frames[f])] = FRAME_INFO(functions->frames[f]);
        }
    }
    add_node(&tree->by_line, 0, 0);
    add_node(&tree->by_function, 0, 0);
    MEMORY_ROOM(tree->function_nodes, 0u, tree->function_nodes_room);
    tree->function_nodes[0] = 0;
    tree->order = web_order(profile, lines);
    for (uint32_t i = 0; i < profile->n_samples; i++) {
        uint32_t s = tree->order[i];
        tree->of_sample[s] = walk(tree, &path, profile, lines, &profile->samples[s]);
    }
    free(path.nodes);
}

static void free_nodes(struct web_nodes *nodes)
{
    free(nodes->parents);
    free(nodes->infos);
}

void web_tree_free(struct web_tree *tree)
{
    free_nodes(&tree->by_line);
    free_nodes(&tree->by_function);
    key_table_free(&tree->known);
    free(tree->function_nodes);
    free(tree->order);
    free(tree->of_sample);
    free(tree->functions);
    *tree = (struct web_tree){0};
}
