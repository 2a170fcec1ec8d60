/* weight.h - how many objects one sample stands for.
 *
 * With an exponential gap of mean R bytes between draws, an allocation of s bytes is sampled with
 * probability p = 1 - exp(-s/R), and so stands for w = 1/p objects and w*s bytes: summed over
 * samples, both are unbiased for any mix of sizes (Horvitz-Thompson). Worked numbers at R = 524288:
 *
 *     s = 16          p = 3.0517e-5   w = 32768.5       w*s = 524296
 *     s = 524288      p = 0.63212     w = 1.58198       w*s = 829411
 *     s = 16777216    p = 1 - 1e-14   w = 1.00000       w*s = 16777216
 *
 * Pure functions without libm: thread- and signal-safe. Relative error below 1e-14.
 */
#ifndef APPROF_WEIGHT_H
#define APPROF_WEIGHT_H

#include <stdint.h>

/* 1 - exp(-x) for x >= 0. */
double weight_probability(double x);

/* w for one sample of size bytes drawn at rate. Size 0 draws as 1 byte. Rate 0 or 1: exactly 1. */
double weight_of(uint64_t size, uint64_t rate);

/* w*size, rounded to whole bytes: what one sample adds to the estimate of live bytes, and, being
 * deterministic, what its free takes away again. Saturates. */
uint64_t weight_bytes(double weight, uint64_t size);

#endif
