/* unwind_bounds.h - which addresses the walker may read: this thread's stack, as far as it has been
 * verified, and on foreign stacks (an alternate signal stack, a fiber) page by page.
 *
 * A thread's own stack reaches from its stack pointer to a known top (the thread control block,
 * which glibc puts above the stack; for the initial thread what the loader noted). It is verified
 * once, downward from the top, by a system call that fails on an unreadable page, and remembered in
 * the slot. On a foreign stack only the page under the stack pointer is taken for granted. Once
 * hook_quiet() nothing more is verified; what isn't yet, ends the walk.
 */
#ifndef APPROF_UNWIND_BOUNDS_H
#define APPROF_UNWIND_BOUNDS_H

#include "slot.h"
#include <stdbool.h>
#include <stdint.h>

struct stack_region {
    uintptr_t low, high; /* [low, high) may be read */
    bool foreign;
    uint32_t probes_left; /* of this walk, on foreign stacks */
};

/* Once, from the constructor: notes the initial thread and its stack. */
void bounds_init(void);

/* At the start of a walk. */
void bounds_begin(struct stack_region *region);

/* Moves to the stack that sp is on. current: sp is the processor's own, so its page is readable;
 * otherwise it was found in memory, and nothing is taken for granted. */
void bounds_enter(struct stack_region *region, struct thread_slot *slot, uintptr_t sp,
                  bool current);

/* For an aligned word outside of [low, high): verifies its page if it may be verified, and moves
 * the region there. */
bool bounds_extend(struct stack_region *region, uintptr_t address);

/* Whether the 8 bytes at address may be read. */
static inline bool bounds_hold(struct stack_region *region, uintptr_t address)
{
    if (__builtin_expect(address - region->low < region->high - region->low, 1))
        return true;
    return bounds_extend(region, address);
}

#endif
