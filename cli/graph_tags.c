/* graph_tags.c - see graph_tags.h. */
#include "graph_tags.h"

#include "key_table.h"
#include "profile_edit.h"

#include <stdlib.h>
#include <string.h>

struct graph_tag_table {
    struct key_table known;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `key:value` of each string label, sorted, with the two characters \n between. */
static char *join_labels(const struct profile *p, const struct profile_label *labels, uint32_t n,
                         string_id without)
{
    char **parts = memory_array(n, sizeof *parts);
    uint32_t used = 0;
    size_t total = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (labels[i].str && labels[i].key != without) {
            parts[used] = memory_print("%s:%s", profile_text(p, labels[i].key),
                                       profile_text(p, labels[i].str));
            total += strlen(parts[used++]) + 2;
        }
    }
    qsort(parts, used, sizeof *parts, by_text);
    char *joined = memory_array(total, 1), *end = joined;
    for (uint32_t i = 0; i < used; i++) {
        end = stpcpy(stpcpy(end, i ? "\\n" : ""), parts[i]);
        free(parts[i]);
    }
    free(parts);
    return joined;
}

static uint32_t intern_text(char ***texts, uint32_t *n, size_t *room, struct key_table *known,
                            char *text)
{
    uint64_t hash = hash_bytes(hash_seed(), text, strlen(text));
    struct key_cursor at = key_table_at(known, hash);
    uint32_t id;
    while ((id = key_table_next(known, &at)) != KEY_NONE) {
        if (strcmp((*texts)[id], text) == 0) {
            free(text);
            return id;
        }
    }
    MEMORY_ROOM(*texts, *n, *room);
    (*texts)[*n] = text;
    key_table_add(known, hash, *n);
    return (*n)++;
}

void graph_tags_open(struct graph_tags *tags, struct report *report)
{
    const struct profile *p = report->profile;
    string_id bytes = profile_find_text(p, "bytes"), base = profile_find_text(p, "pprof::base");
    struct key_table combinations = {0}, texts = {0}, values = {0};
    size_t combinations_room = 0, numbers_room = 0, sample_room = 0, known_room = 0;
    size_t values_room = 0;
    /* Each value is formatted once. */
    struct {
        int64_t value;
        uint32_t number;
    } *known = NULL;
    uint32_t n_known = 0, n = 0;
    *tags = (struct graph_tags){.report = report};
    tags->number_unit = bytes == PROFILE_NONE ? "" : label_unit(p, &report->label_units, bytes);
    tags->combination = memory_array(p->n_samples, sizeof *tags->combination);
    tags->first_number = memory_array((size_t)p->n_samples + 1, sizeof *tags->first_number);
    tags->table = memory_array(1, sizeof *tags->table);
    intern_text(&tags->combinations, &tags->n_combinations, &combinations_room, &combinations,
                memory_text("", 0));
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_label *labels = p->labels + p->samples[s].first_label;
        uint32_t n_labels = p->samples[s].n_labels;
        tags->first_number[s] = n;
        if (n_labels > 0 && labels[0].str) {
            tags->combination[s] =
                intern_text(&tags->combinations, &tags->n_combinations, &combinations_room,
                            &combinations, join_labels(p, labels, n_labels, base));
        }
        for (uint32_t i = 0; i < n_labels; i++) {
            if (labels[i].str || labels[i].key != bytes) {
                continue;
            }
            uint64_t hash = key_hash(hash_seed(), (uint64_t)labels[i].num);
            struct key_cursor at = key_table_at(&values, hash);
            uint32_t id;
            while ((id = key_table_next(&values, &at)) != KEY_NONE &&
                   known[id].value != labels[i].num) {
            }
            if (id == KEY_NONE) {
                char text[UNIT_TEXT_ROOM];
                unit_label(text, sizeof text, labels[i].num, tags->number_unit,
                           report->options.unit);
                uint32_t number = intern_text(&tags->numbers, &tags->n_numbers, &numbers_room,
                                              &texts, memory_text(text, strlen(text)));
                MEMORY_ROOM(known, n_known, known_room);
                known[n_known].value = labels[i].num;
                known[n_known].number = number;
                key_table_add(&values, hash, n_known);
                id = n_known++;
            }
            MEMORY_ROOM(tags->sample_numbers, n, sample_room);
            MEMORY_ROOM(tags->sample_values, n, values_room);
            tags->sample_values[n] = labels[i].num;
            tags->sample_numbers[n++] = known[id].number;
        }
    }
    tags->first_number[p->n_samples] = n;
    free(known);
    key_table_free(&combinations);
    key_table_free(&texts);
    key_table_free(&values);
}

