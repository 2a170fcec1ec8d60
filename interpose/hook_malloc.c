/* hook_malloc.c - malloc, free and the rest of the C family.
 *
 * The fast paths live here; counting is in hook_count.c, finding the next definition in resolve.c.
 * Every `return real_...(...)` of a fast path must be a jump: the caller's return address is then
 * the first frame of the slow function, and nothing of ours lies between the program and its
 * allocator. tests/hooks/fast_path.sh reads the machine code.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "hook_state.h"
#include "hooks.h"

/* ---- malloc and free ---- */

static HOOK_SLOW void *malloc_slow(size_t size)
{
    if (!hook_active()) /* every call of a process that is not profiled comes here */
        return real_malloc(size);
    struct unwind_start start = UNWIND_START_HERE();
    slot_untake(size);
    if (unlikely(hook_over_wrapper)) {
        struct thread_slot *slot = hook_enter(HOOK_FRAME());
        return hook_leave(slot, real_malloc(size), size, &start);
    }
    return hook_count(real_malloc(size), size, &start, HOOK_FRAME());
}

HOOK_EXPORT void *malloc(size_t size)
{
    if (hook_passes(size))
        return real_malloc(size);
    return malloc_slow(size);
}

static HOOK_SLOW void free_slow(void *p)
{
    hook_forget(p, HOOK_FRAME());
    real_free(p);
}

HOOK_EXPORT void free(void *p)
{
    if (hook_not_live(p))
        real_free(p);
    else
        free_slow(p);
}

/* ---- calloc, realloc, reallocarray ---- */

static HOOK_SLOW void *calloc_slow(size_t n, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return real_calloc(n, size);
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_calloc(n, size), bytes, &start);
}

/* A borrow that calloc or realloc met is made good before the slow function looks at anything. */
static HOOK_SLOW void *calloc_untake(size_t n, size_t size)
{
    slot_untake(n * size);
    return calloc_slow(n, size);
}

void *counted_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (likely(hook_over_libc) && likely(!__builtin_mul_overflow(n, size, &bytes))) {
        struct thread_slot *slot = hook_slot;
        if (likely(bytes - 1 < slot->remaining)) {
            if (likely(!slot_take(slot, bytes)))
                return real_calloc(n, size);
            return calloc_untake(n, size);
        }
    }
    return calloc_slow(n, size);
}

/* A block that was freed by realloc(p, 0) comes back as NULL, and so does a failure: told apart by
 * the size, as the standard has it. */
static HOOK_SLOW void *realloc_slow(void *p, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    struct hook_move move;
    hook_move_begin(slot, &move, p);
    void *moved = real_realloc(p, size);
    hook_move_end(&move, moved != NULL || size == 0);
    return hook_leave(slot, moved, size, &start);
}

static HOOK_SLOW void *realloc_untake(void *p, size_t size)
{
    slot_untake(size);
    return realloc_slow(p, size);
}

void *counted_realloc(void *p, size_t size)
{
    if (likely(hook_over_libc) && hook_not_live(p)) {
        struct thread_slot *slot = hook_slot;
        if (likely(size - 1 < slot->remaining)) {
            if (likely(!slot_take(slot, size)))
                return real_realloc(p, size);
            return realloc_untake(p, size);
        }
    }
    return realloc_slow(p, size);
}

void *counted_reallocarray(void *p, size_t n, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return real_reallocarray(p, n, size);
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    struct hook_move move;
    hook_move_begin(slot, &move, p);
    void *moved = real_reallocarray(p, n, size);
    hook_move_end(&move, moved != NULL || bytes == 0);
    return hook_leave(slot, moved, bytes, &start);
}

/* ---- aligned blocks ---- */

void *counted_memalign(size_t align, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_memalign(align, size), size, &start);
}

void *counted_aligned_alloc(size_t align, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_aligned_alloc(align, size), size, &start);
}

int counted_posix_memalign(void **out, size_t align, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    int error = real_posix_memalign(out, align, size);
    hook_leave(slot, error == 0 ? *out : NULL, size, &start);
    return error;
}

void *counted_valloc(size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_valloc(size), size, &start);
}

void *counted_pvalloc(size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_pvalloc(size), size, &start);
}

/* ---- free by other names ---- */

void counted_cfree(void *p)
{
    if (!hook_not_live(p))
        hook_forget(p, HOOK_FRAME());
    real_cfree(p);
}

void counted_free_sized(void *p, size_t size)
{
    if (!hook_not_live(p))
        hook_forget(p, HOOK_FRAME());
    real_free_sized(p, size);
}

void counted_free_aligned_sized(void *p, size_t align, size_t size)
{
    if (!hook_not_live(p))
        hook_forget(p, HOOK_FRAME());
    real_free_aligned_sized(p, align, size);
}
