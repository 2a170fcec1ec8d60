/* dwarf_lines.c - frames at an address, out of the index that dwarf_units.c makes. */
#include "dwarf_lines.h"
#include "dwarf_units.h"

#include <dwarf.h>
#include <stdlib.h>

struct dwarf_index *dwarf_index_open(Dwarf *dwarf, uint64_t bias)
{
    struct dwarf_index *index = calloc(1, sizeof *index);
    if (index == NULL) {
        return NULL;
    }
    arena_init(&index->arena, 0);
    index->dwarf = dwarf;
    index->bias = bias;
    if (!dwarf_units_scan(index)) {
        dwarf_index_close(index);
        return NULL;
    }
    return index;
}

void dwarf_index_close(struct dwarf_index *index)
{
    if (index != NULL) {
        arena_free(&index->arena);
        free(index);
    }
}

/* The innermost function with code at pc, or NULL. */
static struct dwarf_function *function_at(struct dwarf_unit *unit, uint64_t pc)
{
    uint32_t cursor = UINT32_MAX;
    uint32_t found = code_ranges_find(&unit->function_ranges, pc, &cursor);
    return found != UINT32_MAX ? &unit->functions[unit->function_ranges.ranges[found].item] : NULL;
}

static bool call_contains(const struct dwarf_function *function, const struct inlined_call *call,
                          uint64_t pc)
{
    for (uint32_t i = 0; i < call->n_ranges; i++) {
        const struct code_range *range = &function->call_ranges[call->first_range + i];
        if (pc >= range->low && pc < range->high) {
            return true;
        }
    }
    return false;
}

/* Inlined calls around pc, outermost first. */
static unsigned calls_at(const struct dwarf_function *function, uint64_t pc,
                         struct inlined_call *chain[SOURCE_FRAMES])
{
    uint32_t deepest = UINT32_MAX;
    unsigned n = 0;
    for (uint32_t i = 0; i < function->n_calls && n < SOURCE_FRAMES - 1; i++) {
        struct inlined_call *call = &function->calls[i];
        if (call->parent == deepest && call_contains(function, call, pc)) {
            chain[n++] = call;
            deepest = i;
        }
    }
    return n;
}

static int64_t number_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > INT32_MAX) {
        return 0;
    }
    return (int64_t)value;
}

/* Where an inlined call stands in its caller. */
static void set_call_place(struct dwarf_index *index, struct dwarf_unit *unit,
                           struct inlined_call *call, struct source_frame *frame)
{
    size_t n_files;
    if (unit->files == NULL && dwarf_getsrcfiles(&unit->die, &unit->files, &n_files) != 0) {
        unit->files = NULL;
    }
    Dwarf_Attribute attribute;
    Dwarf_Word file;
    frame->file = NULL;
    if (unit->files != NULL &&
        dwarf_formudata(dwarf_attr(&call->die, DW_AT_call_file, &attribute), &file) == 0) {
        frame->file = source_path(index, unit, dwarf_filesrc(unit->files, file, NULL, NULL));
    }
    frame->line = number_attribute(&call->die, DW_AT_call_line);
    frame->column = number_attribute(&call->die, DW_AT_call_column);
}

/* What the line table says of pc; false when nothing. */
static bool set_line(struct dwarf_index *index, struct dwarf_unit *unit, uint64_t pc,
                     struct source_frame *frame)
{
    *frame = (struct source_frame){0};
    Dwarf_Line *line = dwarf_getsrc_die(&unit->line_die, pc);
    if (line == NULL) {
        return false;
    }
    int number;
    if (dwarf_lineno(line, &number) == 0 && number > 0) {
        frame->line = number;
    }
    if (dwarf_linecol(line, &number) == 0 && number > 0) {
        frame->column = number;
    }
    frame->file = source_path(index, unit, dwarf_linesrc(line, NULL, NULL));
    return frame->file != NULL;
}

static unsigned frames_in_unit(struct dwarf_index *index, struct dwarf_unit *unit, uint64_t pc,
                               struct source_frame frames[SOURCE_FRAMES])
{
    bool opened = dwarf_unit_open(index, unit);
    bool has_line = set_line(index, unit, pc, &frames[0]);
    struct dwarf_function *function = NULL;
    if (opened) {
        for (int depth = FUNCTIONS_OUTER; depth <= FUNCTIONS_ALL && function == NULL; depth++) {
            dwarf_unit_functions(index, unit, (enum function_depth)depth);
            function = function_at(unit, pc);
        }
    }
    if (function == NULL) {
        return has_line ? 1 : 0;
    }
    dwarf_function_calls(index, function);
    struct inlined_call *chain[SOURCE_FRAMES];
    unsigned n = calls_at(function, pc, chain);
    for (unsigned i = 0; i < n; i++) {
        struct inlined_call *call = chain[n - 1 - i];
        if (!call->resolved) {
            call->resolved = true;
            call->callee = source_function_of(index, unit, &call->die);
        }
        frames[i].function = call->callee;
        set_call_place(index, unit, call, &frames[i + 1]);
    }
    if (!function->resolved) {
        function->resolved = true;
        function->source = source_function_of(index, unit, &function->die);
    }
    frames[n].function = function->source;
    return n + 1;
}

/* Units that do not say what they cover: what their functions cover. */
static void add_unranged(struct dwarf_index *index)
{
    index->has_unranged = false;
    for (uint32_t i = 0; i < index->n_units; i++) {
        struct dwarf_unit *unit = &index->units[i];
        if (dwarf_hasattr(&unit->line_die, DW_AT_ranges) ||
            dwarf_hasattr(&unit->line_die, DW_AT_high_pc) || !dwarf_unit_open(index, unit)) {
            continue;
        }
        dwarf_unit_functions(index, unit, FUNCTIONS_ALL);
        for (uint32_t k = 0; k < unit->function_ranges.n; k++) {
            const struct code_range *range = &unit->function_ranges.ranges[k];
            if (!code_ranges_add(&index->arena, &index->unit_ranges, range->low, range->high, i)) {
                break;
            }
        }
    }
    code_ranges_sort(&index->unit_ranges);
}

unsigned dwarf_index_find(struct dwarf_index *index, uint64_t address,
                          struct source_frame frames[SOURCE_FRAMES])
{
    uint64_t pc = address - index->bias;
    unsigned n = 0;
    for (int round = 0; round < 2; round++) {
        uint32_t cursor = UINT32_MAX, found;
        while ((found = code_ranges_find(&index->unit_ranges, pc, &cursor)) != UINT32_MAX) {
            struct source_frame here[SOURCE_FRAMES];
            unsigned n_here = frames_in_unit(
                index, &index->units[index->unit_ranges.ranges[found].item], pc, here);
            if (n_here > 0 && (n == 0 || here[n_here - 1].function != NULL)) {
                n = n_here;
                for (unsigned i = 0; i < n; i++) {
                    frames[i] = here[i];
                }
            }
            if (n > 0 && frames[n - 1].function != NULL) {
                return n;
            }
        }
        if (n > 0 || !index->has_unranged) {
            return n;
        }
        add_unranged(index);
    }
    return n;
}
