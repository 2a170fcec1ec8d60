/* listing_code.c - see listing_code.h. */
#include "listing_code.h"

#include "demangle.h"
#include "memory.h"
#include "paths.h"

#include <stdlib.h>
#include <string.h>

enum {
    WHOLE_SYMBOL = 64 * 1024, /* up to this size; else what is near to weight */
    NEAR_WEIGHT = 512,
    MOST_CODE = 1 << 20, /* bytes in all, what weighs most first */
    NAME_ROOM = 64 * 1024,
};

/* Symbols with a sample whose frames are of a listed function, the heaviest first. */
static uint32_t *choose_symbols(const struct listing *listing, const struct code_view *view,
                                uint32_t *n)
{
    const struct profile *p = view->report->profile;
    bool *listed = memory_array(p->n_strings, sizeof *listed); /* names of functions */
    bool *wanted = memory_array(view->frames.n_infos, sizeof *wanted);
    for (uint32_t r = 0; r < listing->n_routines; r++) {
        listed[listing->routines[r].name] = true;
    }
    for (uint32_t l = 0; l < p->n_locations; l++) {
        const struct profile_location *location = &p->locations[l];
        for (uint32_t i = 0; i < location->n_lines; i++) {
            const struct profile_line *line = &p->lines[location->first_line + i];
            if (listed[p->functions[line->function].name]) {
                wanted[FRAME_INFO(view->frames.frames[view->frames.first[l]])] = true;
            }
        }
    }
    uint32_t *chosen = memory_array(view->n_symbols, sizeof *chosen);
    *n = 0;
    for (uint32_t k = 0; k < view->n_symbols; k++) {
        const struct code_symbol *symbol = &view->symbols[k];
        bool any = false;
        for (uint32_t i = symbol->first; i < symbol->first + symbol->n && !any; i++) {
            any = wanted[view->samples[i].node];
        }
        if (any) {
            chosen[(*n)++] = k;
        }
    }
    free(listed);
    free(wanted);
    return chosen;
}

