/* unwind.h - the stack walker: from a point in this thread to a list of return addresses.
 *
 * Runs on the sampled path, in any thread, inside malloc, in signal handlers, on alternate stacks
 * and fibers. Takes no lock (least of all the loader's), allocates nothing from the target's heap,
 * and reads only memory that it has verified to be this thread's stack or a loaded module's unwind
 * tables. Makes no system call in the common case; none at all once hook_quiet() (hook_state.h)
 * says so.
 */
#ifndef APPROF_UNWIND_H
#define APPROF_UNWIND_H

#include "heap_tables.h"
#include "slot.h"
#include "tables_place.h"

/* The frame to start from: the caller of the allocation function, as at the instruction after its
 * call. */
struct unwind_start {
    uintptr_t pc; /* return address of the allocation function */
    uintptr_t
        sp; /* stack pointer after the return, i.e. the CFA of the allocation function's frame */
    uintptr_t fp; /* the caller's frame pointer register */
};

/* For use in a non-inlined slow-path function that the allocation function tail-called and that is
 * compiled with -fno-omit-frame-pointer, so its frame record is the allocation function's own. */
#define UNWIND_START_HERE()                                                                     \
    ((struct unwind_start){.pc = (uintptr_t)__builtin_return_address(0),                        \
                           .sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t), \
                           .fp = *(uintptr_t *)__builtin_frame_address(0)})

struct unwind_stack {
    uint32_t n_frames;
    uint32_t flags;             /* enum heap_stack_flags */
    uint64_t hash;              /* of the frames, computed while walking */
    const uint64_t *frames;     /* HEAP_FRAME, leaf first: in room, or in slot->memory until the
                                   next walk there */
    struct tables_place *place; /* kept with this very stack in slot->memory, or NULL */
    uint64_t room[HEAP_MAX_DEPTH];
};

/* backend: "approf" (default), "libunwind", "null" (APPROF_UNWIND). Called once, single-threaded,
 * from the constructor; false if the backend can't be had, and then the default is used. */
bool unwind_init(const char *backend);

/* Walks at most max frames (<= HEAP_MAX_DEPTH). Never fails: at worst the stack holds start->pc
 * alone and is marked truncated. Only what is needed of stack->room is written. */
void unwind_capture(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack);

/* In a forked child, before its first walk: drops what belongs to the parent (per-thread caches,
 * locks, libunwind). */
void unwind_after_fork(void);

#endif
