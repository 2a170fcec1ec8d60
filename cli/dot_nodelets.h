/* dot_nodelets.h - the boxes of a node's labels in a drawing: pprof-spec 7.11. */
#ifndef APPROF_DOT_NODELETS_H
#define APPROF_DOT_NODELETS_H

#include "graph_tags.h"

/* Prints those of one node (graph_tags_link was called). calls: the node has outgoing edges, then
 * only flat weights count. Returns whether there were any. */
bool dot_nodelets_print(const struct graph_tags *tags, uint32_t node, uint32_t number, bool calls);

#endif
