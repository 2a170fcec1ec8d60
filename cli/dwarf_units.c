/* dwarf_units.c - which unit, function and inlined calls cover an address. */
#include "dwarf_units.h"

#include "sorted.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 256, /* nesting of DIEs that is followed */
    MOST_RANGES = 1 << 24,
    MOST_CALLS = 1 << 20 /* inlined calls of one function */
};

bool code_ranges_add(struct arena *arena, struct code_ranges *ranges, uint64_t low, uint64_t high,
                     uint32_t item)
{
    if (low >= high || ranges->n >= MOST_RANGES) {
        return true;
    }
    if (ranges->n == ranges->room) {
        uint32_t room = ranges->room != 0 ? 2 * ranges->room : 16;
        void *grown = arena_grow(arena, ranges->ranges, ranges->room * sizeof(struct code_range),
                                 room * sizeof(struct code_range));
        if (grown == NULL) {
            return false;
        }
        ranges->ranges = grown;
        ranges->room = room;
    }
    ranges->ranges[ranges->n++] = (struct code_range){.low = low, .high = high, .item = item};
    ranges->sorted = false;
    return true;
}

/* Of equal starts the wider first, so that a search backwards meets the innermost first. */
static int by_low(const void *a, const void *b)
{
    const struct code_range *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high > y->high ? -1 : 1;
    }
    return x->item < y->item ? -1 : x->item > y->item;
}

void code_ranges_sort(struct code_ranges *ranges)
{
    if (ranges->sorted || ranges->n == 0) {
        return;
    }
    qsort(ranges->ranges, ranges->n, sizeof *ranges->ranges, by_low);
    uint64_t reach = 0;
    for (uint32_t i = 0; i < ranges->n; i++) {
        if (ranges->ranges[i].high > reach) {
            reach = ranges->ranges[i].high;
        }
        ranges->ranges[i].reach = reach;
    }
    ranges->sorted = true;
}

uint32_t code_ranges_find(const struct code_ranges *ranges, uint64_t address, uint32_t *cursor)
{
    uint32_t i = *cursor;
    if (i == UINT32_MAX) {
        i = (uint32_t)SORTED_FIRST_BEHIND(ranges->ranges, ranges->n, low, address);
    }
    while (i > 0 && ranges->ranges[i - 1].reach > address) {
        i--;
        if (ranges->ranges[i].high > address) {
            *cursor = i;
            return i;
        }
    }
    *cursor = 0;
    return UINT32_MAX;
}

/* Adds the code of a DIE; *any tells whether it has some. */
static bool add_die_ranges(struct arena *arena, struct code_ranges *ranges, Dwarf_Die *die,
                           uint32_t item, bool *any)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    for (uint32_t n = 0; n < MOST_RANGES; n++) {
        offset = dwarf_ranges(die, offset, &base, &low, &high);
        if (offset <= 0) {
            break;
        }
        /* Linkers leave the ranges of removed code at 0, 1 or the top. */
        if (low > 1 && low < high && high < UINT64_MAX - 1) {
            *any = true;
            if (!code_ranges_add(arena, ranges, low, high, item)) {
                return false;
            }
        }
    }
    return true;
}

bool dwarf_units_scan(struct dwarf_index *index)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;
    while (dwarf_get_units(index->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton) {
            continue;
        }
        if (index->n_units == index->units_room) {
            uint32_t room = index->units_room != 0 ? 2 * index->units_room : 64;
            void *grown =
                arena_grow(&index->arena, index->units, index->units_room * sizeof *index->units,
                           room * sizeof *index->units);
            if (grown == NULL) {
                return false;
            }
            index->units = grown;
            index->units_room = room;
        }
        struct dwarf_unit *unit = &index->units[index->n_units];
        *unit = (struct dwarf_unit){.line_die = die};
        bool any = false;
        if (!add_die_ranges(&index->arena, &index->unit_ranges, &die, index->n_units, &any)) {
            return false;
        }
        index->has_unranged |=
            !any && !dwarf_hasattr(&die, DW_AT_ranges) && !dwarf_hasattr(&die, DW_AT_high_pc);
        index->n_units++;
    }
    code_ranges_sort(&index->unit_ranges);
    return true;
}

/* Languages whose functions live in scopes; their DWARF has linkage names, nearly always. */
static bool language_has_scopes(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x002b: /* C++17 */
    case 0x002c: /* C++20 */
    case DW_LANG_Rust:
    case DW_LANG_D:
    case 0x0027: /* Zig */
        return true;
    default:
        return false;
    }
}

