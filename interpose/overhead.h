/* overhead.h - APPROF_OVERHEAD: a rate that rises by itself where sampling costs too much.
 *
 * Each sample is timed, its free too. Whenever the process has used another 50 ms of processor
 * time, whoever samples next compares: if sampling took more than the ceiling, the rate of all
 * later draws is raised, at least doubled. It never falls again, so it comes to rest. Estimates
 * stay unbiased, since a sample is weighted with the rate at which its gap was drawn. What the
 * unsampled path costs (some 14 instructions for an allocation and its free) is no part of it: no
 * rate changes that.
 *
 * Nothing here happens without APPROF_OVERHEAD, nor once hook_quiet(): reading clocks may be a
 * system call. Lock-free, for a thread that holds its slot's mark.
 */
#ifndef APPROF_OVERHEAD_H
#define APPROF_OVERHEAD_H

#include "slot.h"

#pragma GCC visibility push(hidden)
extern uint32_t overhead_ceiling; /* millionths of the processor time; 0: none. Set once at start */
#pragma GCC visibility pop

uint64_t overhead_clock(void);
void overhead_add(struct thread_slot *slot, uint64_t began);

/* What lies between these two is counted. */
static inline uint64_t overhead_begin(void)
{
    return __builtin_expect(overhead_ceiling != 0, 0) ? overhead_clock() : 0;
}
static inline void overhead_end(struct thread_slot *slot, uint64_t began)
{
    if (__builtin_expect(began != 0, 0))
        overhead_add(slot, began);
}

#endif
