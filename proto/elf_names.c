/* elf_names.c - function names from ELF symbol tables (see elf_names.h; elf_file.h reads).
 *
 * The needed addresses of a file are sorted, and its symbols stream past them: a binary search for
 * each symbol, no table of all symbols. That is fast and small also for a binary of hundreds of
 * megabytes.
 */
#include "elf_names.h"

#include "elf_file.h"
#include "sorted.h"

#include <string.h>

enum {
    CHUNK_SYMBOLS = 2048,
    MOST_UNSIZED =
        16 << 10,         /* bytes that a symbol of no size may reach: hand-written code is short */
    NAME_FIRST = 256,     /* bytes read of a name at first ... */
    NAME_MOST = 64 << 10, /* ... and at most */
};

#define MOST_SYMBOL_BYTES ((uint64_t)256 << 20) /* of one table */
#define MOST_BYTES_IN_ALL ((uint64_t)2 << 30)   /* read for one profile */
#define MOST_MATCHES      ((uint64_t)1 << 28)   /* of symbols with addresses, for one profile */

struct candidate {
    uint64_t value, size;
    uint32_t name; /* offset in the string table */
    uint16_t section;
    uint8_t rank; /* by binding; 0 is none */
};

/* An address whose name is wanted. */
struct wanted {
    uint64_t vaddr;
    uint32_t location;
    struct candidate inside; /* the innermost symbol that spans it */
    struct candidate before; /* the last one at or before it, after the previous address */
};

/* An address that is wanted, before the symbols come in. */
struct place {
    uint64_t vaddr;
    uint32_t location;
};

struct namer {
    struct profile *profile;
    struct arena scratch; /* of one mapping */
    Elf64_Sym *chunk;
    char *name;
    uint64_t bytes_left, matches_left;
    uint64_t next_function_id;
};

/* ---- symbols against addresses ---- */

static uint8_t rank_of(const Elf64_Sym *symbol)
{
    switch (ELF64_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
        return 3;
    case STB_WEAK:
        return 2;
    default:
        return 1;
    }
}

/* Innermost first, then the binding that people know the function by; else the first stays. */
static bool better(const struct candidate *a, const struct candidate *b)
{
    if (!b->rank || a->value != b->value)
        return !b->rank || a->value > b->value;
    return a->rank > b->rank;
}

/* The later one; of two at one address that with a size. */
static bool later(const struct candidate *a, const struct candidate *b)
{
    if (!b->rank || a->value != b->value)
        return !b->rank || a->value > b->value;
    if (a->size != b->size)
        return a->size > b->size;
    return a->rank > b->rank;
}

static void match(struct namer *namer, struct wanted *wanted, uint32_t n, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
        !symbol->st_name)
        return;
    struct candidate candidate = {.value = symbol->st_value,
                                  .size = symbol->st_size,
                                  .name = symbol->st_name,
                                  .section = symbol->st_shndx,
                                  .rank = rank_of(symbol)};
    uint32_t i = (uint32_t)SORTED_FIRST_FROM(wanted, n, vaddr, symbol->st_value);
    if (i < n && later(&candidate, &wanted[i].before))
        wanted[i].before = candidate;
    for (; i < n && wanted[i].vaddr - symbol->st_value < symbol->st_size; i++) {
        if (!namer->matches_left)
            return;
        namer->matches_left--;
        if (better(&candidate, &wanted[i].inside))
            wanted[i].inside = candidate;
    }
}

static bool match_all(struct namer *namer, const struct elf_file *file,
                      const struct elf_symtab *symtab, struct wanted *wanted, uint32_t n)
{
    for (uint64_t at = 0; at < symtab->count; at += CHUNK_SYMBOLS) {
        uint64_t m = symtab->count - at;
        if (m > CHUNK_SYMBOLS)
            m = CHUNK_SYMBOLS;
        if (!elf_read(file, namer->chunk, m * sizeof(Elf64_Sym),
                      symtab->offset + at * sizeof(Elf64_Sym)))
            return false;
        for (uint64_t i = 0; i < m; i++)
            match(namer, wanted, n, &namer->chunk[i]);
    }
    return true;
}

/* ---- names ---- */

