/* report_callgrind.c - for kcachegrind: pprof-spec 7.13. */
#include "report.h"

#include "key_table.h"
#include "report_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A table of names: `(N) text` at first use, `(N)` afterwards. */
struct name_table {
    struct key_table table;
    char **texts;
    uint32_t n;
    size_t room;
};

/* Several functions of one name in one file: which of them a node's is, and how many there are. */
struct namesakes {
    uint32_t *group, *number; /* by node; numbers from 1, 0 for nodes that are no rows */
    uint32_t *count;          /* by group */
};

static void print_name(FILE *out, const char *prefix, struct name_table *names, const char *text)
{
    if (!*text) {
        fprintf(out, "%s\n", prefix);
        return;
    }
    uint64_t hash = hash_bytes(hash_seed(), text, strlen(text));
    struct key_cursor at = key_table_at(&names->table, hash);
    uint32_t id;
    while ((id = key_table_next(&names->table, &at)) != KEY_NONE) {
        if (strcmp(names->texts[id], text) == 0) {
            fprintf(out, "%s(%u)\n", prefix, id + 1);
            return;
        }
    }
    MEMORY_ROOM(names->texts, names->n, names->room);
    names->texts[names->n] = memory_text(text, strlen(text));
    key_table_add(&names->table, hash, names->n++);
    fprintf(out, "%s(%u) %s\n", prefix, names->n, text);
}

static void free_names(struct name_table *names)
{
    for (uint32_t i = 0; i < names->n; i++) {
        free(names->texts[i]);
    }
    free(names->texts);
    key_table_free(&names->table);
}

static void print_address(FILE *out, const struct frame_info *before, uint64_t address)
{
    char absolute[24], relative[32];
    snprintf(absolute, sizeof absolute, "0x%" PRIx64, address);
    if (before && before->address == address) {
        fputs("*", out);
        return;
    }
    if (before) {
        snprintf(relative, sizeof relative, "%+" PRId64, (int64_t)(address - before->address));
        if (strlen(relative) < strlen(absolute)) {
            fputs(relative, out);
            return;
        }
    }
    fputs(absolute, out);
}

/* In a call tree functions under different callers are different ones. */
static uint32_t caller_of(const struct graph *g, uint32_t node, bool tree)
{
    if (!tree || g->in_first[node] == g->in_first[node + 1]) {
        return KEY_NONE;
    }
    return g->edges[g->in_edges[g->in_first[node]]].from;
}

static uint32_t intern_group(const struct report_rows *rows, struct key_table *table,
                             const uint32_t *first_row, uint32_t n_groups, uint32_t row)
{
    const struct graph *g = &rows->graph;
    const struct frame_info *info = &rows->frames.infos[g->nodes[g->order[row]].info];
    uint64_t hash = key_hash(key_hash(hash_seed(), info->name), info->file);
    struct key_cursor at = key_table_at(table, hash);
    uint32_t id;
    while ((id = key_table_next(table, &at)) != KEY_NONE) {
        const struct frame_info *other =
            &rows->frames.infos[g->nodes[g->order[first_row[id]]].info];
        if (other->name == info->name && other->file == info->file) {
            return id;
        }
    }
    key_table_add(table, hash, n_groups);
    return n_groups;
}

/* Numbers the functions of each name in the order of their first row. */
static void find_namesakes(const struct report_rows *rows, bool tree, struct namesakes *same)
{
    const struct graph *g = &rows->graph;
    struct key_table groups = {0}, functions = {0};
    uint32_t *first_row = memory_array(g->n_order, sizeof *first_row);
    uint32_t n_groups = 0;
    same->group = memory_array(g->n_nodes, sizeof *same->group);
    same->number = memory_array(g->n_nodes, sizeof *same->number);
    same->count = memory_array(g->n_order, sizeof *same->count);
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t node = g->order[i], caller = caller_of(g, node, tree), id;
        const struct frame_info *info = &rows->frames.infos[g->nodes[node].info];
        uint32_t group = intern_group(rows, &groups, first_row, n_groups, i);
        if (group == n_groups) {
            first_row[n_groups++] = i;
        }
        same->group[node] = group;
        uint64_t hash = key_hash(key_hash(hash_seed(), group), caller);
        hash = key_hash(key_hash(hash, (uint64_t)info->start_line), info->object);
        struct key_cursor at = key_table_at(&functions, hash);
        while ((id = key_table_next(&functions, &at)) != KEY_NONE) {
            const struct frame_info *other = &rows->frames.infos[g->nodes[id].info];
            if (same->group[id] == group && caller_of(g, id, tree) == caller &&
                other->start_line == info->start_line && other->object == info->object) {
                break;
            }
        }
        if (id == KEY_NONE) {
            same->number[node] = ++same->count[group];
            key_table_add(&functions, hash, node);
        } else {
            same->number[node] = same->number[id];
        }
    }
    free(first_row);
    key_table_free(&groups);
    key_table_free(&functions);
}

static int64_t scaled(const struct report *report, int64_t value)
{
    const char *unit;
    double figure = unit_scale(value, report->unit, report->output_unit, &unit);
    return figure >= -0x1p63 && figure < 0x1p63 ? (int64_t)figure : INT64_MIN;
}

int report_callgrind(struct report *report)
{
    struct report_rows rows;
    if (!report_rows_open(report, GRAPH_ALL_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
    }
    struct graph *g = &rows.graph;
    FILE *out = report->out;
    const struct profile *p = report->profile;
    struct name_table objects = {0}, files = {0}, names = {0};
    struct namesakes same;
    find_namesakes(&rows, report->options.call_tree, &same);
    fprintf(out, "positions: instr line\nevents: %s(%s)\n", report->type, report->output_unit);
    const struct frame_info *before = NULL;
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t n = g->order[i];
        const struct frame_info *info = &rows.frames.infos[g->nodes[n].info];
        if (!before || before->object != info->object || before->file != info->file ||
            before->name != info->name) {
            fputc('\n', out);
            print_name(out, "ob=", &objects, profile_text(p, info->object));
            print_name(out, "fl=", &files, profile_text(p, info->file));
            print_name(out, "fn=", &names, profile_text(p, info->name));
        }
        print_address(out, before, info->address);
        fprintf(out, " %" PRId64 " %" PRId64 "\n", info->line,
                scaled(report, graph_flat(&g->nodes[n])));
        uint32_t *edges = g->out_edges + g->out_first[n];
        uint32_t n_edges = graph_sort_edges(g, edges, g->out_first[n + 1] - g->out_first[n]);
        for (uint32_t k = 0; k < n_edges; k++) {
            const struct graph_edge *edge = &g->edges[edges[k]];
            const struct frame_info *callee = &rows.frames.infos[g->nodes[edge->to].info];
            const char *name = profile_text(p, callee->name);
            char *numbered = NULL;
            if (same.number[edge->to] == 0) {
                name = "";
            } else if (same.count[same.group[edge->to]] > 1) {
                name = numbered = memory_print("%s [%u/%u]", name, same.number[edge->to],
                                               same.count[same.group[edge->to]]);
            }
            print_name(out, "cfl=", &files, profile_text(p, callee->file));
            print_name(out, "cfn=", &names, name);
            free(numbered);
            fputs("calls=0 ", out);
            print_address(out, before, callee->address);
            fprintf(out, " %" PRId64 "\n* * %" PRId64 "\n", callee->line,
                    scaled(report, edge->weight));
        }
        before = info;
    }
    free_names(&objects);
    free_names(&files);
    free_names(&names);
    free(same.group);
    free(same.number);
    free(same.count);
    report_rows_close(&rows);
    return STATUS_FINE;
}
