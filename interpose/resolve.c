/* resolve.c - finds the functions beneath ours; see resolve.h.
 *
 * Everything is looked up at once, by the first call or by the constructor, before there are
 * threads. One case comes later, in every call anew: operator new of a C++ library that a C program
 * loads as a plugin (late_new.c).
 */
#include "resolve.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "boot_arena.h"
#include "elf_lookup.h"
#include "foreign_libc.h"
#include "hook_fallback.h"
#include "hooks.h"
#include "late_new.h"
#include "sanitizer.h"

enum family { FAMILY_C, FAMILY_NEW, FAMILY_X };

typedef void *__attribute__((may_alias)) function_pointer;

struct hook_entry {
    const char *symbol;
    function_pointer *real, *target;
    void *counted, *fallback, *first;
    enum family family;
};

void __libc_start_main(void); /* any function that only the C library has */

bool hook_over_libc, hook_over_wrapper;
static enum { NOT_YET, UNDER_WAY, DONE } state; /* atomic */
static bool is_first = true;
static uintptr_t allocator_start, allocator_end;

/* ---- the pointers, and what they hold at first ---- */

static void *boot_alloc(size_t size, size_t align);
static void first_free(void *p);
static void *first_malloc(size_t size);

void *(*real_malloc)(size_t) = first_malloc;
void (*real_free)(void *) = first_free;