/* The name at an offset of the string table, without a symbol version; false if it is none. */
static bool read_name(struct namer *namer, const struct elf_file *file,
                      const struct elf_symtab *symtab, uint32_t offset, size_t *length)
{
    if (offset >= symtab->strings_size)
        return false;
    size_t room = NAME_FIRST;
    for (;;) {
        uint64_t left = symtab->strings_size - offset;
        size_t n = left < room ? (size_t)left : room;
        if (!elf_read(file, namer->name, n, symtab->strings + offset))
            return false;
        *length = strnlen(namer->name, n);
        if (*length < n)
            break;
        if (n == left || room == NAME_MOST)
            return false; /* not terminated, or no name that anyone gave */
        room = NAME_MOST;
    }
    const char *version = *length > 1 ? memchr(namer->name + 1, '@', *length - 1) : NULL;
    if (version)
        *length = (size_t)(version - namer->name);
    return *length > 0;
}

static uint32_t add_function(struct namer *namer, size_t length)
{
    string_id name = profile_intern(namer->profile, namer->name, length);
    struct profile_function function = {
        .id = namer->next_function_id++, .name = name, .system_name = name};
    return name == PROFILE_NONE ? PROFILE_NONE : profile_add_function(namer->profile, &function);
}

/* Whether a symbol that does not say its size may be the one that vaddr belongs to. */
static bool may_reach(const struct elf_file *file, const struct candidate *before, uint64_t vaddr)
{
    return before->rank && !before->size && vaddr - before->value < MOST_UNSIZED &&
           elf_section_spans(file, before->section, vaddr);
}

static uint32_t give_names(struct namer *namer, const struct elf_file *file,
                           const struct elf_symtab *symtab, const struct wanted *wanted, uint32_t n)
{
    uint32_t named = 0, function = PROFILE_NONE;
    struct candidate last = {0}, before = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (wanted[i].before.rank)
            before = wanted[i].before;
        const struct candidate *best = &wanted[i].inside;
        if (!best->rank) {
            if (!may_reach(file, &before, wanted[i].vaddr))
                continue;
            best = &before;
        }
        if (!last.rank || last.value != best->value || last.name != best->name) {
            size_t length;
            last = *best;
            function = read_name(namer, file, symtab, best->name, &length)
                           ? add_function(namer, length)
                           : PROFILE_NONE;
        }
        const struct profile_line line = {.function = function};
        if (function != PROFILE_NONE &&
            profile_set_lines(namer->profile, wanted[i].location, &line, 1))
            named++;
    }
    return named;
}

/* ---- mappings ---- */

/* Sorts by address, bottom up; other has room for n too. Returns the sorted one of the two. Not
 * qsort: the C library's may allocate. */
static struct place *sort_places(struct place *places, struct place *other, uint32_t n)
{
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * width) {
            uint64_t middle = start + width < n ? start + width : n;
            uint64_t end = middle + width < n ? middle + width : n;
            uint64_t a = start, b = middle;
            for (uint64_t to = start; to < end; to++)
                other[to] = a < middle && (b >= end || places[a].vaddr <= places[b].vaddr)
                                ? places[a++]
                                : places[b++];
        }
        struct place *swap = places;
        places = other;
        other = swap;
    }
    return places;
}

/* The file's addresses of a mapping's locations, sorted. */
static struct wanted *list_wanted(struct namer *namer, const struct elf_file *file,
                                  const struct profile_mapping *mapping, const uint32_t *locations,
                                  uint32_t n_locations, uint32_t *n)
{
    const struct profile *p = namer->profile;
    struct place *places = arena_array(&namer->scratch, n_locations, sizeof *places);
    struct place *other = arena_array(&namer->scratch, n_locations, sizeof *other);
    *n = 0;
    uint64_t base;
    if (!places || !other || !elf_mapped_vaddr(file, mapping->offset, &base))
        return NULL;
    for (uint32_t i = 0; i < n_locations; i++) {
        uint64_t address = p->locations[locations[i]].address;
        uint64_t vaddr = address - mapping->start + base;
        if (address >= mapping->start && elf_holds_vaddr(file, vaddr))
            places[(*n)++] = (struct place){.vaddr = vaddr, .location = locations[i]};
    }
    places = sort_places(places, other, *n);
    struct wanted *wanted = arena_array(&namer->scratch, *n, sizeof *wanted);
    for (uint32_t i = 0; wanted && i < *n; i++)
        wanted[i] = (struct wanted){.vaddr = places[i].vaddr, .location = places[i].location};
    return wanted;
}

static bool ends_with(const struct profile_string *text, const char *end, size_t n)
{
    return text->length >= n && memcmp(text->bytes + text->length - n, end, n) == 0;
}

