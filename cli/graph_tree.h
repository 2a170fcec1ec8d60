/* graph_tree.h - what only drawings need of a graph: pprof-spec 5.3, 5.4, 7.11. */
#ifndef APPROF_GRAPH_TREE_H
#define APPROF_GRAPH_TREE_H

#include "graph.h"

/* Removes residual edges whose end is reached from their start over others, lightest first. */
void graph_remove_redundant(struct graph *graph);

#endif
