/* legacy_maps.c - the memory map at the end of a legacy profile, in the form of /proc/PID/maps or
 * in the short one (START-END: FILE (@OFFSET) BUILDID). */
#include "legacy_input.h"

#include "memory.h"
#include "regexp.h"
#include "sorted.h"

#include <stdlib.h>
#include <string.h>

/* Names that later lines may use: "build=/some/folder", then "$build/lib.so". */
enum { MOST_VARIABLES = 32, MOST_LINE = 65536 };

struct variable {
    struct span name, value;
};

struct maps_reader {
    struct regexp *full, *brief, *log;
    struct variable variables[MOST_VARIABLES];
    size_t n_variables;
    char *line; /* MOST_LINE */
};

#define HEX       "(?:0x)?([[:xdigit:]]+)"
#define RANGE     "^\\s*" HEX "[\\s-]?\\s*" HEX ":?"
#define MODE      "(?:\\s+([-rwxp]+))?"
#define SPACE_HEX "(?:\\s+([[:xdigit:]]+))?"
#define WORD      "(?:\\s+(\\S+))?"

static struct regexp *must_compile(const char *pattern)
{
    char error[256];
    return regexp_compile(pattern, error, sizeof error);
}

static struct span replace_variables(struct maps_reader *reader, struct span line)
{
    if (reader->n_variables == 0 || !memchr(line.bytes, '$', line.n)) {
        return line;
    }
    size_t length = 0;
    for (size_t i = 0; i < line.n;) {
        struct span copy = {line.bytes + i, 1};
        size_t step = 1;
        for (size_t v = 0; v < reader->n_variables && line.bytes[i] == '$'; v++) {
            struct span name = reader->variables[v].name;
            if (line.n - i > name.n && memcmp(line.bytes + i + 1, name.bytes, name.n) == 0) {
                copy = reader->variables[v].value;
                step = name.n + 1;
                break;
            }
        }
        if (length + copy.n > MOST_LINE) {
            return line;
        }
        memcpy(reader->line + length, copy.bytes, copy.n);
        length += copy.n;
        i += step;
    }
    return (struct span){reader->line, length};
}

static struct span group(const struct regexp *regexp, struct span line, unsigned number)
{
    size_t start, length;
    if (!regexp_group(regexp, line.bytes, line.n, number, &start, &length)) {
        return (struct span){line.bytes, 0};
    }
    return (struct span){line.bytes + start, length};
}

static bool hex_number(struct span digits, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (*value >> 60) {
            return false;
        }
        char c = digits.bytes[i];
        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return digits.n > 0;
}

/* False when the line is no entry of a map. *use is false for what can't be executed. */
static bool read_entry(const struct maps_reader *reader, struct span line, struct profile *profile,
                       struct profile_mapping *mapping, bool *use)
{
    struct span start, end, mode, file, offset, build_id = {0};
    if (regexp_matches(reader->full, line.bytes, line.n)) {
        start = group(reader->full, line, 1);
        end = group(reader->full, line, 2);
        mode = group(reader->full, line, 3);
        offset = group(reader->full, line, 4);
        file = group(reader->full, line, 5);
    } else if (regexp_matches(reader->brief, line.bytes, line.n)) {
        start = group(reader->brief, line, 1);
        end = group(reader->brief, line, 2);
        mode = group(reader->brief, line, 3);
        file = group(reader->brief, line, 4);
        offset = group(reader->brief, line, 5);
        build_id = group(reader->brief, line, 6);
    } else {
        return false;
    }
    *use = mode.n == 0 || memchr(mode.bytes, 'x', mode.n);
    if (!*use) {
        return true;
    }
    *mapping = (struct profile_mapping){0};
    if (!hex_number(start, &mapping->start) || !hex_number(end, &mapping->limit) ||
        (offset.n && !hex_number(offset, &mapping->offset))) {
        return false;
    }
    mapping->filename = profile_intern(profile, file.bytes, file.n);
    mapping->build_id = build_id.n ? profile_intern(profile, build_id.bytes, build_id.n) : 0;
    return true;
}

/* Parts of one file beside each other. */
static bool adjacent(const struct profile_mapping *a, const struct profile_mapping *b)
{
    return (!a->filename || !b->filename || a->filename == b->filename) &&
           (!a->build_id || !b->build_id || a->build_id == b->build_id) && a->limit == b->start &&
           (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void join_adjacent(struct profile *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const struct profile_mapping *next = &p->mappings[i];
        struct profile_mapping *last = kept ? &p->mappings[kept - 1] : NULL;
        if (last && adjacent(last, next)) {
            last->limit = next->limit;
            last->filename = next->filename ? next->filename : last->filename;
            last->build_id = next->build_id ? next->build_id : last->build_id;
        } else {
            p->mappings[kept++] = *next;
        }
    }
    p->n_mappings = kept;
}

static bool is_library(const char *file)
{
    for (const char *at = file; (at = strstr(at, ".so")) != NULL; at += 3) {
        if (at[3] == '\0' || ((at[3] == '.' || at[3] == '_') && at[4] >= '0' && at[4] <= '9')) {
            return true;
        }
    }
    return false;
}

/* The first file that is no library is taken for the program; it goes in front. */
static void program_first(struct profile *p)
{
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const char *file = profile_text(p, p->mappings[i].filename);
        if (*file && strcmp(file, "(deleted)") != 0 && *file != '[' && !is_library(file)) {
            struct profile_mapping program = p->mappings[i];
            p->mappings[i] = p->mappings[0];
            p->mappings[0] = program;
            break;
        }
    }
}