/* Opens the mapping's file if it is the one that was mapped, as far as can be told. */
static bool open_mapped(struct namer *namer, const struct profile_mapping *mapping,
                        struct elf_file *file)
{
    static const char deleted[] = " (deleted)";
    const struct profile *p = namer->profile;
    const struct profile_string *name = &p->strings[mapping->filename];
    const struct profile_string *want = &p->strings[mapping->build_id];
    size_t length = name->length;
    if (!length || name->bytes[0] != '/' || memchr(name->bytes, 0, length))
        return false;
    if (ends_with(name, deleted, sizeof deleted - 1)) {
        /* What bears the name now is another file, unless the build id says otherwise. */
        if (!want->length)
            return false;
        length -= sizeof deleted - 1;
    }
    const char *path = arena_copy(&namer->scratch, name->bytes, length);
    if (!path || !elf_open(file, path, &namer->scratch))
        return false;
    char have[ELF_BUILD_ID_ROOM];
    elf_build_id(file, have);
    if (!want->length ||
        (strlen(have) == want->length && memcmp(have, want->bytes, want->length) == 0))
        return true;
    elf_close(file);
    return false;
}

static uint32_t name_mapping(struct namer *namer, uint32_t index, const uint32_t *locations,
                             uint32_t n_locations)
{
    const struct profile_mapping *mapping = &namer->profile->mappings[index];
    struct elf_file file;
    struct elf_symtab symtab;
    uint32_t named = 0, n;
    if (!open_mapped(namer, mapping, &file))
        return 0;
    if (elf_find_symtab(&file, &symtab)) {
        uint64_t bytes = symtab.count * sizeof(Elf64_Sym);
        struct wanted *wanted = NULL;
        if (bytes <= MOST_SYMBOL_BYTES && bytes <= namer->bytes_left) {
            namer->bytes_left -= bytes;
            wanted = list_wanted(namer, &file, mapping, locations, n_locations, &n);
        }
        if (wanted && n && match_all(namer, &file, &symtab, wanted, n))
            named = give_names(namer, &file, &symtab, wanted, n);
    }
    elf_close(&file);
    return named;
}

/* The locations without lines, grouped by mapping: those of mapping m are order[first[m]] up to
 * order[first[m + 1]]. */
static bool group_locations(const struct profile *p, struct arena *arena, uint32_t **order,
                            uint32_t **first)
{
    *first = arena_array(arena, (size_t)p->n_mappings + 2, sizeof **first);
    *order = arena_array(arena, p->n_locations, sizeof **order);
    if (!*first || !*order)
        return false;
#define UNNAMED(l) ((l)->mapping != PROFILE_NONE && !(l)->n_lines)
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (UNNAMED(&p->locations[i]))
            (*first)[p->locations[i].mapping + 2]++;
    for (uint32_t m = 2; m < p->n_mappings + 2; m++)
        (*first)[m] += (*first)[m - 1];
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (UNNAMED(&p->locations[i]))
            (*order)[(*first)[p->locations[i].mapping + 1]++] = i;
#undef UNNAMED
    return true;
}

static bool namer_init(struct namer *namer, struct profile *profile, struct arena *arena)
{
    *namer = (struct namer){.profile = profile,
                            .bytes_left = MOST_BYTES_IN_ALL,
                            .matches_left = MOST_MATCHES,
                            .next_function_id = 1};
    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (profile->functions[i].id >= namer->next_function_id)
            namer->next_function_id = profile->functions[i].id + 1;
    namer->chunk = arena_array(arena, CHUNK_SYMBOLS, sizeof *namer->chunk);
    namer->name = arena_alloc(arena, NAME_MOST);
    return namer->chunk && namer->name;
}

uint32_t elf_names_apply(struct profile *profile)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct namer namer;
    uint32_t *order, *first, named = 0;
    if (namer_init(&namer, profile, &arena) && group_locations(profile, &arena, &order, &first)) {
        for (uint32_t m = 0; m < profile->n_mappings; m++) {
            uint32_t n = first[m + 1] - first[m];
            if (!n)
                continue;
            arena_init(&namer.scratch, 0);
            uint32_t got = name_mapping(&namer, m, order + first[m], n);
            arena_free(&namer.scratch);
            if (got)
                profile->mappings[m].has_functions = true;
            named += got;
        }
    }
    arena_free(&arena);
    return named;
}
