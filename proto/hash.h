/* hash.h - hashing of untrusted bytes and numbers for tables inside one process.
 *
 * Not cryptographic; seeded with an address of this process, so that a file can't be made in
 * advance whose entries all collide. Values must not be written to files and nothing visible may
 * depend on their order.
 */
#ifndef APPROF_HASH_H
#define APPROF_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_u64(uint64_t seed, uint64_t value)
{
    return hash_mix(value ^ seed, UINT64_C(0x9e3779b97f4a7c15) ^ (seed << 1));
}

static inline uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    uint64_t hash = hash_u64(seed, n);
    for (; n >= 8; at += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_mix(hash ^ word, UINT64_C(0xd6e8feb86659fd93) ^ seed);
    }
    if (n) {
        uint64_t word = 0;
        memcpy(&word, at, n);
        hash = hash_mix(hash ^ word, UINT64_C(0xa0761d6478bd642f) ^ seed);
    }
    return hash_mix(hash, UINT64_C(0xe7037ed1a0b428db));
}

/* The seed of this process. */
uint64_t hash_seed(void);

#endif
