/* dwarf_units.h - inside of dwarf_lines.h: units, functions and inlined calls as sorted arrays.
 *
 * Memory comes from the index's arena. Not thread-safe.
 */
#ifndef APPROF_DWARF_UNITS_H
#define APPROF_DWARF_UNITS_H

#include "arena.h"
#include "dwarf_lines.h"

/* [low, high) belongs to item. Arrays of these are sorted by low; reach is the largest high up to
 * and including this entry, which ends searches in arrays whose ranges overlap. */
struct code_range {
    uint64_t low, high, reach;
    uint32_t item;
};

struct code_ranges {
    struct code_range *ranges;
    uint32_t n, room;
    bool sorted;
};

/* An inlined call in a function; calls are in preorder, so that parents come before children. */
struct inlined_call {
    Dwarf_Die die;
    uint32_t parent;                /* index, or UINT32_MAX for the function itself */
    uint32_t first_range, n_ranges; /* into dwarf_function.call_ranges */
    const struct source_function *callee;
    bool resolved;
};

struct dwarf_function {
    Dwarf_Die die;
    const struct source_function *source;
    bool resolved;
    bool has_calls; /* the three below are made */
    struct inlined_call *calls;
    struct code_range *call_ranges;
    uint32_t n_calls, n_call_ranges;
};

/* Where functions of a unit are looked for; further in only when an address asks for it. */
enum function_depth {
    FUNCTIONS_NOWHERE,
    FUNCTIONS_OUTER,  /* at its own level and in namespaces */
    FUNCTIONS_NESTED, /* in others and in types: lambdas, methods of local classes */
    FUNCTIONS_ALL,    /* in inlined calls too */
};

struct dwarf_unit {
    Dwarf_Die line_die; /* has the line table: the skeleton of a split unit, or the unit itself */
    Dwarf_Die die;      /* has the functions */
    bool opened;        /* die is set */
    enum function_depth has_functions; /* how deep they were looked for */
    bool has_scopes;
    const char *directory; /* of the compilation, or "" */
    Dwarf_Files *files;
    struct dwarf_function *functions;
    uint32_t n_functions, functions_room;
    struct code_ranges function_ranges;
    struct scope_map *scopes; /* dwarf_names.c */
};

struct dwarf_index {
    struct arena arena;
    Dwarf *dwarf;
    uint64_t bias;
    struct dwarf_unit *units;
    uint32_t n_units, units_room;
    struct code_ranges unit_ranges;
    bool has_unranged; /* some units do not say what they cover */
    struct source_function_table {
        const void **keys;
        struct source_function **values; /* each for itself, so that pointers last */
        uint32_t n, size;                /* size is a power of two */
    } known;
};

bool code_ranges_add(struct arena *arena, struct code_ranges *ranges, uint64_t low, uint64_t high,
                     uint32_t item);
void code_ranges_sort(struct code_ranges *ranges);
/* The range that contains address, searched backwards from *cursor (start with UINT32_MAX), which
 * is set to go on with; the innermost come first. UINT32_MAX when there is none left. */
uint32_t code_ranges_find(const struct code_ranges *ranges, uint64_t address, uint32_t *cursor);

/* All units and what they cover. */
bool dwarf_units_scan(struct dwarf_index *index);
/* Makes die, directory and language of a unit known; false if its split part is not there. */
bool dwarf_unit_open(struct dwarf_index *index, struct dwarf_unit *unit);
/* Functions with code, looked for at least so deep. */
void dwarf_unit_functions(struct dwarf_index *index, struct dwarf_unit *unit,
                          enum function_depth depth);
void dwarf_function_calls(struct dwarf_index *index, struct dwarf_function *function);

/* dwarf_names.c: what a function, out of line or inlined, is called. NULL when out of memory. */
const struct source_function *source_function_of(struct dwarf_index *index, struct dwarf_unit *unit,
                                                 Dwarf_Die *die);
/* An absolute path, from a unit's directory where it is relative. */
const char *source_path(struct dwarf_index *index, const struct dwarf_unit *unit, const char *file);

#endif
