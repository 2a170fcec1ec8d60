/* web_tree.c - see web_tree.h. */
#include "web_tree.h"

#include "memory.h"

#include <stdlib.h>

static uint32_t add_node(struct web_nodes *nodes, uint32_t parent, uint32_t info)
{
    MEMORY_ROOM(nodes->parents, nodes->n, nodes->room);
    MEMORY_ROOM(nodes->infos, nodes->n, nodes->infos_room);
    nodes->parents[nodes->n] = parent;
    nodes->infos[nodes->n] = info;
    return nodes->n++;
}

/* The child of a node with that identity, made if there is none. */
static uint32_t child_of(struct web_nodes *nodes, uint32_t parent, uint32_t info)
{
    uint64_t hash = key_hash(key_hash(hash_seed(), parent), info);
    struct key_cursor at = key_table_at(&nodes->known, hash);
    uint32_t id;
    while ((id = key_table_next(&nodes->known, &at)) != KEY_NONE) {
        if (nodes->parents[id] == parent && nodes->infos[id] == info) {
            return id;
        }
    }
    id = add_node(nodes, parent, info);
    key_table_add(&nodes->known, hash, id);
    return id;
}

static uint32_t line_child(struct web_tree *tree, uint32_t parent, uint32_t info)
{
    uint32_t before = tree->by_line.n;
    uint32_t node = child_of(&tree->by_line, parent, info);
    if (node == before) {
        MEMORY_ROOM(tree->function_nodes, node, tree->function_nodes_room);
        tree->function_nodes[node] =
            child_of(&tree->by_function, tree->function_nodes[parent], tree->functions[info]);
    }
    return node;
}

void web_tree_build(struct web_tree *tree, const struct profile *profile,
                    const struct frame_table *lines, const struct frame_table *functions)
{
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
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        const struct profile_sample *sample = &profile->samples[s];
        uint32_t node = 0;
        for (uint32_t i = sample->n_locations; i-- > 0;) {
            uint32_t l = profile->sample_locations[sample->first_location + i];
            for (uint32_t f = lines->first[l]; f < lines->first[l + 1]; f++) {
                node = line_child(tree, node, FRAME_INFO(lines->frames[f]));
            }
        }
        tree->of_sample[s] = node;
    }
}

static void free_nodes(struct web_nodes *nodes)
{
    free(nodes->parents);
    free(nodes->infos);
    key_table_free(&nodes->known);
}

void web_tree_free(struct web_tree *tree)
{
    free_nodes(&tree->by_line);
    free_nodes(&tree->by_function);
    free(tree->function_nodes);
    free(tree->of_sample);
    free(tree->functions);
    *tree = (struct web_tree){0};
}