static int by_weight(const void *left, const void *right, void *ctx)
{
    const struct code_view *view = ctx;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int64_t x = graph_abs(view->symbols[a].cum), y = graph_abs(view->symbols[b].cum);
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static int by_index(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

struct range_list {
    struct address_range *ranges;
    size_t n, room;
};

static void add_range(struct range_list *list, uint64_t start, uint64_t end)
{
    MEMORY_ROOM(list->ranges, list->n, list->room);
    list->ranges[list->n++] = (struct address_range){start, end};
}

/* The parts of a symbol that are shown; how many bytes these are. */
static uint64_t add_ranges(const struct code_view *view, const struct code_symbol *symbol,
                           struct range_list *list)
{
    if (symbol->end - symbol->start <= WHOLE_SYMBOL) {
        add_range(list, symbol->start, symbol->end);
        return symbol->end - symbol->start;
    }
    for (uint32_t i = symbol->first; i < symbol->first + symbol->n; i++) {
        uint64_t at = view->samples[i].address;
        uint64_t start = at - symbol->start > NEAR_WEIGHT ? at - NEAR_WEIGHT : symbol->start;
        uint64_t end = symbol->end - at > NEAR_WEIGHT ? at + NEAR_WEIGHT : symbol->end;
        add_range(list, start, end);
    }
    return (uint64_t)symbol->n * 2 * NEAR_WEIGHT;
}

/* The heaviest that fit, in the view's order. */
static uint32_t take_heaviest(struct code_view *view, uint32_t *chosen, uint32_t n)
{
    uint64_t bytes = 0;
    uint32_t taken = 0;
    qsort_r(chosen, n, sizeof *chosen, by_weight, view);
    for (; taken < n && bytes < MOST_CODE; taken++) {
        const struct code_symbol *symbol = &view->symbols[chosen[taken]];
        uint64_t size = symbol->end - symbol->start;
        bytes += size <= WHOLE_SYMBOL ? size : (uint64_t)symbol->n * 2 * NEAR_WEIGHT;
    }
    qsort(chosen, taken, sizeof *chosen, by_index);
    return taken;
}

static void add_rows(struct listing_code *code, const struct code_symbol *symbol,
                     const struct disassembly *instructions, size_t *room)
{
    uint32_t sample = symbol->first;
    for (size_t i = disassembly_find(instructions, symbol->start);
         i < instructions->n && instructions->instructions[i].address < symbol->end; i++) {
        const struct machine_instruction *instruction = &instructions->instructions[i];
        uint64_t next = i + 1 < instructions->n ? instruction[1].address : UINT64_MAX;
        struct code_row row = {.instruction = instruction};
        sample = code_view_weigh(&code->view, symbol, sample, next, &row.weight);
        row.answer = symbol_module_find(symbol->module, instruction->address, true);
        if (row.answer && row.answer->n_frames > 0) {
            MEMORY_ROOM(code->rows, code->n_rows, *room);
            code->rows[code->n_rows++] = row;
        }
    }
}

static bool read_rows(const struct listing *listing, struct listing_code *code)
{
    struct code_view *view = &code->view;
    char error[256];
    uint32_t n;
    size_t room = 0;
    enum disassembly_fault fault = DISASSEMBLY_FINE;
    uint32_t *chosen = choose_symbols(listing, view, &n);
    n = take_heaviest(view, chosen, n);
    code->code = memory_array(n, sizeof *code->code);
    for (uint32_t i = 0, next; i < n && fault == DISASSEMBLY_FINE; i = next) {
        struct range_list list = {0};
        struct symbol_module *module = view->symbols[chosen[i]].module;
        for (next = i; next < n && view->symbols[chosen[next]].module == module; next++) {
            add_ranges(view, &view->symbols[chosen[next]], &list);
        }
        struct disassembly *instructions = &code->code[code->n_code++];
        fault = code_view_disassemble(view, module, list.ranges, list.n, instructions, error,
                                      sizeof error);
        free(list.ranges);
        if (fault == DISASSEMBLY_FAILED) {
            code->absent = memory_print("objdump %s", error);
        } else if (fault == DISASSEMBLY_NO_TOOL) {
            code->absent = memory_print("%s", error);
        }
        for (uint32_t k = i; k < next && fault == DISASSEMBLY_FINE; k++) {
            add_rows(code, &view->symbols[chosen[k]], instructions, &room);
        }
    }
    free(chosen);
    return fault == DISASSEMBLY_FINE;
}

/* A function's name as profiles have it: see symbol_lines.c. */
static const char *shown_name(const struct source_function *function, char *text)
{
    if (function->linkage_name &&
        demangle(function->linkage_name, DEMANGLE_DEFAULT, text, NAME_ROOM)) {
        return text;
    }
    const char *name = function->linkage_name ? function->linkage_name : function->name;
    snprintf(text, NAME_ROOM, "%s", name ? name : "");
    if (function->has_scopes) {
        demangle_cut_arguments(text);
    }
    return text;
}

/* The routines of a function of the debug information, kept by the function. */
struct routine_memo {
    const struct source_function *function;
    uint32_t first, n; /* routines are sorted by name */
};

static struct routine_memo find_routines(const struct listing *listing,
                                         const struct source_function *function, char *text)
{
    const struct profile *p = listing->report->profile;
    const char *name = shown_name(function, text);
    struct routine_memo memo = {.function = function};
    uint32_t low = 0, high = listing->n_routines;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(profile_text(p, listing->routines[middle].name), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memo.first = low;
    while (low < listing->n_routines &&
           strcmp(profile_text(p, listing->routines[low].name), name) == 0) {
        low++;
    }
    memo.n = low - memo.first;
    return memo;
}

static int by_line(const void *left, const void *right)
{
    const struct line_code *a = left, *b = right;
    if (a->routine != b->routine) {
        return a->routine < b->routine ? -1 : 1;
    }
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    return a->row != b->row ? (a->row < b->row ? -1 : 1)
                            : (a->depth > b->depth) - (a->depth < b->depth);
}

static void place_rows(const struct listing *listing, struct listing_code *code)
{
    enum { KEPT = 1024 };
    const struct profile *p = listing->report->profile;
    struct routine_memo *kept = memory_array(KEPT, sizeof *kept);
    char *text = memory_array(NAME_ROOM, 1);
    size_t room = 0;
    for (uint32_t i = 0; i < code->n_rows; i++) {
        const struct code_answer *answer = code->rows[i].answer;
        for (uint32_t depth = 0; depth < answer->n_frames; depth++) {
            const struct source_frame *frame = &answer->frames[depth];
            if (!frame->function || !frame->file) {
                continue;
            }
            struct routine_memo *memo = &kept[((uintptr_t)frame->function >> 4) % KEPT];
            if (memo->function != frame->function) {
                *memo = find_routines(listing, frame->function, text);
            }
            for (uint32_t r = memo->first; r < memo->first + memo->n; r++) {
                /* The same file may be known by another path, where others symbolized. */
                const char *file = profile_text(p, listing->routines[r].file);
                if (strcmp(path_base(file), path_base(frame->file)) == 0) {
                    MEMORY_ROOM(code->lines, code->n_lines, room);
                    code->lines[code->n_lines++] = (struct line_code){
                        .routine = r, .line = frame->line, .row = i, .depth = depth};
                }
            }
        }
    }
    if (code->n_lines > 0) {
        qsort(code->lines, code->n_lines, sizeof *code->lines, by_line);
    }
    free(text);
    free(kept);
}

bool listing_code_open(const struct listing *listing, struct listing_code *code)
{
    *code = (struct listing_code){0};
    if (!code_view_open(listing->report, &code->view)) {
        return false;
    }
    if (read_rows(listing, code)) {
        place_rows(listing, code);
    }
    if (code->n_lines == 0 && !code->absent) {
        code->absent = code->view.missing
                           ? memory_print("%s is not here, or is another build", code->view.missing)
                           : memory_print("no binary with debug information");
    }
    return true;
}

void listing_code_close(struct listing_code *code)
{
    for (uint32_t i = 0; i < code->n_code; i++) {
        disassembly_free(&code->code[i]);
    }
    free(code->code);
    free(code->rows);
    free(code->lines);
    free(code->absent);
    code_view_close(&code->view);
}

uint32_t listing_code_find(const struct listing_code *code, uint32_t routine, int64_t line,
                           uint32_t *n)
{
    uint32_t low = 0, high = code->n_lines;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct line_code *at = &code->lines[middle];
        if (at->routine < routine || (at->routine == routine && at->line < line)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *n = 0;
    while (low + *n < code->n_lines && code->lines[low + *n].routine == routine &&
           code->lines[low + *n].line == line) {
        ++*n;
    }
    return low;
}
