/* dwarf_names.c - names, files and lines of functions.
 *
 * A function that is inlined often is asked for often: answers are kept by the DIE that the others
 * come from. Where C++ DWARF has no linkage name (lambdas, functions in functions) the name is put
 * together from the scopes around the DIE.
 */
#include "dwarf_units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_ORIGIN_CHAIN = 16,
    DEEPEST_SCOPE = 256,
    MOST_SCOPES = 1 << 22,
    LONGEST_NAME = 4096,
    LONGEST_PATH = 4096
};

/* Scopes and the functions in them, in the order of the DIEs, which is that of their addresses. */
struct scope {
    Dwarf_Die die;
    uint32_t parent; /* UINT32_MAX at the unit's own level */
};

struct scope_map {
    struct scope *scopes;
    uint32_t n, room;
};

const char *source_path(struct dwarf_index *index, const struct dwarf_unit *unit, const char *file)
{
    if (file == NULL || *file == 0 || strcmp(file, "???") == 0) {
        return NULL;
    }
    const char *parts[2] = {*file != '/' ? unit->directory : "", file};
    size_t room = strlen(parts[0]) + strlen(parts[1]) + 2;
    if (room > LONGEST_PATH) {
        return NULL;
    }
    char *path = arena_alloc(&index->arena, room);
    if (path == NULL) {
        return NULL;
    }
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        if (n > 0 && path[n - 1] != '/') {
            path[n++] = '/';
        }
        for (const char *from = parts[i]; *from != 0; from++) {
            bool after_slash = n > 0 && path[n - 1] == '/';
            if (after_slash && from[0] == '/') {
                continue;
            }
            if (after_slash && from[0] == '.' && (from[1] == '/' || from[1] == 0)) {
                from += from[1] == '/';
                continue;
            }
            path[n++] = *from;
        }
    }
    path[n] = 0;
    return path;
}

/* Follows an attribute that refers to a DIE, over and over. */
static Dwarf_Die follow(Dwarf_Die die, unsigned name)
{
    for (int i = 0; i < LONGEST_ORIGIN_CHAIN; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (dwarf_attr(&die, name, &attribute) == NULL ||
            dwarf_formref_die(&attribute, &next) == NULL) {
            break;
        }
        die = next;
    }
    return die;
}

static bool add_scopes_in(struct arena *arena, struct scope_map *map, Dwarf_Die *parent_die,
                          uint32_t parent, unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEEPEST_SCOPE || dwarf_child(parent_die, &child) != 0) {
        return true;
    }
    do {
        uint32_t here = parent;
        switch (dwarf_tag(&child)) {
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_interface_type:
        case DW_TAG_subprogram: {
            if (map->n == map->room) {
                uint32_t room = map->room != 0 ? 2 * map->room : 256;
                void *grown = room <= MOST_SCOPES
                                  ? arena_grow(arena, map->scopes, map->room * sizeof *map->scopes,
                                               room * sizeof *map->scopes)
                                  : NULL;
                if (grown == NULL) {
                    return false;
                }
                map->scopes = grown;
                map->room = room;
            }
            here = map->n++;
            map->scopes[here] = (struct scope){.die = child, .parent = parent};
            break;
        }
        case DW_TAG_lexical_block:
            break;
        default:
            continue;
        }
        if (!add_scopes_in(arena, map, &child, here, depth + 1)) {
            return false;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

static const struct scope *find_scope(struct dwarf_index *index, struct dwarf_unit *unit,
                                      const Dwarf_Die *die)
{
    if (die->cu != unit->die.cu) {
        return NULL;
    }
    if (unit->scopes == NULL) {
        unit->scopes = arena_alloc(&index->arena, sizeof *unit->scopes);
        if (unit->scopes == NULL) {
            return NULL;
        }
        *unit->scopes = (struct scope_map){0};
        add_scopes_in(&index->arena, unit->scopes, &unit->die, UINT32_MAX, 0);
    }
    const struct scope_map *map = unit->scopes;
    uint32_t low = 0, high = map->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)map->scopes[middle].die.addr < (uintptr_t)die->addr) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < map->n && map->scopes[low].die.addr == die->addr ? &map->scopes[low] : NULL;
}

/* inner is the name of what stands in the scope. */
static const char *scope_name(const struct scope *scope, const char *inner)
{
    Dwarf_Die die = scope->die;
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_name, &attribute));
    if (name != NULL) {
        return name;
    }
    if (dwarf_tag(&die) == DW_TAG_namespace) {
        return "(anonymous namespace)";
    }
    return strcmp(inner, "operator()") == 0 ? "{lambda}" : "{unnamed}";
}

/* "<lambda(int)>" must not look like template arguments: "{lambda(int)}". */
static void bracket_lambda(char *part, size_t n)
{
    static const char lambda[] = "<lambda";
    if (n > sizeof lambda && memcmp(part, lambda, sizeof lambda - 1) == 0 && part[n - 1] == '>') {
        part[0] = '{';
        part[n - 1] = '}';
    }
}

