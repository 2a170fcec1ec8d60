/* slots.h - where the threads' slots (slot.h) come from.
 *
 * All state that a fork must not carry over lies in mappings marked MADV_WIPEONFORK: in a child it
 * reads as zeros, and slots_forked() says so. Where the kernel doesn't know that advice, process
 * ids are compared at each draw instead.
 *
 * Lock-free; any thread, signal handlers included. slots_init alone is for the constructor.
 */
#ifndef APPROF_SLOTS_H
#define APPROF_SLOTS_H

#include "slot.h"
#include "spin.h"
#include "tables.h"
#include "unwind.h"
#include "unwind_memory.h"

/* The shared slot that every thread starts with; never written. */
extern struct thread_slot boot_slot;

/* False when there is no memory. seed 0: from the kernel's randomness. */
bool slots_init(uint64_t seed);

/* This thread's own slot, made or taken over from a dead thread, with a fresh countdown, and
 * stored in hook_slot. NULL: none can be had (now). In a forked child that has not begun yet this
 * is where it begins. */
struct thread_slot *slots_acquire(void);

/* A new countdown at the present rate into slot->held; reports the slot's total to the header. */
void slots_draw(struct thread_slot *slot);

/* Adds to the header's total what the slot has counted since. */
static inline void slots_report(struct thread_slot *slot, struct heap_header *header)
{
    if (slot->total == slot->reported)
        return;
    add_u64(&header->total_bytes, slot->total - slot->reported, spin_single());
    slot->reported = slot->total;
}

/* The rate of all later draws; 0 stops sampling. False when the table of rates is full. */
bool slots_set_rate(uint64_t rate);

/* Whether rates[index] is the rate of later draws. */
bool slots_rate_is(uint32_t index);

/* Room for one stack while it is being walked, one for a thread; NULL when all are in use.
 * slot->memory is what the walker remembers of those before. */
struct unwind_stack *slots_capture_take(struct thread_slot *slot);
void slots_capture_give(struct thread_slot *slot);

/* Requested bytes of all threads, dead ones too, including what their countdowns hold. Exact when
 * no other thread allocates. */
uint64_t slots_total(void);

/* Whether nothing is being allocated: true of slots_rest, and then of slots_rested with the same
 * total, means that no thread allocated in between, so that the total is exact. */
bool slots_rest(uint64_t *total);
bool slots_rested(uint64_t total);

/* True in a forked child whose own tables have not been made yet. */
bool slots_forked(void);

/* For fork.c: true for the one thread that makes the child's tables; then slots_child_done(). */
bool slots_child_begin(void);
void slots_child_done(void);

/* True the first time in this process (a forked child is a new one): the dump runs once. */
bool slots_claim_dump(void);

#endif