/* ---- locations ---- */

struct placed {
    uint64_t address;
    uint32_t location;
};

static int by_address(const void *left, const void *right)
{
    uint64_t a = ((const struct placed *)left)->address,
             b = ((const struct placed *)right)->address;
    return (a > b) - (a < b);
}

/* The next entry at or behind i that has no mapping yet. */
static size_t unplaced(size_t *next, size_t i)
{
    while (next[i] != i) {
        next[i] = next[next[i]];
        i = next[i];
    }
    return i;
}

/* Gives the locations without a mapping in [start, limit) this one: each is visited once, however
 * many mappings there are. True when there was any. */
static bool place(struct profile *p, const struct placed *sorted, size_t n, size_t *next,
                  uint64_t start, uint64_t limit, uint32_t mapping)
{
    size_t first = SORTED_FIRST_FROM(sorted, n, address, start);
    bool any = false;
    for (size_t i = unplaced(next, first); i < n && sorted[i].address < limit;
         i = unplaced(next, i)) {
        p->locations[sorted[i].location].mapping = mapping;
        next[i] = i + 1;
        any = true;
    }
    return any;
}

void legacy_place_locations(struct profile *p)
{
    if (p->n_mappings > 1) {
        const struct profile_mapping *first = p->mappings;
        if (strncmp(profile_text(p, first->filename), "/anon_hugepage", 14) == 0 &&
            first->limit == first[1].start) {
            p->n_mappings--;
            memmove(p->mappings, p->mappings + 1, p->n_mappings * sizeof *p->mappings);
        }
    }
    if (p->n_mappings > 0 && p->mappings[0].start - p->mappings[0].offset == 0x400000) {
        p->mappings[0].start = 0x400000;
        p->mappings[0].offset = 0;
    }
    struct placed *sorted = memory_array(p->n_locations, sizeof *sorted);
    size_t *next = memory_array((size_t)p->n_locations + 1, sizeof *next);
    size_t n = 0;
    for (uint32_t l = 0; l < p->n_locations; l++) {
        if (p->locations[l].address != 0 && p->locations[l].mapping == PROFILE_NONE) {
            sorted[n++] = (struct placed){p->locations[l].address, l};
        }
    }
    qsort(sorted, n, sizeof *sorted, by_address);
    for (size_t i = 0; i <= n; i++) {
        next[i] = i;
    }
    for (uint32_t m = 0; m < p->n_mappings; m++) {
        place(p, sorted, n, next, p->mappings[m].start, p->mappings[m].limit, m);
    }
    /* Some writers forget the first part of a file that is mapped in parts. */
    for (uint32_t m = 0; m < p->n_mappings; m++) {
        struct profile_mapping *mapping = &p->mappings[m];
        if (mapping->offset && mapping->offset <= mapping->start &&
            place(p, sorted, n, next, mapping->start - mapping->offset, mapping->start, m)) {
            mapping->start -= mapping->offset;
            mapping->offset = 0;
        }
    }
    if (unplaced(next, 0) < n) {
        struct profile_mapping anything = {.limit = UINT64_MAX};
        uint32_t m = profile_add_mapping(p, &anything);
        for (size_t i = unplaced(next, 0); i < n; i = unplaced(next, i)) {
            p->locations[sorted[i].location].mapping = m;
            next[i] = i + 1;
        }
    }
    for (uint32_t m = 0; m < p->n_mappings; m++) {
        p->mappings[m].id = m + UINT64_C(1);
    }
    free(sorted);
    free(next);
}

bool legacy_maps_begin(struct span line)
{
    return span_has(line, "--- Memory map: ---") || span_has(line, "MAPPED_LIBRARIES:");
}

void legacy_read_maps(struct legacy_text *text, struct profile *profile)
{
    struct maps_reader reader = {
        .full = must_compile(RANGE MODE SPACE_HEX
                             "\\s+[[:xdigit:]]+:[[:xdigit:]]+\\s+[[:digit:]]+" WORD),
        .brief = must_compile(RANGE MODE WORD "(?:\\s+\\(@([[:xdigit:]]+)\\))?" SPACE_HEX),
        .log = must_compile("^([^\\[\\]]+:[0-9]+]\\s)"),
        .line = memory_array(MOST_LINE, 1),
    };
    while (reader.full && reader.brief && reader.log && legacy_next(text) &&
           !profile->arena.failed) {
        struct span line = text->line;
        struct span log = group(reader.log, line, 1);
        line = (struct span){line.bytes + log.n, line.n - log.n};
        struct profile_mapping mapping;
        bool use;
        if (read_entry(&reader, replace_variables(&reader, line), profile, &mapping, &use)) {
            if (use) {
                profile_add_mapping(profile, &mapping);
            }
            continue;
        }
        const char *equals = memchr(line.bytes, '=', line.n);
        if (equals && reader.n_variables < MOST_VARIABLES) {
            size_t n = (size_t)(equals - line.bytes);
            reader.variables[reader.n_variables++] = (struct variable){
                span_trim((struct span){line.bytes, n}),
                span_trim((struct span){equals + 1, line.n - n - 1}),
            };
        }
    }
    regexp_free(reader.full);
    regexp_free(reader.brief);
    regexp_free(reader.log);
    free(reader.line);
    join_adjacent(profile);
    program_first(profile);
    legacy_place_locations(profile);
}

void legacy_find_maps(struct legacy_text *text, struct profile *profile)
{
    while (!legacy_maps_begin(text->line) && legacy_next(text)) {
    }
    legacy_read_maps(text, profile);
}