/* The scope around this one. A method's definition stands outside its class: its declaration tells
 * where it belongs. */
static const struct scope *outer_scope(struct dwarf_index *index, struct dwarf_unit *unit,
                                       const struct scope *scope)
{
    Dwarf_Die die = scope->die;
    if (dwarf_tag(&die) == DW_TAG_subprogram) {
        Dwarf_Die origin = follow(die, DW_AT_abstract_origin);
        Dwarf_Die declaration = follow(origin, DW_AT_specification);
        const struct scope *declared = find_scope(index, unit, &declaration);
        if (declared != NULL) {
            scope = declared;
        }
    }
    return scope->parent != UINT32_MAX ? &unit->scopes->scopes[scope->parent] : NULL;
}

/* "outer::inner::name", or name itself when it stands in no scope. */
static const char *qualified_name(struct dwarf_index *index, struct dwarf_unit *unit,
                                  const Dwarf_Die *die, const char *name)
{
    const struct scope *scope = find_scope(index, unit, die);
    if (scope == NULL || scope->parent == UINT32_MAX) {
        return name;
    }
    /* Filled from its end. Declarations could refer to each other in a circle: that fills it up. */
    char text[LONGEST_NAME];
    size_t at = sizeof text - 1;
    text[at] = 0;
    const char *part = name;
    for (;;) {
        size_t n = strlen(part);
        if (n + 2 > at) {
            return name;
        }
        at -= n;
        memcpy(text + at, part, n);
        bracket_lambda(text + at, n);
        scope = outer_scope(index, unit, scope);
        if (scope == NULL) {
            break;
        }
        at -= 2;
        memcpy(text + at, "::", 2);
        part = scope_name(scope, part);
    }
    const char *copy = arena_copy(&index->arena, text + at, sizeof text - 1 - at);
    return copy != NULL ? copy : name;
}

static const char *text_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* dwarf_decl_file ends the program where a unit's table of files can't be read; this does not. */
static const char *declaration_file(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t n;
    if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number) != 0 ||
        dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL ||
        dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n) {
        return NULL;
    }
    return dwarf_filesrc(files, number, NULL, NULL);
}

static void describe(struct dwarf_index *index, struct dwarf_unit *unit, Dwarf_Die *die,
                     Dwarf_Die *origin, struct source_function *function)
{
    *function = (struct source_function){.has_scopes = unit->has_scopes};
    function->linkage_name = text_attribute(die, DW_AT_linkage_name);
    if (function->linkage_name == NULL) {
        function->linkage_name = text_attribute(die, DW_AT_MIPS_linkage_name);
    }
    function->plain_name = function->name = text_attribute(die, DW_AT_name);
    if (function->name != NULL && function->linkage_name == NULL && unit->has_scopes) {
        Dwarf_Die declaration = follow(*origin, DW_AT_specification);
        function->name = qualified_name(index, unit, &declaration, function->name);
    }
    int line;
    if (dwarf_decl_line(origin, &line) == 0 && line > 0) {
        function->line = line;
    }
    function->file = source_path(index, unit, declaration_file(origin));
}

static uint32_t slot_of(const struct source_function_table *table, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (table->size - 1);
    while (table->keys[slot] != NULL && table->keys[slot] != key) {
        slot = (slot + 1) & (table->size - 1);
    }
    return slot;
}

static bool grow_table(struct arena *arena, struct source_function_table *table)
{
    struct source_function_table bigger = {.size = table->size != 0 ? 2 * table->size : 256,
                                           .n = table->n};
    bigger.keys = arena_array(arena, bigger.size, sizeof *bigger.keys);
    bigger.values = arena_array(arena, bigger.size, sizeof *bigger.values);
    if (bigger.keys == NULL || bigger.values == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->size; i++) {
        if (table->keys[i] != NULL) {
            uint32_t slot = slot_of(&bigger, table->keys[i]);
            bigger.keys[slot] = table->keys[i];
            bigger.values[slot] = table->values[i];
        }
    }
    *table = bigger;
    return true;
}

const struct source_function *source_function_of(struct dwarf_index *index, struct dwarf_unit *unit,
                                                 Dwarf_Die *die)
{
    Dwarf_Die origin = follow(*die, DW_AT_abstract_origin);
    /* Out of line, one origin has several linkage names: constructors, clones. */
    const void *key = dwarf_tag(die) == DW_TAG_inlined_subroutine ? origin.addr : die->addr;
    struct source_function_table *table = &index->known;
    if (2 * table->n >= table->size && !grow_table(&index->arena, table)) {
        return NULL;
    }
    uint32_t slot = slot_of(table, key);
    if (table->keys[slot] == NULL) {
        struct source_function *function = arena_alloc(&index->arena, sizeof *function);
        if (function == NULL) {
            return NULL;
        }
        describe(index, unit, die, &origin, function);
        table->keys[slot] = key;
        table->values[slot] = function;
        table->n++;
    }
    return table->values[slot];
}