bool dwarf_unit_open(struct dwarf_index *index, struct dwarf_unit *unit)
{
    (void)index;
    if (unit->opened) {
        return unit->die.addr != NULL;
    }
    unit->opened = true;
    uint8_t type;
    Dwarf_Die split = {0};
    Dwarf_Attribute attribute;
    unit->directory = dwarf_formstring(dwarf_attr(&unit->line_die, DW_AT_comp_dir, &attribute));
    if (unit->directory == NULL) {
        unit->directory = "";
    }
    if (dwarf_cu_info(unit->line_die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) != 0) {
        return false;
    }
    if (type == DW_UT_skeleton) {
        if (split.addr == NULL || split.cu == NULL) {
            return false; /* the .dwo file is gone; lines are still here */
        }
        unit->die = split;
    } else {
        unit->die = unit->line_die;
    }
    unit->has_scopes = language_has_scopes(&unit->die);
    return true;
}

static bool add_function(struct dwarf_index *index, struct dwarf_unit *unit, Dwarf_Die *die)
{
    bool any = false;
    if (!add_die_ranges(&index->arena, &unit->function_ranges, die, unit->n_functions, &any)) {
        return false;
    }
    if (!any) {
        return true;
    }
    if (unit->n_functions == unit->functions_room) {
        uint32_t room = unit->functions_room != 0 ? 2 * unit->functions_room : 32;
        void *grown = arena_grow(&index->arena, unit->functions,
                                 unit->functions_room * sizeof *unit->functions,
                                 room * sizeof *unit->functions);
        if (grown == NULL) {
            return false;
        }
        unit->functions = grown;
        unit->functions_room = room;
    }
    unit->functions[unit->n_functions++] = (struct dwarf_function){.die = *die};
    return true;
}

/* Whether functions with code may lie inside such a DIE. */
static bool may_hold_functions(int tag, enum function_depth where)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        return where >= FUNCTIONS_NESTED;
    case DW_TAG_inlined_subroutine:
        return where >= FUNCTIONS_ALL;
    default:
        return false;
    }
}

static bool add_functions_in(struct dwarf_index *index, struct dwarf_unit *unit, Dwarf_Die *parent,
                             enum function_depth where, unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEEPEST || dwarf_child(parent, &child) != 0) {
        return true;
    }
    do {
        int tag = dwarf_tag(&child);
        /* Most are declarations of methods: no code, and nothing inside but parameters. */
        if (tag == DW_TAG_subprogram && dwarf_hasattr(&child, DW_AT_declaration)) {
            continue;
        }
        if (tag == DW_TAG_subprogram && !add_function(index, unit, &child)) {
            return false;
        }
        if (may_hold_functions(tag, where) &&
            !add_functions_in(index, unit, &child, where, depth + 1)) {
            return false;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

void dwarf_unit_functions(struct dwarf_index *index, struct dwarf_unit *unit,
                          enum function_depth depth)
{
    if (unit->has_functions >= depth) {
        return;
    }
    unit->has_functions = depth;
    unit->n_functions = 0;
    unit->function_ranges.n = 0;
    add_functions_in(index, unit, &unit->die, depth, 0);
    code_ranges_sort(&unit->function_ranges);
}

struct call_builder {
    struct dwarf_index *index;
    struct dwarf_function *function;
    uint32_t room;
    struct code_ranges ranges;
};

static bool add_calls_in(struct call_builder *builder, Dwarf_Die *parent_die, uint32_t parent,
                         unsigned depth)
{
    Dwarf_Die child;
    struct dwarf_function *function = builder->function;
    struct arena *arena = &builder->index->arena;
    if (depth >= DEEPEST || dwarf_child(parent_die, &child) != 0) {
        return true;
    }
    do {
        uint32_t here = parent;
        switch (dwarf_tag(&child)) {
        case DW_TAG_inlined_subroutine: {
            uint32_t first = builder->ranges.n;
            bool any = false;
            if (!add_die_ranges(arena, &builder->ranges, &child, function->n_calls, &any)) {
                return false;
            }
            if (!any) {
                continue;
            }
            if (function->n_calls == builder->room) {
                uint32_t room = builder->room != 0 ? 2 * builder->room : 8;
                void *grown = room <= MOST_CALLS
                                  ? arena_grow(arena, function->calls,
                                               builder->room * sizeof *function->calls,
                                               room * sizeof *function->calls)
                                  : NULL;
                if (grown == NULL) {
                    return false;
                }
                function->calls = grown;
                builder->room = room;
            }
            here = function->n_calls++;
            function->calls[here] = (struct inlined_call){.die = child,
                                                          .parent = parent,
                                                          .first_range = first,
                                                          .n_ranges = builder->ranges.n - first};
            break;
        }
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_with_stmt:
            break;
        default:
            continue;
        }
        if (!add_calls_in(builder, &child, here, depth + 1)) {
            return false;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

void dwarf_function_calls(struct dwarf_index *index, struct dwarf_function *function)
{
    if (function->has_calls) {
        return;
    }
    function->has_calls = true;
    struct call_builder builder = {.index = index, .function = function};
    add_calls_in(&builder, &function->die, UINT32_MAX, 0);
    function->call_ranges = builder.ranges.ranges;
    function->n_call_ranges = builder.ranges.n;
}
