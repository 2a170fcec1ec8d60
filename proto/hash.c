/* hash.c - the seed of hash.h. */
#include "hash.h"

#include <stdint.h>

uint64_t hash_seed(void)
{
    /* Address randomisation is entropy enough to spoil a prepared file, and needs no system call.
     * The stack's and the image's addresses are drawn independently. */
    static uint64_t seed;
    uint64_t known = __atomic_load_n(&seed, __ATOMIC_RELAXED);
    if (!known) {
        known = hash_mix((uintptr_t)&seed ^ UINT64_C(0x8ebc6af09c88c6e3),
                         (uintptr_t)&known ^ UINT64_C(0x589965cc75374cc3)) |
                1;
        __atomic_store_n(&seed, known, __ATOMIC_RELAXED);
    }
    return known;
}
