/* hook_count.c - the slow path: recursion mark, countdown, sample.
 *
 * The order of the stores to a slot is what signal handlers on the same thread see:
 *
 *     enter   depth = marked; remaining -> 0 in one exchange; total += gap - remaining
 *     leave   gap = held; remaining = held; depth = 0
 *
 * so a handler's allocation either runs on the countdown as it stands, or finds 0, takes the slow
 * path, sees the mark and passes. Bytes that the thread allocates are counted exactly once in every
 * interleaving.
 */
#include <errno.h>

#include "hook_state.h"
#include "hooks.h"
#include "overhead.h"
#include "resolve.h"
#include "sampler.h"
#include "slots.h"

#define handler_sees() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* A mark is void when its frame is gone: a handler that interrupted the hook was left by longjmp,
 * or the thread was cancelled there. A live mark's frame is always deeper than ours. Handlers on
 * an alternate stack can be anywhere: only addresses that belong to the same stack are compared. */
static bool mark_is_void(const struct thread_slot *slot, uintptr_t frame)
{
    if (frame < slot->frame)
        return false;
    if (slot->frame >= slot->stack_low && slot->frame < slot->stack_high)
        return frame < slot->stack_high;
    return frame - slot->frame < 64 * 1024;
}

static void note_nested(struct thread_slot *slot, uintptr_t frame)
{
    uintptr_t caller = ((const uintptr_t *)frame)[1];
    if (resolve_is_beneath(caller)) {
        slot->depth = SLOT_NESTED;
        return;
    }
    struct heap_header *header = tables_header();
    if (header != NULL)
        __atomic_fetch_add(&header->lost_reentrant, 1, __ATOMIC_RELAXED);
}

/* The slot to be marked, where it isn't simply this thread's own, unmarked one; NULL: none. */
static HOOK_SLOW struct thread_slot *slot_to_mark(uintptr_t frame)
{
    struct thread_slot *slot = hook_slot;
    if (slot->magic != SLOT_MAGIC) {
        if (!hook_active())
            return NULL;
        slot = slots_acquire();
        if (slot == NULL)
            return NULL;
    }
    if (slot->depth != 0) {
        if (!mark_is_void(slot, frame))
            return NULL;
        if (slot->remaining == 0)
            slot_put_back(slot);
    }
    return slot;
}

/* The mark alone. NULL when it can't be had; the slot's depth is not 0 then if this thread has it.
 */
static inline struct thread_slot *mark(uintptr_t frame)
{
    struct thread_slot *slot = hook_slot;
    if (unlikely(slot->magic != SLOT_MAGIC) || unlikely(slot->depth != 0)) {
        slot = slot_to_mark(frame);
        if (slot == NULL)
            return NULL;
    }
    slot->depth = SLOT_MARKED;
    slot->frame = frame;
    handler_sees();
    return slot;
}

static inline struct thread_slot *enter(uintptr_t frame)
{
    struct thread_slot *slot = mark(frame);
    if (unlikely(slot == NULL)) {
        if (hook_slot->depth != 0)
            note_nested(hook_slot, frame);
        return NULL;
    }
    uint64_t remaining = slot_take_all(slot);
    if (unlikely((int64_t)remaining < 0)) /* two handlers within two instructions */
        remaining = 0;
    slot->total += slot->gap - remaining;
    slot->gap = 0;
    if (likely(!hook_over_wrapper))
        slot->held = remaining;
    return slot;
}

static inline void sample(struct thread_slot *slot, const void *p, size_t size,
                          const struct unwind_start *start)
{
    struct heap_header *header = tables_header();
    struct unwind_stack *stack = slots_capture_take(slot);
    if (unlikely(stack == NULL)) {
        __atomic_fetch_add(&header->lost_samples, 1, __ATOMIC_RELAXED);
        return;
    }
    handler_sees();
    unwind_capture(start, slot, header->depth, stack);
    handler_sees();
    slots_report(slot, header); /* here, beside the totals that the tables add to (heap_tables.h) */
    tables_record_alloc(p, size, slot->rate_index, stack);
    slots_capture_give(slot);
}

static inline void draw(struct thread_slot *slot, const void *p, size_t size,
                        const struct unwind_start *start)
{
    int saved = *slot->error;
    if (likely(slot->rate != 0)) {
        uint64_t began = overhead_begin();
        sample(slot, p, size, start);
        overhead_end(slot, began);
    }
    slots_draw(slot);
    *slot->error = saved;
}

static HOOK_SLOW void draw_elsewhere(struct thread_slot *slot, const void *p, size_t size,
                                     const struct unwind_start *start)
{
    draw(slot, p, size, start);
}

static inline void leave(struct thread_slot *slot)
{
    slot_put_back(slot);
    handler_sees();
    slot->depth = 0;
}

struct thread_slot *hook_enter(uintptr_t frame)
{
    return enter(frame);
}

__attribute__((noinline)) void *hook_leave(struct thread_slot *slot, void *p, size_t size,
                                           const struct unwind_start *start)
{
    if (slot == NULL)
        return p;
    if (p != NULL) {
        uint64_t need = size != 0 ? size : 1;
        slot->total += size;
        if (need <= slot->held)
            slot->held -= need;
        else
            draw_elsewhere(slot, p, size, start);
    }
    leave(slot);
    return p;
}

__attribute__((noinline)) void *hook_count(void *p, size_t size, const struct unwind_start *start,
                                           uintptr_t frame)
{
    struct thread_slot *slot;
    if (unlikely(p == NULL) || unlikely((slot = enter(frame)) == NULL))
        return p;
    uint64_t need = size != 0 ? size : 1;
    slot->total += size;
    if (unlikely(need <= slot->held))
        slot->held -= need;
    else
        draw(slot, p, size, start);
    leave(slot);
    return p;
}

void hook_forget(const void *p, uintptr_t frame)
{
    struct thread_slot *slot = mark(frame);
    if (unlikely(slot == NULL)) {
        if (hook_active()) {
            int saved = errno;
            tables_defer_free(p);
            errno = saved;
        }
        return;
    }
    int saved = *slot->error;
    uint64_t began = overhead_begin();
    tables_record_free(p);
    overhead_end(slot, began);
    *slot->error = saved;
    handler_sees();
    slot->depth = 0;
}

void hook_move_begin(struct thread_slot *slot, struct hook_move *move, const void *p)
{
    move->live = false;
    if (p == NULL || hook_not_live(p))
        return;
    if (slot != NULL)
        move->live = tables_realloc_begin(p, &move->ticket);
    else if (hook_active())
        tables_defer_free(p);
}

void hook_move_end(const struct hook_move *move, bool moved)
{
    if (!move->live)
        return;
    int saved = errno;
    if (moved)
        tables_realloc_commit(&move->ticket);
    else
        tables_realloc_abort(&move->ticket);
    errno = saved;
}
