/* hook_new.c - operator new and delete, where the allocator's own object defines them.
 *
 * libstdc++'s operators call malloc and free, where they are counted: they are only passed on
 * (resolve.c). jemalloc, tcmalloc and mimalloc bring operators that don't.
 *
 * Whether an allocator's operator new calls its exported malloc (jemalloc before 5.3 does) can't be
 * seen from outside: the first call of each variant runs under the recursion mark and looks whether
 * the allocator came back to us. If it did, this operator is passed on from then on, as
 * libstdc++'s are; if not, it gets a fast path like malloc's.
 *
 * operator new throws. No exception may pass a frame of ours that holds the mark, so the mark is
 * held around the nothrow variants only.
 */
#include "hooks.h"
#include "resolve.h"

typedef void *(*new_function)(size_t);

/* The first call: decides what target becomes. */
static __attribute__((noinline)) void *
new_first(size_t size, void *(*nothrow)(size_t, const void *), new_function real, new_function fast,
          new_function *target, const struct unwind_start *start, uintptr_t frame)
{
    static const char nothrow_tag;
    struct thread_slot *slot = hook_enter(frame);
    if (slot == NULL)
        return real(size);
    if (!resolve_in_allocator((uintptr_t)nothrow)) { /* nothing safe to try it with */
        __atomic_store_n(target, fast, __ATOMIC_RELAXED);
        hook_leave(slot, NULL, 0, start);
        return fast(size);
    }
    void *p = nothrow(size, &nothrow_tag);
    __atomic_store_n(target, slot->depth == SLOT_NESTED ? real : fast, __ATOMIC_RELAXED);
    hook_leave(slot, p, size, start);
    return p != NULL ? p : real(size);
}

#define COUNTED_NEW(id)                                                                         \
    static HOOK_SLOW void *id##_slow(size_t size)                                               \
    {                                                                                           \
        struct unwind_start start = UNWIND_START_HERE();                                        \
        slot_untake(size);                                                                      \
        return hook_count(real_##id(size), size, &start, HOOK_FRAME());                         \
    }                                                                                           \
    static void *id##_fast(size_t size)                                                         \
    {                                                                                           \
        if (hook_passes(size))                                                                  \
            return real_##id(size);                                                             \
        return id##_slow(size);                                                                 \
    }                                                                                           \
    void *counted_##id(size_t size)                                                             \
    {                                                                                           \
        struct unwind_start start = UNWIND_START_HERE();                                        \
        return new_first(size, real_##id##_nothrow, real_##id, id##_fast, &target_##id, &start, \
                         HOOK_FRAME());                                                         \
    }

COUNTED_NEW(new)
COUNTED_NEW(new_array)

#define COUNTED_NEW_NOTHROW(id)                                    \
    void *counted_##id(size_t size, const void *t)                 \
    {                                                              \
        struct unwind_start start = UNWIND_START_HERE();           \
        struct thread_slot *slot = hook_enter(HOOK_FRAME());       \
        return hook_leave(slot, real_##id(size, t), size, &start); \
    }

COUNTED_NEW_NOTHROW(new_nothrow)
COUNTED_NEW_NOTHROW(new_array_nothrow)

/* jemalloc's calls its exported aligned_alloc: always under the mark. When the nothrow variant has
 * nothing to give, the throwing one is called without it, to throw or to run the new handler. */
#define COUNTED_NEW_ALIGNED(id)                                     \
    void *counted_##id(size_t size, size_t a)                       \
    {                                                               \
        struct unwind_start start = UNWIND_START_HERE();            \
        static const char nothrow_tag;                              \
        if (resolve_in_allocator((uintptr_t)real_##id##_nothrow)) { \
            struct thread_slot *slot = hook_enter(HOOK_FRAME());    \
            void *p = real_##id##_nothrow(size, a, &nothrow_tag);   \
            hook_leave(slot, p, size, &start);                      \
            if (p != NULL)                                          \
                return p;                                           \
        }                                                           \
        return real_##id(size, a);                                  \
    }

COUNTED_NEW_ALIGNED(new_aligned)
COUNTED_NEW_ALIGNED(new_array_aligned)

#define COUNTED_NEW_ALIGNED_NOTHROW(id)                               \
    void *counted_##id(size_t size, size_t a, const void *t)          \
    {                                                                 \
        struct unwind_start start = UNWIND_START_HERE();              \
        struct thread_slot *slot = hook_enter(HOOK_FRAME());          \
        return hook_leave(slot, real_##id(size, a, t), size, &start); \
    }

COUNTED_NEW_ALIGNED_NOTHROW(new_aligned_nothrow)
COUNTED_NEW_ALIGNED_NOTHROW(new_array_aligned_nothrow)

/* The guard is not held around the real delete: a free that it calls finds nothing left to do. */
#define COUNTED_DELETE(id, params, args)  \
    void counted_##id params              \
    {                                     \
        if (!hook_not_live(p))            \
            hook_forget(p, HOOK_FRAME()); \
        real_##id args;                   \
    }

COUNTED_DELETE(delete, (void *p), (p))
COUNTED_DELETE(delete_array, (void *p), (p))
COUNTED_DELETE(delete_nothrow, (void *p, const void *t), (p, t))
COUNTED_DELETE(delete_array_nothrow, (void *p, const void *t), (p, t))
COUNTED_DELETE(delete_sized, (void *p, size_t size), (p, size))
COUNTED_DELETE(delete_array_sized, (void *p, size_t size), (p, size))
COUNTED_DELETE(delete_aligned, (void *p, size_t a), (p, a))
COUNTED_DELETE(delete_array_aligned, (void *p, size_t a), (p, a))
COUNTED_DELETE(delete_sized_aligned, (void *p, size_t size, size_t a), (p, size, a))
COUNTED_DELETE(delete_array_sized_aligned, (void *p, size_t size, size_t a), (p, size, a))
COUNTED_DELETE(delete_aligned_nothrow, (void *p, size_t a, const void *t), (p, a, t))
COUNTED_DELETE(delete_array_aligned_nothrow, (void *p, size_t a, const void *t), (p, a, t))
