/* spin.h - short spin locks for the hook.
 *
 * A lock lies in a page that a fork wipes, so a child finds it free. Waiting is bounded (a few
 * seconds): a holder may be stopped, or gone with a signal handler that jumped out of the hook.
 * Whoever gives up counts its event as lost and goes on; the lock remembers that, and later waits
 * for it are short until someone gets it again. The caller holds its slot's recursion mark, so no
 * lock is ever asked for twice by one thread: a lock that carries our own name was left behind by
 * such a jump, and is ours.
 */
#ifndef APPROF_SPIN_H
#define APPROF_SPIN_H

#include <stdbool.h>
#include <stdint.h>
#include "foreign_libc.h"

struct spin {
    uintptr_t holder; /* atomic; 0 is free, else the holder's thread pointer */
    uint32_t gave_up; /* atomic, relaxed; someone waited in vain and nobody has held it since */
    uint32_t reserved;
};

enum spin_result { SPIN_FAILED, SPIN_LOCKED, SPIN_ABANDONED };

enum spin_result spin_wait(struct spin *lock, uintptr_t self);

/* Waits a little for another thread, longer with each turn (from 0); false after some seconds in
 * all. Up to turn SPIN_SHORT it takes microseconds and no system call. */
enum { SPIN_SHORT = 200 };
bool spin_step(unsigned turn);

/* True while the process has but one thread: then no read-modify-write needs to be atomic. The C
 * library's own malloc relies on the same flag. */
static inline bool spin_single(void)
{
    return __libc_single_threaded != 0;
}

/* SPIN_ABANDONED: locked, and what it guards may be half changed. */
static inline enum spin_result spin_lock(struct spin *lock)
{
    uintptr_t self = (uintptr_t)__builtin_thread_pointer();
    uintptr_t was = 0;
    if (spin_single()) {
        was = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        if (__builtin_expect(was == 0, 1)) {
            __atomic_store_n(&lock->holder, self, __ATOMIC_RELAXED);
            return SPIN_LOCKED;
        }
    } else if (__builtin_expect(__atomic_compare_exchange_n(&lock->holder, &was, self, false,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED),
                                1)) {
        return SPIN_LOCKED;
    }
    return spin_wait(lock, self);
}

static inline void spin_unlock(struct spin *lock)
{
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

/* Additions to what several threads add to, relaxed. single is spin_single(), which is asked once
 * for many. */
static inline uint64_t add_u64(uint64_t *sum, uint64_t n, bool single)
{
    if (single) {
        uint64_t now = __atomic_load_n(sum, __ATOMIC_RELAXED) + n;
        __atomic_store_n(sum, now, __ATOMIC_RELAXED);
        return now;
    }
    return __atomic_add_fetch(sum, n, __ATOMIC_RELAXED);
}

/* sum holds the bits of a double. */
static inline void add_double(uint64_t *sum, double x, bool single)
{
    union {
        uint64_t bits;
        double value;
    } was = {.bits = __atomic_load_n(sum, __ATOMIC_RELAXED)}, now;
    if (single) {
        now.value = was.value + x;
        __atomic_store_n(sum, now.bits, __ATOMIC_RELAXED);
        return;
    }
    do
        now.value = was.value + x;
    while (!__atomic_compare_exchange_n(sum, &was.bits, now.bits, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

#endif
