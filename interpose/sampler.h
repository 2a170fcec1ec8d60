/* sampler.h - how many bytes pass between two samples.
 *
 * Every byte requested is the start of a sample with the same small chance, whatever came before:
 * the distance to the next one is exponential with mean R. With G = ceil(E), E exponential of mean
 * R, an allocation of s bytes that finds c of G bytes used up is sampled when c + s >= G, and as
 * the exponential has no memory that is so with
 *
 *     P(G <= c + s | G > c) = P(E <= s) = 1 - exp(-s / R)        (exactly, not for small s/R only)
 *
 * which is what weight.h divides by. The countdown holds G - 1: the bytes that may still pass.
 *
 * Worked numbers, R = 524288: a 16-byte malloc is sampled once in 32768.5 times, one of 512 KiB in
 * 63.2% and one of 16 MiB practically always. R = 1 is every allocation (G is always 1), not the
 * formula; R = 0 is none.
 *
 * Generator: xoshiro256+ (Blackman and Vigna), whose upper 53 bits are used, seeded by splitmix64.
 * Pure functions on the caller's state, without libm: thread- and signal-safe.
 */
#ifndef APPROF_SAMPLER_H
#define APPROF_SAMPLER_H

#include <stdint.h>

/* A thread that is switched off (rate 0) looks again after so many bytes. */
#define SAMPLER_OFF_BYTES (UINT64_C(1) << 20)

void sampler_seed(uint64_t state[4], uint64_t seed);

/* Uniform on (0, 1], 53 bits. */
double sampler_uniform(uint64_t state[4]);

/* Natural logarithm of x, 0 < x, not subnormal; relative error below 1e-14. */
double sampler_log(double x);

/* G - 1 for the next sample. */
uint64_t sampler_draw(uint64_t state[4], uint64_t rate);

/* Something that differs between a parent and its child. */
uint64_t sampler_clock(void);

#endif
