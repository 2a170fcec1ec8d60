/* spin.c - the slow side of spin.h: waiting. */
#include "spin.h"
#include "hook_state.h"
#include "raw_sys.h"

/* First by pausing (the holder is running and needs some 50 ns), then by yielding (it was
 * preempted), then by sleeping, which lets even a holder of lower priority run. */
enum {
    YIELDS = 100,
    SLEEPS = 20000,
    SLEEP_NS = 100000,
    QUIET_PAUSES = 20000000 /* no system call allowed: about a second */
};

static bool try_lock(struct spin *lock, uintptr_t self)
{
    uintptr_t was = 0;
    if (__atomic_load_n(&lock->holder, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&lock->holder, &was, self, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&lock->gave_up, 0, __ATOMIC_RELAXED);
    return true;
}

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

bool spin_step(unsigned turn)
{
    if (turn < SPIN_SHORT || hook_quiet()) {
        pause_cpu();
        return turn < QUIET_PAUSES;
    }
    turn -= SPIN_SHORT;
    if (turn < YIELDS)
        raw_yield();
    else
        raw_sleep_ns(SLEEP_NS);
    return turn < YIELDS + SLEEPS;
}

enum spin_result spin_wait(struct spin *lock, uintptr_t self)
{
    if (__atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == self)
        return SPIN_ABANDONED;
    for (unsigned turn = 0; spin_step(turn); turn++) {
        if (try_lock(lock, self))
            return SPIN_LOCKED;
        if (turn == SPIN_SHORT && __atomic_load_n(&lock->gave_up, __ATOMIC_RELAXED))
            return SPIN_FAILED;
    }
    __atomic_store_n(&lock->gave_up, 1, __ATOMIC_RELAXED);
    return SPIN_FAILED;
}
