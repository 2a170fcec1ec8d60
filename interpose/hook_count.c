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

/* The mark alone. *inside says, when it can't be had, whether that is because this thread has it.
 */
static struct thread_slot *mark(uintptr_t frame, bool *inside)
{
    struct thread_slot *slot = hook_slot;
    *inside = false;
    if (unlikely(slot->magic != SLOT_MAGIC)) {
        if (!hook_active())
            return NULL;
        slot = slots_acquire();
        if (slot == NULL)
            return NULL;
    }
    if (unlikely(slot->depth != 0)) {
        if (!mark_is_void(slot, frame)) {
            *inside = true;
            return NULL;
        }
        if (slot->remaining == 0)
            slot_put_back(slot);
    }
    slot->depth = SLOT_MARKED;
    slot->frame = frame;
    handler_sees();
    return slot;
}

struct thread_slot *hook_enter(uintptr_t frame)
{
    bool inside;
    struct thread_slot *slot = mark(frame, &inside);
    if (slot == NULL) {
        if (inside)
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

static void sample(struct thread_slot *slot, const void *p, size_t size,
                   const struct unwind_start *start)
{
    struct heap_header *header = tables_header();
    struct capture *capture = slots_capture_take(slot);
    if (capture == NULL) {
        __atomic_fetch_add(&header->lost_samples, 1, __ATOMIC_RELAXED);
        return;
    }
    struct unwind_stack *stack = &capture->stack;
    /* A handler may leave the walk by longjmp, with half of another stack in memory. */
    struct tables_place place = capture->place;
    capture->place = (struct tables_place){0};
    handler_sees();
    unwind_capture(start, slot, header->depth, stack);
    handler_sees();
    if (stack->repeated)
        capture->place = place;
    tables_record_alloc_at(p, size, slot->rate_index, stack, &capture->place);
    slots_capture_give(slot);
}

static HOOK_SLOW void draw(struct thread_slot *slot, const void *p, size_t size,
                           const struct unwind_start *start)
{
    int saved = errno;
    if (slot->rate != 0) {
        uint64_t began = overhead_begin();
        sample(slot, p, size, start);
        overhead_end(slot, began);
    }
    slots_draw(slot);
    errno = saved;
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
            draw(slot, p, size, start);
    }
    slot_put_back(slot);
    handler_sees();
    slot->depth = 0;
    return p;
}

__attribute__((noinline)) void *hook_count(void *p, size_t size, const struct unwind_start *start,
                                           uintptr_t frame)
{
    if (p == NULL)
        return NULL;
    return hook_leave(hook_enter(frame), p, size, start);
}

void hook_forget(const void *p, uintptr_t frame)
{
    int saved = errno;
    bool inside;
    struct thread_slot *slot = mark(frame, &inside);
    if (slot != NULL) {
        uint64_t began = overhead_begin();
        tables_record_free(p);
        overhead_end(slot, began);
        handler_sees();
        slot->depth = 0;
    } else if (hook_active()) {
        tables_defer_free(p);
    }
    errno = saved;
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
