/* late_new.c - see late_new.h. Owns the table of answers. */
#include "late_new.h"

#include <errno.h>
#include <string.h>

#include "arch_x86_64.h"
#include "elf_scope.h"
#include "foreign_libc.h"

/* What is remembered of one operator for one caller. An entry is read as in a seqlock; a reader
 * that meets a writer looks the answer up himself, and a writer that meets another leaves it. */
struct answer {
    uint32_t seq; /* odd while it is written */
    uint32_t index;
    bool provider_stays; /* can't be unloaded */
    const struct link_map *caller, *provider;
    uintptr_t caller_start, caller_end;
    struct elf_definition definition;
    ElfW(Word) name; /* as the symbol had it */
    ElfW(Addr) value;
};

/* The short way for a call site, to a function that can't go. The caller may: the code before the
 * return address is part of the key, so that another library whose call returns to that address is
 * another caller. The words are mixed: a pair of two halves is taken for nobody's. */
struct site {
    uintptr_t mixed, function;
};

enum { N_ANSWERS = 256, WAYS = 2, N_SITES = 512 };

static struct answer answers[N_ANSWERS];
static struct site sites[N_SITES];

static struct site *site_of(uint64_t key)
{
    return &sites[key >> 32 & (N_SITES - 1)];
}

/* 0: no short way, the code might begin on this page. */
static uint64_t site_key(unsigned index, uintptr_t caller)
{
    uint64_t code[2];
    if (caller % ARCH_PAGE < sizeof code)
        return 0;
    memcpy(code, (const void *)(caller - sizeof code), sizeof code);
    code[0] = (code[0] ^ caller) * UINT64_C(0x9e3779b97f4a7c15);
    code[1] = (code[1] ^ code[0] >> 32 ^ index) * UINT64_C(0xbf58476d1ce4e5b9);
    return (code[0] ^ code[1]) | 1;
}

static struct answer *place(const struct link_map *caller, unsigned index, unsigned way)
{
    uint64_t key = ((uintptr_t)caller >> 4) * 64 + index;
    return &answers[((key * UINT64_C(0x9e3779b97f4a7c15)) >> 56 ^ way) % N_ANSWERS];
}

/* The copy may be torn until seq has been read again. */
static bool take(const struct answer *from, struct answer *to)
{
    uint32_t before = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
    if (before & 1 || before == 0)
        return false;
    to->index = __atomic_load_n(&from->index, __ATOMIC_RELAXED);
    to->provider_stays = __atomic_load_n(&from->provider_stays, __ATOMIC_RELAXED);
    to->caller = __atomic_load_n(&from->caller, __ATOMIC_RELAXED);
    to->provider = __atomic_load_n(&from->provider, __ATOMIC_RELAXED);
    to->caller_start = __atomic_load_n(&from->caller_start, __ATOMIC_RELAXED);
    to->caller_end = __atomic_load_n(&from->caller_end, __ATOMIC_RELAXED);
    to->definition.address = __atomic_load_n(&from->definition.address, __ATOMIC_RELAXED);
    to->definition.symbol = __atomic_load_n(&from->definition.symbol, __ATOMIC_RELAXED);
    to->definition.name = __atomic_load_n(&from->definition.name, __ATOMIC_RELAXED);
    to->name = __atomic_load_n(&from->name, __ATOMIC_RELAXED);
    to->value = __atomic_load_n(&from->value, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&from->seq, __ATOMIC_RELAXED) == before;
}

