/* web_tree.h - the stacks of a profile as a tree of calls, as the web page gets it.
 *
 * Twice: by source line, and by function. Node 0 is the root, above all stacks; a parent's number
 * is smaller than its children's, and by line nodes come in the order of a walk from the root down,
 * each before all that is below it. A node by line stands for one by function. Not thread-safe.
 */
#ifndef APPROF_WEB_TREE_H
#define APPROF_WEB_TREE_H

#include "frames.h"
#include "key_table.h"

struct web_nodes {
    uint32_t *parents, *infos; /* infos: in the frame table; undefined for the root */
    uint32_t n, room, infos_room;
};

struct web_tree {
    struct web_nodes by_line, by_function;
    uint32_t *function_nodes; /* of each node by line */
    uint32_t function_nodes_room;
    struct key_table known; /* nodes by function */
    uint32_t *order;        /* all samples, by their nodes */
    uint32_t *of_sample;    /* node by line at which each sample ends */
    uint32_t *functions;    /* by info of the lines table: info in the functions table */
};

/* The tables are of the same profile, at the granularity of lines and of functions. */
void web_tree_build(struct web_tree *tree, const struct profile *profile,
                    const struct frame_table *lines, const struct frame_table *functions);
void web_tree_free(struct web_tree *tree);

#endif