static void add_weight(struct graph_tags *tags, uint32_t node, uint32_t combination,
                       uint32_t number, int64_t value, int64_t weight, int64_t base, bool flat)
{
    uint64_t hash = key_hash(key_hash(key_hash(hash_seed(), node), combination), number);
    struct key_cursor at = key_table_at(&tags->table->known, hash);
    uint32_t id;
    while ((id = key_table_next(&tags->table->known, &at)) != KEY_NONE) {
        if (tags->tags[id].node == node && tags->tags[id].combination == combination &&
            tags->tags[id].number == number) {
            break;
        }
    }
    if (id == KEY_NONE) {
        MEMORY_ROOM(tags->tags, tags->n_tags, tags->tags_room);
        id = tags->n_tags++;
        tags->tags[id] = (struct graph_tag){
            .node = node, .combination = combination, .number = number, .value = value};
        key_table_add(&tags->table->known, hash, id);
    }
    struct graph_tag *tag = &tags->tags[id];
    int64_t *sum = flat ? &tag->flat : &tag->cum,
            *divisor = flat ? &tag->flat_base : &tag->cum_base;
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)weight);
    *divisor = (int64_t)((uint64_t)*divisor + (uint64_t)base);
}

static void begin(void *ctx)
{
    struct graph_tags *tags = ctx;
    key_table_free(&tags->table->known);
    tags->n_tags = 0;
}

static void weigh(void *ctx, uint32_t sample, uint32_t node, int64_t weight, int64_t base,
                  bool flat)
{
    struct graph_tags *tags = ctx;
    uint32_t combination = tags->combination[sample];
    if (combination) {
        add_weight(tags, node, combination, 0, 0, weight, base, flat);
    }
    for (uint32_t i = tags->first_number[sample]; i < tags->first_number[sample + 1]; i++) {
        add_weight(tags, node, combination, tags->sample_numbers[i] + 1, tags->sample_values[i],
                   weight, base, flat);
    }
}

static int by_node(const void *left, const void *right)
{
    const struct graph_tag *a = left, *b = right;
    int order = (a->node > b->node) - (a->node < b->node);
    order = order ? order : (a->combination > b->combination) - (a->combination < b->combination);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

void graph_tags_link(struct graph_tags *tags, uint32_t n_nodes, int64_t cutoff)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < tags->n_tags; t++) {
        if (graph_abs(tags->tags[t].flat) >= cutoff || graph_abs(tags->tags[t].cum) >= cutoff) {
            tags->tags[kept++] = tags->tags[t];
        }
    }
    tags->n_tags = kept;
    if (kept > 0) {
        qsort(tags->tags, kept, sizeof *tags->tags, by_node);
    }
    free(tags->first);
    tags->first = memory_array((size_t)n_nodes + 1, sizeof *tags->first);
    tags->n_nodes = n_nodes;
    for (uint32_t n = 0, t = 0; n <= n_nodes; n++) {
        while (t < kept && tags->tags[t].node < n) {
            t++;
        }
        tags->first[n] = t;
    }
}

static void prepare_costs(void *ctx, uint32_t n_nodes, int64_t node_cutoff)
{
    graph_tags_link(ctx, n_nodes, node_cutoff);
}

enum { MOST_SHOWN = 4 };

static uint32_t cost(void *ctx, uint32_t node)
{
    const struct graph_tags *tags = ctx;
    uint32_t n = 0;
    for (uint32_t t = tags->first[node]; t < tags->first[node + 1] && n < MOST_SHOWN; t++) {
        n += tags->tags[t].flat != 0;
    }
    return n;
}

void graph_tags_listen(struct graph_tags *tags, struct graph_options *options)
{
    options->ctx = tags;
    options->count_begin = begin;
    options->count_weight = weigh;
    options->prepare_costs = prepare_costs;
    options->cost = cost;
}

void graph_tags_close(struct graph_tags *tags)
{
    for (uint32_t i = 0; i < tags->n_combinations; i++) {
        free(tags->combinations[i]);
    }
    for (uint32_t i = 0; i < tags->n_numbers; i++) {
        free(tags->numbers[i]);
    }
    key_table_free(&tags->table->known);
    free(tags->table);
    free(tags->combination);
    free(tags->first_number);
    free(tags->sample_numbers);
    free(tags->sample_values);
    free(tags->combinations);
    free(tags->numbers);
    free(tags->tags);
    free(tags->first);
    *tags = (struct graph_tags){0};
}
