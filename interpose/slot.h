/* slot.h - what the hook knows of one thread.
 *
 * Slots lie in private pages marked MADV_WIPEONFORK, outside TLS (TLS holds only a pointer to one),
 * and are never given back: a dead thread's remainder still counts in the exact total. In a forked
 * child every slot reads as zeros, so the first allocation of each thread there finds remaining ==
 * 0, takes the slow path, and notices.
 *
 * Only the owning thread writes a slot; the dump at exit reads all of them (relaxed).
 */
#ifndef APPROF_SLOT_H
#define APPROF_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT_MAGIC  UINT32_C(0x510751a7)
#define SLOT_MARKED 1u
#define SLOT_NESTED 2u

struct thread_slot {
    /* Bytes that may still pass before the allocation that is sampled. The fast path is:
     * size - 1 < remaining ? remaining -= size : slow path. 0 in the shared boot slot (which is
     * never written), after a fork, and while the thread is in the slow path; its true value is in
     * held then. */
    uint64_t remaining;
    uint64_t gap;   /* what remaining was when it was last put back */
    uint64_t total; /* requested bytes folded so far, excluding gap - remaining */
    uint64_t held;
    uint64_t reported; /* how much of total the header's total_bytes has */
    uint32_t magic;    /* SLOT_MAGIC once initialised; 0 after a fork */
    uint32_t depth;    /* >0 while this thread is inside the hook's slow path: the recursion mark.
                          SLOT_NESTED once the allocator beneath has called one of ours meanwhile */
    uintptr_t frame;   /* the frame that set the mark: once the stack has shrunk above it (a handler
                          left by longjmp), the mark is void */
    uint64_t random[4];
    uint64_t rate;     /* the rate at which the countdown was drawn */
    uint64_t spent_ns; /* by sampling, not yet handed in (overhead.h) */
    uint32_t rate_index;
    uint32_t index;
    uintptr_t owner; /* address of the owning thread's TLS pointer: a new thread at the same address
                        inherits the slot */
    struct thread_slot *next; /* in its bucket of slots.c */

    /* Stack bounds that the walker has verified so far: [stack_low, stack_high) is readable. */
    uintptr_t stack_low, stack_high;

    void *walker; /* private to the walker: where the stack was found to end, or NULL */
    struct walk_memory *memory; /* of earlier walks (unwind_memory.h), or NULL: does without */

    int *error;       /* the thread's errno */
    uint32_t capture; /* which one it had last (slots.c) */
} __attribute__((aligned(64)));

#endif
