/* symbol_lines.c - functions and lines of a profile, from answers. */
#include "symbol_lines.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { READABLE_ROOM = 64 * 1024 };

/* A function of the profile, by where it came from: the function of the DWARF or the symbol's name,
 * and the file in which the frame stands. */
struct function_key {
    const void *source;
    string_id file;
    uint32_t function; /* index + 1; 0: free */
};

struct symbol_lines {
    struct profile *profile;
    enum demangle_style style;
    struct arena arena;
    struct function_key *keys;
    uint32_t n_keys, size;
    uint64_t next_id;
    char *readable;
    bool *was_used; /* functions that locations used at the start */
    uint32_t n_functions;
};

static void mark_used(const struct profile *profile, bool *used)
{
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        const struct profile_location *location = &profile->locations[i];
        for (uint32_t k = 0; k < location->n_lines; k++) {
            uint32_t function = profile->lines[location->first_line + k].function;
            if (function < profile->n_functions) {
                used[function] = true;
            }
        }
    }
}

struct symbol_lines *symbol_lines_open(struct profile *profile, enum demangle_style style)
{
    struct symbol_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) {
        return NULL;
    }
    lines->profile = profile;
    lines->style = style;
    arena_init(&lines->arena, 0);
    lines->readable = arena_alloc(&lines->arena, READABLE_ROOM);
    lines->was_used = arena_array(&lines->arena, profile->n_functions, sizeof *lines->was_used);
    if (lines->arena.failed) {
        arena_free(&lines->arena);
        free(lines);
        return NULL;
    }
    lines->n_functions = profile->n_functions;
    mark_used(profile, lines->was_used);
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        if (profile->functions[i].id > lines->next_id) {
            lines->next_id = profile->functions[i].id;
        }
    }
    return lines;
}

/* Takes out functions whose last user went; keeps those that nobody used before. */
static bool drop_orphans(struct symbol_lines *lines)
{
    struct profile *profile = lines->profile;
    bool *used = arena_array(&lines->arena, profile->n_functions, sizeof *used);
    uint32_t *moved = arena_array(&lines->arena, profile->n_functions, sizeof *moved);
    if (lines->arena.failed) {
        return false;
    }
    mark_used(profile, used);
    uint32_t n = 0;
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        bool keep = used[i] || (i < lines->n_functions && !lines->was_used[i]);
        moved[i] = n;
        if (keep) {
            profile->functions[n++] = profile->functions[i];
        }
    }
    for (uint32_t i = 0; i < profile->n_locations && n < profile->n_functions; i++) {
        const struct profile_location *location = &profile->locations[i];
        for (uint32_t k = 0; k < location->n_lines; k++) {
            struct profile_line *line = &profile->lines[location->first_line + k];
            if (line->function < profile->n_functions) {
                line->function = moved[line->function];
            }
        }
    }
    profile->n_functions = n;
    return true;
}

bool symbol_lines_close(struct symbol_lines *lines)
{
    if (lines == NULL) {
        return true;
    }
    bool sound = lines->n_keys == 0 || drop_orphans(lines);
    arena_free(&lines->arena);
    free(lines);
    return sound;
}

static uint32_t key_slot(const struct function_key *keys, uint32_t size, const void *source,
                         string_id file)
{
    uint64_t hash = hash_u64(hash_seed() ^ file, (uintptr_t)source);
    uint32_t at = (uint32_t)hash & (size - 1);
    while (keys[at].function != 0 && (keys[at].source != source || keys[at].file != file)) {
        at = (at + 1) & (size - 1);
    }
    return at;
}

static bool grow_keys(struct symbol_lines *lines)
{
    uint32_t size = lines->size != 0 ? 2 * lines->size : 256;
    struct function_key *keys = arena_array(&lines->arena, size, sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < lines->size; i++) {
        if (lines->keys[i].function != 0) {
            keys[key_slot(keys, size, lines->keys[i].source, lines->keys[i].file)] = lines->keys[i];
        }
    }
    lines->keys = keys;
    lines->size = size;
    return true;
}

/* The name to show and the one of the linker. */
struct function_names {
    const char *name, *system_name;
};

/* A mangled name becomes its readable form; what can't be demangled stays as it is. */
static struct function_names names_of_symbol(struct symbol_lines *lines, const char *symbol)
{
    bool readable = demangle(symbol, lines->style, lines->readable, READABLE_ROOM);
    return (struct function_names){.name = readable ? lines->readable : symbol,
                                   .system_name = symbol};
}