static bool put(struct answer *to, const struct answer *from)
{
    uint32_t before = __atomic_load_n(&to->seq, __ATOMIC_RELAXED);
    if (before & 1 || !__atomic_compare_exchange_n(&to->seq, &before, before + 1, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&to->index, from->index, __ATOMIC_RELAXED);
    __atomic_store_n(&to->provider_stays, from->provider_stays, __ATOMIC_RELAXED);
    __atomic_store_n(&to->caller, from->caller, __ATOMIC_RELAXED);
    __atomic_store_n(&to->provider, from->provider, __ATOMIC_RELAXED);
    __atomic_store_n(&to->caller_start, from->caller_start, __ATOMIC_RELAXED);
    __atomic_store_n(&to->caller_end, from->caller_end, __ATOMIC_RELAXED);
    __atomic_store_n(&to->definition.address, from->definition.address, __ATOMIC_RELAXED);
    __atomic_store_n(&to->definition.symbol, from->definition.symbol, __ATOMIC_RELAXED);
    __atomic_store_n(&to->definition.name, from->definition.name, __ATOMIC_RELAXED);
    __atomic_store_n(&to->name, from->name, __ATOMIC_RELAXED);
    __atomic_store_n(&to->value, from->value, __ATOMIC_RELAXED);
    __atomic_store_n(&to->seq, before + 2, __ATOMIC_RELEASE);
    return true;
}

/* Whether the object at the function still is one that defines it there. It can't go meanwhile: the
 * caller needs it. */
static bool still_defined(const struct answer *a, const char *symbol)
{
    struct dl_find_object found;
    const struct elf_definition *d = &a->definition;
    return _dl_find_object(d->address, &found) == 0 && found.dlfo_link_map == a->provider &&
           _dl_find_object((void *)d->symbol, &found) == 0 && found.dlfo_link_map == a->provider &&
           d->symbol->st_value == a->value && d->symbol->st_name == a->name &&
           strcmp(d->name, symbol) == 0;
}

static bool remembered(const struct dl_find_object *caller, unsigned index, const char *symbol,
                       struct answer *a)
{
    for (unsigned way = 0; way < WAYS; way++) {
        if (take(place(caller->dlfo_link_map, index, way), a) && a->index == index &&
            a->caller == caller->dlfo_link_map &&
            a->caller_start == (uintptr_t)caller->dlfo_map_start &&
            a->caller_end == (uintptr_t)caller->dlfo_map_end &&
            (a->provider_stays || still_defined(a, symbol)))
            return true;
    }
    return false;
}

/* Of code outside any such scope (generated, or of a library that relies on what another one has
 * brought) it is the C++ library's, if there is one. */
static const struct link_map *provider_of(const struct link_map *caller, const char *symbol,
                                          struct elf_definition *found)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    const struct link_map *provider = elf_scope_find(caller, symbol, found);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && provider == NULL; i++) {
        const struct link_map *library = elf_scope_loaded(libraries[i]);
        if (library != NULL && elf_define(library, symbol, found))
            provider = library;
    }
    return provider;
}

static __attribute__((noinline)) bool look_up(const struct dl_find_object *caller, unsigned index,
                                              const char *symbol, struct answer *a)
{
    int saved = errno;
    *a = (struct answer){.index = index,
                         .caller = caller->dlfo_link_map,
                         .caller_start = (uintptr_t)caller->dlfo_map_start,
                         .caller_end = (uintptr_t)caller->dlfo_map_end};
    a->provider = provider_of(a->caller, symbol, &a->definition);
    if (a->provider != NULL) {
        a->name = a->definition.symbol->st_name;
        a->value = a->definition.symbol->st_value;
        a->provider_stays = elf_scope_stays(a->provider);
        if (!put(place(a->caller, index, 0), a))
            put(place(a->caller, index, 1), a);
    }
    errno = saved;
    return a->provider != NULL;
}

static __attribute__((noinline)) void *find(unsigned index, const char *symbol, uintptr_t caller,
                                            uint64_t key)
{
    struct dl_find_object object;
    struct answer a;
    if (_dl_find_object((void *)caller, &object) != 0)
        object = (struct dl_find_object){.dlfo_link_map = NULL}; /* generated code */
    if (!remembered(&object, index, symbol, &a) && !look_up(&object, index, symbol, &a))
        return NULL;
    uintptr_t function = (uintptr_t)a.definition.address;
    if (a.provider_stays && key != 0) {
        struct site *site = site_of(key);
        __atomic_store_n(&site->mixed, key ^ function, __ATOMIC_RELAXED);
        __atomic_store_n(&site->function, function, __ATOMIC_RELAXED);
    }
    return (void *)function;
}

void *late_new_find(unsigned index, const char *symbol, uintptr_t caller)
{
    uint64_t key = site_key(index, caller);
    const struct site *site = site_of(key);
    uintptr_t function = __atomic_load_n(&site->function, __ATOMIC_RELAXED);
    if (key != 0 && __atomic_load_n(&site->mixed, __ATOMIC_RELAXED) == (key ^ function))
        return (void *)function;
    return find(index, symbol, caller, key);
}