#define HOOK_HOT(id, symbol, ret, params, args)
#define HOOK(id, symbol, ret, params, args, family, fallback) \
    static ret first_##id params;                             \
    ret(*real_##id) params = first_##id;                      \
    ret(*target_##id) params = first_##id;                    \
    HOOK_EXPORT ret export_##id params __asm__(symbol);       \
    HOOK_EXPORT ret export_##id params                        \
    {                                                         \
        return target_##id args;                              \
    }
#include "hooks.def"
#undef HOOK

enum hook_index {
#define HOOK(id, symbol, ret, params, args, family, fallback) HOOK_##id,
#include "hooks.def"
#undef HOOK
    N_HOOKS
};

static const struct hook_entry entries[N_HOOKS] = {
#define HOOK(id, symbol, ret, params, args, family, fallback) \
    {symbol,                                                  \
     (function_pointer *)&real_##id,                          \
     (function_pointer *)&target_##id,                        \
     (void *)counted_##id,                                    \
     (void *)fallback,                                        \
     (void *)first_##id,                                      \
     family},
#include "hooks.def"
#undef HOOK
};
#undef HOOK_HOT

/* ---- looking up ---- */

static struct link_map *object_of(const void *address)
{
    struct dl_find_object found;
    if (address == NULL || !libc_is_glibc() || _dl_find_object((void *)address, &found) != 0)
        return NULL;
    return found.dlfo_link_map;
}

static void note_allocator(const void *address)
{
    struct dl_find_object found;
    if (address == NULL || !libc_is_glibc() || _dl_find_object((void *)address, &found) != 0)
        return;
    allocator_start = (uintptr_t)found.dlfo_map_start;
    allocator_end = (uintptr_t)found.dlfo_map_end;
}

bool resolve_in_allocator(uintptr_t address)
{
    return address - allocator_start < allocator_end - allocator_start;
}

bool resolve_is_beneath(uintptr_t address)
{
    struct dl_find_object found;
    return resolve_in_allocator(address) || (_dl_find_object((void *)address, &found) == 0 &&
                                             found.dlfo_link_map == elf_own_object());
}

bool resolve_is_first(void)
{
    return is_first;
}

static void set(const struct hook_entry *entry, void *real, void *target)
{
    __atomic_store_n(entry->real, real, __ATOMIC_RELAXED);
    __atomic_store_n(entry->target, target, __ATOMIC_RELEASE);
}

void *resolve_next(const char *symbol)
{
    if (!libc_is_glibc())
        return dlsym(RTLD_NEXT, symbol);
    const struct link_map *own = elf_own_object();
    return own != NULL ? elf_lookup_from(own->l_next, symbol, NULL) : NULL;
}

/* jemalloc, tcmalloc and mimalloc, by what each calls its own. Their malloc asks nobody else's. */
static bool is_whole(const struct link_map *allocator)
{
    static const char *const own_names[] = {"mallctl", "tc_malloc", "mi_malloc"};
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        if (elf_lookup_in(allocator, own_names[i]) != NULL)
            return true;
    return false;
}

static void *global_function(const char *symbol)
{
    return elf_lookup_from(elf_first_object(), symbol, NULL);
}

static void resolve_entry(const struct hook_entry *entry, struct link_map *allocator)
{
    void *found = resolve_next(entry->symbol);
    if (found == NULL && entry->family == FAMILY_NEW)
        return; /* its library may come later */
    bool counted = is_first && (entry->family != FAMILY_NEW || object_of(found) == allocator);
    if (found == NULL)
        set(entry, entry->fallback, entry->fallback);
    else
        set(entry, found, counted ? entry->counted : found);
}

static void *malloc_past_arena(size_t size);
static void free_past_arena(void *p);
static void *realloc_past_arena(void *p, size_t size);
static void *arena_next_realloc, *arena_next_free;

/* Blocks of the arena may still come back: free and realloc look, from then on. */
static void guard_arena(void)
{
    if (!boot_arena_used() || arena_next_free != NULL)
        return;
    __atomic_store_n(&arena_next_realloc, (void *)real_realloc, __ATOMIC_RELEASE);
    __atomic_store_n(&arena_next_free, (void *)real_free, __ATOMIC_RELEASE);
    if ((void *)target_realloc == (void *)real_realloc)
        target_realloc = realloc_past_arena;
    real_realloc = realloc_past_arena;
    real_free = free_past_arena;
}

bool resolve_all(void)
{
    int expected = NOT_YET;
    if (!__atomic_compare_exchange_n((int *)&state, &expected, UNDER_WAY, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return expected == DONE;
    int saved = errno;
    sanitizer_start();
    const struct link_map *first = NULL;
    elf_lookup_from(elf_first_object(), "malloc", &first);
    is_first = first == NULL || first == elf_own_object();
    void *next = resolve_next("malloc"), *next_free = resolve_next("free");
    struct link_map *allocator = object_of(next);
    note_allocator(next);
    for (size_t i = 0; i < N_HOOKS; i++)
        resolve_entry(&entries[i], allocator);
    struct link_map *libc = object_of((void *)__libc_start_main);
    hook_over_libc = libc != NULL && libc == allocator && libc == object_of((void *)real_calloc) &&
                     libc == object_of((void *)real_realloc);
    hook_over_wrapper = allocator != NULL && allocator != libc && !is_whole(allocator);
    if (next != NULL && next_free != NULL) {
        __atomic_store_n((function_pointer *)&real_free, next_free, __ATOMIC_RELEASE);
        __atomic_store_n((function_pointer *)&real_malloc, next, __ATOMIC_RELEASE);
    } else {
        real_malloc = malloc_past_arena; /* no allocator at all: a program without a C library */
    }
    if (!is_first)
        fallback_onto(global_function);
    guard_arena();
    __atomic_store_n((int *)&state, DONE, __ATOMIC_SEQ_CST);
    errno = saved;
    return true;
}

void resolve_forward_all(void)
{
    for (size_t i = 0; i < N_HOOKS; i++) {
        void *real = __atomic_load_n(entries[i].real, __ATOMIC_RELAXED);
        if (real != entries[i].first)
            __atomic_store_n(entries[i].target, real, __ATOMIC_RELEASE);
    }
}

/* ---- calls before anything is known ---- */

static void *boot_alloc(size_t size, size_t align)
{
    void *p = boot_arena_alloc(size, align);
    if (__atomic_load_n((int *)&state, __ATOMIC_SEQ_CST) == DONE)
        guard_arena();
    return p;
}

static void *first_malloc(size_t size)
{
    return resolve_all() ? real_malloc(size) : boot_alloc(size, 16);
}

static void *malloc_past_arena(size_t size)
{
    return boot_arena_alloc(size, 16);
}

/* Before an allocator is known, every block is the arena's. */
static void first_free(void *p)
{
    if (p != NULL && !boot_arena_owns(p) && resolve_all())
        real_free(p);
}

static void free_past_arena(void *p)
{
    if (!boot_arena_owns(p))
        ((void (*)(void *))arena_next_free)(p);
}

static void *realloc_past_arena(void *p, size_t size)
{
    if (!boot_arena_owns(p))
        return ((void *(*)(void *, size_t))arena_next_realloc)(p, size);
    void *moved = real_malloc(size);
    if (moved != NULL)
        boot_arena_copy(moved, p, size);
    return moved;
}

static void *first_calloc(size_t n, size_t size)
{
    if (resolve_all())
        return target_calloc(n, size);
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return boot_alloc(bytes, 16);
}

static void *first_realloc(void *p, size_t size)
{
    if (resolve_all())
        return target_realloc(p, size);
    void *moved = boot_alloc(size, 16);
    if (moved != NULL && p != NULL && boot_arena_owns(p))
        boot_arena_copy(moved, p, size);
    return moved;
}

static void *first_reallocarray(void *p, size_t n, size_t size)
{
    return resolve_all() ? target_reallocarray(p, n, size) : fallback_reallocarray(p, n, size);
}

static void *first_memalign(size_t align, size_t size)
{
    return resolve_all() ? target_memalign(align, size) : boot_alloc(size, align);
}

static void *first_aligned_alloc(size_t align, size_t size)
{
    return resolve_all() ? target_aligned_alloc(align, size) : boot_alloc(size, align);
}

static int first_posix_memalign(void **out, size_t align, size_t size)
{
    if (resolve_all())
        return target_posix_memalign(out, align, size);
    void *p = boot_alloc(size, align);
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

static void *first_valloc(size_t size)
{
    return resolve_all() ? target_valloc(size) : boot_alloc(size, 4096);
}

static void *first_pvalloc(size_t size)
{
    return resolve_all() ? target_pvalloc(size) : boot_alloc((size + 4095) & -4096ul, 4096);
}

static void first_cfree(void *p)
{
    if (resolve_all())
        target_cfree(p);
}

static void first_free_sized(void *p, size_t size)
{
    if (resolve_all())
        target_free_sized(p, size);
}

static void first_free_aligned_sized(void *p, size_t align, size_t size)
{
    if (resolve_all())
        target_free_aligned_sized(p, align, size);
}

/* Nobody runs C++ or uses jemalloc's API before the loader is done; the arena answers if he does.
 * After resolve_all the target may still be first_ itself: then its library comes with a plugin,
 * and who calls decides. */
static inline void *late(enum hook_index index, const void *caller)
{
    void *found = NULL;
    if (libc_is_glibc())
        found = late_new_find(index, entries[index].symbol, (uintptr_t)caller);
    return found != NULL ? found : entries[index].fallback;
}

#define FIRST(id, ret, params, args, otherwise)                                                   \
    static ret first_##id params                                                                  \
    {                                                                                             \
        if (unlikely(__atomic_load_n((int *)&state, __ATOMIC_ACQUIRE) != DONE) && !resolve_all()) \
            return otherwise;                                                                     \
        ret(*target) params = target_##id;                                                        \
        if (target == first_##id)                                                                 \
            target = (ret(*) params)late(HOOK_##id, __builtin_return_address(0));                 \
        return target args;                                                                       \
    }

FIRST(new, void *, (size_t size), (size), boot_alloc(size, 16))
FIRST(new_array, void *, (size_t size), (size), boot_alloc(size, 16))
FIRST(new_nothrow, void *, (size_t size, const void *t), (size, t), boot_alloc(size, 16))
FIRST(new_array_nothrow, void *, (size_t size, const void *t), (size, t), boot_alloc(size, 16))
FIRST(new_aligned, void *, (size_t size, size_t a), (size, a), boot_alloc(size, a))
FIRST(new_array_aligned, void *, (size_t size, size_t a), (size, a), boot_alloc(size, a))
FIRST(new_aligned_nothrow, void *, (size_t size, size_t a, const void *t), (size, a, t),
      boot_alloc(size, a))
FIRST(new_array_aligned_nothrow, void *, (size_t size, size_t a, const void *t), (size, a, t),
      boot_alloc(size, a))
FIRST(delete, void, (void *p), (p), (void)0)
FIRST(delete_array, void, (void *p), (p), (void)0)
FIRST(delete_nothrow, void, (void *p, const void *t), (p, t), (void)0)
FIRST(delete_array_nothrow, void, (void *p, const void *t), (p, t), (void)0)
FIRST(delete_sized, void, (void *p, size_t size), (p, size), (void)0)
FIRST(delete_array_sized, void, (void *p, size_t size), (p, size), (void)0)
FIRST(delete_aligned, void, (void *p, size_t a), (p, a), (void)0)
FIRST(delete_array_aligned, void, (void *p, size_t a), (p, a), (void)0)
FIRST(delete_sized_aligned, void, (void *p, size_t size, size_t a), (p, size, a), (void)0)
FIRST(delete_array_sized_aligned, void, (void *p, size_t size, size_t a), (p, size, a), (void)0)
FIRST(delete_aligned_nothrow, void, (void *p, size_t a, const void *t), (p, a, t), (void)0)
FIRST(delete_array_aligned_nothrow, void, (void *p, size_t a, const void *t), (p, a, t), (void)0)
FIRST(mallocx, void *, (size_t size, int flags), (size, flags), boot_alloc(size, 16))
FIRST(rallocx, void *, (void *p, size_t size, int flags), (p, size, flags), NULL)
FIRST(xallocx, size_t, (void *p, size_t size, size_t extra, int flags), (p, size, extra, flags), 0)
FIRST(dallocx, void, (void *p, int flags), (p, flags), (void)0)
FIRST(sdallocx, void, (void *p, size_t size, int flags), (p, size, flags), (void)0)
