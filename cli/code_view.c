/* code_view.c - see code_view.h. */
#include "code_view.h"

#include "demangle.h"
#include "memory.h"
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64 * 1024 };

static struct symbol_module *module_of(struct code_view *view, const char *symbol_path,
                                       const struct profile_mapping *mapping)
{
    const struct profile *p = view->report->profile;
    const char *build_id = profile_text(p, mapping->build_id);
    char path[SYMBOLIZE_PATH_ROOM];
    if (!symbolize_mapping_file(p, mapping, path)) {
        return NULL;
    }
    struct symbol_module *module = view->modules;
    for (; module; module = module->next) {
        if (strcmp(module->path, path) == 0 && strcmp(module->build_id, build_id) == 0) {
            return module;
        }
    }
    struct debug_file_request request = {
        .path = path, .build_id = build_id, .symbol_path = symbol_path};
    module = symbol_module_open(&request);
    if (module) {
        module->next = view->modules;
        view->modules = module;
        if (!module->file) {
            view->n_missing++;
            view->missing = module->path;
        }
    }
    return module;
}

static int by_place(const void *left, const void *right)
{
    const struct code_sample *a = left, *b = right;
    if (a->module != b->module) {
        return (uintptr_t)a->module < (uintptr_t)b->module ? -1 : 1;
    }
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return (a->node > b->node) - (a->node < b->node);
}

static void find_samples(struct code_view *view)
{
    const struct profile *p = view->report->profile;
    char *own_path = NULL;
    const char *symbol_path = symbolize_search_path(view->report->options.symbol_path, &own_path);
    bool *seen = memory_array(view->frames.n_infos, sizeof *seen);
    view->samples = memory_array(p->n_locations, sizeof *view->samples);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        const struct profile_location *location = &p->locations[l];
        uint32_t node = FRAME_INFO(view->frames.frames[view->frames.first[l]]);
        uint64_t address;
        if (seen[node] || !view->graph.nodes[node].listed || location->mapping == PROFILE_NONE) {
            continue;
        }
        const struct profile_mapping *mapping = &p->mappings[location->mapping];
        struct symbol_module *module = module_of(view, symbol_path, mapping);
        if (module && module->file &&
            debug_file_address(module->file, mapping->start, mapping->limit, mapping->offset,
                               location->address, &address)) {
            seen[node] = true;
            view->samples[view->n_samples++] = (struct code_sample){module, address, node};
        }
    }
    qsort(view->samples, view->n_samples, sizeof *view->samples, by_place);
    free(seen);
    free(own_path);
}

static char *readable_name(const struct report *report, const char *linkage_name)
{
    char *name = memory_array(NAME_ROOM, 1);
    if (report->go119 || !demangle(linkage_name, DEMANGLE_DEFAULT, name, NAME_ROOM)) {
        free(name);
        return memory_text(linkage_name, strlen(linkage_name));
    }
    return memory_resize(name, strlen(name) + 1, 1);
}

static void find_symbols(struct code_view *view)
{
    size_t room = 0;
    struct code_symbol *last = NULL;
    for (uint32_t i = 0; i < view->n_samples; i++) {
        struct code_sample *sample = &view->samples[i];
        uint64_t start, end;
        if (!last || last->module != sample->module || sample->address >= last->end) {
            const char *name =
                debug_file_symbol_range(sample->module->file, sample->address, &start, &end);
            if (!name || sample->address >= end) {
                last = NULL;
                continue;
            }
            MEMORY_ROOM(view->symbols, view->n_symbols, room);
            last = &view->symbols[view->n_symbols++];
            *last = (struct code_symbol){.module = sample->module,
                                         .start = start,
                                         .end = end,
                                         .linkage_name = name,
                                         .name = readable_name(view->report, name),
                                         .first = i};
        }
        const struct graph_node *node = &view->graph.nodes[sample->node];
        last->n = i + 1 - last->first;
        last->flat = (int64_t)((uint64_t)last->flat + (uint64_t)node->flat);
        last->cum = (int64_t)((uint64_t)last->cum + (uint64_t)node->cum);
        if (view->report->options.ci) {
            last->cum_variance += view->intervals.cum[sample->node];
        }
    }
}

