/* hooks.h - how an intercepted function counts.
 *
 * Fast paths (malloc, free, and with glibc calloc and realloc) test the thread's countdown or the
 * filter of live samples and jump on to the allocator beneath: no guard, no initialisation flag.
 * Everything else goes
 *
 *     struct thread_slot *slot = hook_enter(frame);   NULL: pass through, uncounted
 *     result = real_...(...);
 *     return hook_leave(slot, result, size, &start);
 *
 * While a thread is between the two, its countdown reads 0, so that whatever the allocator beneath
 * calls of ours takes the slow path, sees the mark and passes: only the outermost call counts. So
 * does a signal handler's allocation.
 *
 * Nothing here locks, allocates from the target's heap or changes errno. All of it may run in any
 * thread, in signal handlers, and before any constructor.
 */
#ifndef APPROF_HOOKS_H
#define APPROF_HOOKS_H

#include "slot.h"
#include "tables.h"
#include "unwind.h"

#pragma GCC visibility push(hidden) /* reached directly, not through the GOT */

/* real_<id> is the next definition, target_<id> what the exported function jumps to, counted_<id>
 * our way around the former. */
#define HOOK_HOT(id, symbol, ret, params, args) extern ret(*real_##id) params;
#define HOOK(id, symbol, ret, params, args, family, fallback) \
    extern ret(*real_##id) params;                            \
    extern ret(*target_##id) params;                          \
    ret counted_##id params;
#include "hooks.def"
#undef HOOK_HOT
#undef HOOK

#pragma GCC visibility pop

#define HOOK_EXPORT  __attribute__((visibility("default")))
#define HOOK_SLOW    __attribute__((noinline))
#define likely(x)    __builtin_expect(!!(x), 1)
#define unlikely(x)  __builtin_expect(!!(x), 0)
#define HOOK_FRAME() ((uintptr_t)__builtin_frame_address(0))

/* This thread's slot: &boot_slot until its first slow path. Initial-exec TLS, 8 bytes. */
extern _Thread_local struct thread_slot *hook_slot __attribute__((visibility("hidden")));

/* Subtracts size from the countdown in one instruction, so that no signal handler can come between
 * the reading and the writing; true when it went below zero after all, because a handler did come
 * between the test and this. slot_untake takes it back. */
static inline bool slot_take(struct thread_slot *slot, size_t size)
{
#if defined(__x86_64__)
    bool borrow;
    __asm__("subq %2, %0" : "+m"(slot->remaining), "=@ccc"(borrow) : "r"(size) : "cc");
    return borrow;
#else
    uint64_t before = slot->remaining;
    slot->remaining = before - size;
    return size > before;
#endif
}

/* Reads the countdown and leaves 0, in one instruction as far as this thread's signal handlers go;
 * no other thread writes it, so none of the locked kind. */
static inline uint64_t slot_take_all(struct thread_slot *slot)
{
#if defined(__x86_64__)
    uint64_t all = slot->remaining, none = 0;
    bool taken;
    do
        __asm__("cmpxchgq %3, %0"
                : "+m"(slot->remaining), "+a"(all), "=@ccz"(taken)
                : "r"(none)
                : "cc");
    while (unlikely(!taken));
    return all;
#else
    return __atomic_exchange_n(&slot->remaining, 0, __ATOMIC_RELAXED);
#endif
}

/* size 0 always takes the slow path (0 - 1 is never less): it draws as one byte and counts none. */
static inline bool hook_passes(size_t size)
{
    struct thread_slot *slot = hook_slot;
    return likely(size - 1 < slot->remaining) && likely(!slot_take(slot, size));
}

static inline bool hook_not_live(const void *p)
{
    /* One byte that other threads write: a plain load, as an atomic one costs an instruction. */
    return likely(tables_filter[tables_filter_bucket(p)] == 0);
}

/* The slow path's first act, when hook_passes has said no. */
static inline void slot_untake(size_t size)
{
    struct thread_slot *slot = hook_slot;
    if (unlikely((int64_t)slot->remaining < 0))
        slot->remaining += size;
}

/* Takes the recursion mark. NULL when nothing is to be counted: not started, profiling is off in
 * this process, this thread is inside already, or no slot can be had. frame is HOOK_FRAME() of the
 * intercepted function. */
struct thread_slot *hook_enter(uintptr_t frame);

/* Gives the mark back, and before that counts p (size bytes as requested) unless it is NULL. Does
 * nothing for slot NULL. Returns p. errno is as the allocator beneath left it. */
void *hook_leave(struct thread_slot *slot, void *p, size_t size, const struct unwind_start *start);

/* enter and leave around nothing: for calls that need no guard. */
void *hook_count(void *p, size_t size, const struct unwind_start *start, uintptr_t frame);

/* Removes p from the live samples; must come before the real free. */
void hook_forget(const void *p, uintptr_t frame);

/* A reallocation between hook_enter and hook_leave; both do nothing for slot NULL. */
struct hook_move {
    struct tables_ticket ticket;
    bool live;
};
void hook_move_begin(struct thread_slot *slot, struct hook_move *move, const void *p);
void hook_move_end(const struct hook_move *move, bool moved);

/* True when malloc is libc's own: then calloc and realloc call no other intercepted function and
 * may be passed on without a guard. */
extern bool hook_over_libc __attribute__((visibility("hidden")));

/* True when the allocator beneath is none that is known not to call malloc's family itself (a
 * wrapper, say): then all calls take the slow path, under the mark, so that only the outermost call
 * of a nest counts. */
extern bool hook_over_wrapper __attribute__((visibility("hidden")));

/* What is held goes back into the countdown, where the fast path sees it, unless it must not. */
static inline void slot_put_back(struct thread_slot *slot)
{
    uint64_t left = unlikely(hook_over_wrapper) ? 0 : slot->held;
    slot->gap = left;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler of this thread sees both or neither */
    slot->remaining = left;
}

#endif