static struct function_names names_of_function(struct symbol_lines *lines,
                                               const struct source_function *function,
                                               const char *symbol)
{
    if (function->linkage_name != NULL) {
        return names_of_symbol(lines, function->linkage_name);
    }
    if (symbol != NULL && function->has_scopes && symbol[0] == '_' &&
        (symbol[1] == 'Z' || symbol[1] == 'R')) {
        return names_of_symbol(lines, symbol);
    }
    if (function->name == NULL) {
        return symbol != NULL ? names_of_symbol(lines, symbol) : (struct function_names){"", ""};
    }
    struct function_names names = {.name = function->name, .system_name = function->plain_name};
    size_t n = strlen(function->name);
    if (lines->style == DEMANGLE_NONE) {
        names.name = function->plain_name;
    } else if (lines->style == DEMANGLE_DEFAULT && function->has_scopes && n < READABLE_ROOM) {
        memcpy(lines->readable, function->name, n + 1);
        demangle_cut_arguments(lines->readable);
        names.name = lines->readable;
    }
    return names;
}

/* The profile's function for (source, file); makes it when it is new. PROFILE_NONE when out of
 * memory. */
static uint32_t function_for(struct symbol_lines *lines, const struct source_function *source,
                             const char *symbol, const char *file)
{
    struct profile *profile = lines->profile;
    const void *key = source != NULL ? (const void *)source : (const void *)symbol;
    string_id file_id = file != NULL ? profile_intern_text(profile, file) : 0;
    if (file_id == PROFILE_NONE || (2 * lines->n_keys >= lines->size && !grow_keys(lines))) {
        return PROFILE_NONE;
    }
    uint32_t at = key_slot(lines->keys, lines->size, key, file_id);
    if (lines->keys[at].function != 0) {
        return lines->keys[at].function - 1;
    }
    struct function_names names =
        source != NULL ? names_of_function(lines, source, symbol) : names_of_symbol(lines, symbol);
    struct profile_function made = {.id = ++lines->next_id, .filename = file_id};
    made.name = profile_intern_text(profile, names.name);
    made.system_name = profile_intern_text(profile, names.system_name);
    if (source != NULL && source->file != NULL && file != NULL && strcmp(source->file, file) == 0) {
        made.start_line = source->line;
    }
    if (made.name == PROFILE_NONE || made.system_name == PROFILE_NONE) {
        return PROFILE_NONE;
    }
    uint32_t function = profile_add_function(profile, &made);
    if (function != PROFILE_NONE) {
        lines->keys[at] =
            (struct function_key){.source = key, .file = file_id, .function = function + 1};
        lines->n_keys++;
    }
    return function;
}

bool symbol_lines_set(struct symbol_lines *lines, uint32_t location,
                      const struct code_answer *answer, bool only_lines,
                      struct symbolize_result *result)
{
    struct profile *profile = lines->profile;
    bool has_names = profile->locations[location].n_lines > 0;
    bool any_line = false, any_file = false;
    for (uint32_t i = 0; i < answer->n_frames; i++) {
        any_line |= answer->frames[i].line != 0;
        any_file |= answer->frames[i].file != NULL;
    }
    uint32_t n = answer->n_frames > 0 ? answer->n_frames : 1;
    const struct source_frame *outer = n == answer->n_frames ? &answer->frames[n - 1] : NULL;
    bool nameless = (outer == NULL || outer->function == NULL) && answer->symbol == NULL;
    if (nameless || (only_lines && has_names && !any_line)) {
        return true;
    }
    struct profile_line made[SOURCE_FRAMES];
    for (uint32_t i = 0; i < n; i++) {
        const struct source_frame *frame = answer->n_frames > 0 ? &answer->frames[i] : NULL;
        const struct source_function *source = frame != NULL ? frame->function : NULL;
        /* The symbol speaks of the function that holds the code, not of what is inlined there. */
        const char *symbol = i == n - 1 ? answer->symbol : NULL;
        if (source == NULL && symbol == NULL) {
            symbol = "";
        }
        made[i].function = function_for(lines, source, symbol, frame != NULL ? frame->file : NULL);
        if (made[i].function == PROFILE_NONE) {
            return false;
        }
        made[i].line = frame != NULL ? frame->line : 0;
        made[i].column = frame != NULL ? frame->column : 0;
    }
    if (!profile_set_lines(profile, location, made, n)) {
        return false;
    }
    result->named++;
    result->lined += any_line && any_file;
    struct profile_mapping *mapping = &profile->mappings[profile->locations[location].mapping];
    mapping->has_functions = true;
    mapping->has_filenames |= any_file;
    mapping->has_line_numbers |= any_line;
    mapping->has_inline_frames |= answer->n_frames > 0;
    return true;
}

bool symbol_lines_set_name(struct symbol_lines *lines, uint32_t location, const char *name,
                           struct symbolize_result *result)
{
    struct profile *profile = lines->profile;
    struct profile_line made = {.function = function_for(lines, NULL, name, NULL)};
    if (made.function == PROFILE_NONE || !profile_set_lines(profile, location, &made, 1)) {
        return false;
    }
    result->named++;
    if (profile->locations[location].mapping != PROFILE_NONE) {
        profile->mappings[profile->locations[location].mapping].has_functions = true;
    }
    return true;
}