/* pprof adds up instructions, so that a recursion counts several times: see report_list.c. */
static void count_symbols_once(struct code_view *view)
{
    const struct profile *p = view->report->profile;
    uint32_t *symbol_of = memory_array(view->frames.n_infos, sizeof *symbol_of); /* + 1 */
    for (uint32_t k = 0; k < view->n_symbols; k++) {
        struct code_symbol *symbol = &view->symbols[k];
        symbol->cum = 0;
        symbol->cum_variance = 0;
        for (uint32_t i = 0; i < symbol->n; i++) {
            symbol_of[view->samples[symbol->first + i].node] = k + 1;
        }
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        int64_t weight = p->values[(size_t)s * p->n_sample_types + view->report->value_index];
        for (uint32_t i = 0; i < p->samples[s].n_locations; i++) {
            uint32_t l = p->sample_locations[p->samples[s].first_location + i];
            uint32_t k = symbol_of[FRAME_INFO(view->frames.frames[view->frames.first[l]])];
            if (k && view->symbols[k - 1].stamp != s + 1) {
                struct code_symbol *symbol = &view->symbols[k - 1];
                symbol->stamp = s + 1;
                symbol->cum = (int64_t)((uint64_t)symbol->cum + (uint64_t)weight);
                if (view->report->options.ci) {
                    symbol->cum_variance += view->intervals.samples[s];
                }
            }
        }
    }
    free(symbol_of);
}

bool code_view_open(struct report *report, struct code_view *view)
{
    struct graph_options options;
    enum granularity granularity = report->granularity;
    bool no_inlines = report->options.noinlines;
    *view = (struct code_view){.report = report};
    report->granularity = GRANULARITY_ADDRESSES;
    report->options.noinlines = true;
    bool fine = report_frames(report, &view->frames);
    report->granularity = granularity;
    report->options.noinlines = no_inlines;
    if (fine && report->options.ci) {
        fine = intervals_open(report, &view->frames, report->value_index, &view->intervals);
        if (!fine) {
            frames_free(&view->frames);
        }
    }
    if (!fine) {
        return false;
    }
    report_graph_options(report, &options);
    options.edges = GRAPH_NO_EDGES;
    options.node_count = 0;
    graph_build_all(&view->graph, &view->frames, &options);
    find_samples(view);
    find_symbols(view);
    if (!report->go119) {
        count_symbols_once(view);
    }
    return true;
}

void code_view_close(struct code_view *view)
{
    for (uint32_t k = 0; k < view->n_symbols; k++) {
        free(view->symbols[k].name);
    }
    while (view->modules) {
        struct symbol_module *module = view->modules;
        view->modules = module->next;
        symbol_module_close(module);
    }
    free(view->symbols);
    free(view->samples);
    intervals_close(&view->intervals);
    graph_free(&view->graph);
    frames_free(&view->frames);
}

uint32_t code_view_weigh(const struct code_view *view, const struct code_symbol *symbol, uint32_t i,
                         uint64_t end, struct code_weight *weight)
{
    *weight = (struct code_weight){.node = UINT32_MAX};
    for (; i < symbol->first + symbol->n && view->samples[i].address < end; i++) {
        uint32_t n = view->samples[i].node;
        const struct graph_node *node = &view->graph.nodes[n];
        weight->flat = (int64_t)((uint64_t)weight->flat + (uint64_t)node->flat);
        weight->cum = (int64_t)((uint64_t)weight->cum + (uint64_t)node->cum);
        weight->node = weight->node == UINT32_MAX ? n : weight->node;
        if (view->report->options.ci) {
            weight->cum_variance += view->intervals.cum[n];
        }
    }
    return i;
}

enum disassembly_fault code_view_disassemble(const struct code_view *view,
                                             const struct symbol_module *module,
                                             const struct address_range *ranges, size_t n,
                                             struct disassembly *out, char *error, size_t room)
{
    struct address_range *apart = memory_array(n, sizeof *apart);
    size_t n_apart = 0;
    for (size_t i = 0; i < n; i++) {
        if (n_apart && ranges[i].start < apart[n_apart - 1].end) {
            if (ranges[i].end > apart[n_apart - 1].end) {
                apart[n_apart - 1].end = ranges[i].end;
            }
        } else {
            apart[n_apart++] = ranges[i];
        }
    }
    struct disassembly_request request = {.path = debug_file_path(module->file),
                                          .ranges = apart,
                                          .n_ranges = n_apart,
                                          .tools = view->report->options.tools,
                                          .intel_syntax = view->report->options.intel_syntax};
    enum disassembly_fault fault = disassembly_read(&request, out, error, room);
    free(apart);
    return fault;
}
