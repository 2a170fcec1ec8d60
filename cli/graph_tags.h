/* graph_tags.h - the labels of the samples that weigh on each node of a drawing: pprof-spec 7.11.
 *
 * A node's string tags are the combinations of string labels (`key:value` joined by `\n`); each
 * combination, and the one of none, has numeric tags: values of the label `bytes`, grouped by their
 * text.
 */
#ifndef APPROF_GRAPH_TAGS_H
#define APPROF_GRAPH_TAGS_H

#include "graph.h"
#include "report.h"

struct graph_tag {
    uint32_t node;
    uint32_t combination; /* 0: no string labels */
    uint32_t number;      /* index + 1 of the numeric text; 0: the string tag itself */
    int64_t value;        /* of a number: the first one met here */
    int64_t flat, flat_base, cum, cum_base;
};

struct graph_tags {
    struct report *report;
    /* Per sample, once: its combination, and its numbers in sample_numbers[first .. first of next).
     */
    uint32_t *combination, *first_number;
    uint32_t *sample_numbers;
    int64_t *sample_values;
    char **combinations; /* texts; [0] is "" */
    uint32_t n_combinations;
    char **numbers; /* texts in the report's unit: what groups values */
    uint32_t n_numbers;
    const char *number_unit; /* of the values */
    /* Filled while the graph is counted. */
    struct graph_tag *tags;
    uint32_t n_tags;
    size_t tags_room;
    struct graph_tag_table *table;
    /* After graph_tags_link: tags of node n are tags[first[n] .. first[n + 1]). */
    uint32_t *first;
    uint32_t n_nodes;
    int64_t cutoff;
};

void graph_tags_open(struct graph_tags *tags, struct report *report);
void graph_tags_close(struct graph_tags *tags);
/* Makes the options tell the tags what is counted. */
void graph_tags_listen(struct graph_tags *tags, struct graph_options *options);
/* Sorts by node and takes out what is lighter than cutoff both flat and cum. */
void graph_tags_link(struct graph_tags *tags, uint32_t n_nodes, int64_t cutoff);

static inline int64_t tag_flat(const struct graph_tag *tag)
{
    return tag->flat_base ? tag->flat / tag->flat_base : tag->flat;
}

static inline int64_t tag_cum(const struct graph_tag *tag)
{
    return tag->cum_base ? tag->cum / tag->cum_base : tag->cum;
}

#endif
