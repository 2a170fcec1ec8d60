/* overhead.c - see overhead.h. Owns the sum of what sampling took since the last comparison. */
#include "overhead.h"

#include "hook_state.h"
#include "options.h"
#include "raw_sys.h"
#include "sampler.h"
#include "slots.h"

enum {
    LONGEST_NS = 50000,   /* of one sample: who loses the processor meanwhile takes no longer */
    HAND_IN_NS = 20000,   /* what a thread collects before it tells the others */
    PERIOD_NS = 50000000, /* of processor time between two comparisons */
    STEEPEST = 64,        /* times the rate, at one comparison */
};

uint32_t overhead_ceiling;

static uint64_t spent_ns;    /* atomic; handed in since the last comparison */
static uint64_t compared_at; /* atomic; processor time of the process then */

uint64_t overhead_clock(void)
{
    return hook_quiet() ? 0 : sampler_clock();
}

static uint64_t processor_ns(void)
{
    struct timespec t = {0};
    raw_syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Samples of objects far smaller than the rate become rarer as it grows, others less so: where one
 * raise was not enough, the next comparison goes on. */
static void raise_rate(const struct thread_slot *slot, double too_much)
{
    uint64_t factor = 2;
    while ((double)factor < too_much && factor < STEEPEST)
        factor *= 2;
    if (slot->rate != 0 && slots_rate_is(slot->rate_index) &&
        slot->rate <= OPTION_RATE_MAX / factor)
        slots_set_rate(slot->rate * factor);
}

static void compare(const struct thread_slot *slot)
{
    uint64_t now = processor_ns(), before = __atomic_load_n(&compared_at, __ATOMIC_RELAXED);
    if (now >= before && now - before < PERIOD_NS)
        return;
    if (!__atomic_compare_exchange_n(&compared_at, &before, now, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return; /* somebody else is at it */
    uint64_t spent = __atomic_exchange_n(&spent_ns, 0, __ATOMIC_RELAXED);
    if (now < before)
        return; /* a forked child, whose time begins at 0 */
    double allowed = (double)(now - before) * overhead_ceiling / 1e6;
    if ((double)spent > allowed)
        raise_rate(slot, (double)spent / allowed);
}

void overhead_add(struct thread_slot *slot, uint64_t began)
{
    uint64_t took = sampler_clock() - began;
    slot->spent_ns += took < LONGEST_NS ? took : LONGEST_NS;
    if (slot->spent_ns < HAND_IN_NS)
        return;
    __atomic_fetch_add(&spent_ns, slot->spent_ns, __ATOMIC_RELAXED);
    slot->spent_ns = 0;
    compare(slot);
}
