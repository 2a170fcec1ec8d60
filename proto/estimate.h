/* estimate.h - how far a sampled figure may be from the truth.
 *
 * A sample of size s at rate R has the weight w = 1/p, p = 1 - exp(-s/R). T = sum of w (objects) or
 * of w*s (bytes) is unbiased, and its variance is estimated, without bias too, by
 *
 *     objects  V = sum (1-p)/p^2     = sum (w^2 - w)
 *     bytes    V = sum s^2 (1-p)/p^2 = sum s^2 (w^2 - w)
 *
 * (draws of different allocations are independent). One counter holds one stack and size class, in
 * which sizes differ by less than a fifth, so s there is taken as (sum ws)/(sum w).
 *
 * The interval is the score interval: those T' for which the observed T lies within z standard
 * deviations, the variance being the one at T', which grows with it: V * T'/T. With f = V/T
 *
 *     T' = T + z^2 f/2 -+ z sqrt(f T + z^2 f^2/4)
 *
 * For p << 1 and equal sizes that is the Poisson score interval on n samples, scaled; for mixed
 * ones it is that on the effective sample size (sum w)^2 / (sum w^2). Where every object is sampled
 * (w = 1, as at rate 1) V is 0 and the interval a point. With nothing sampled it is [0, z^2 R]
 * bytes. Worked number: 5 samples of 1000 bytes at R = 524288, T = 2.62 MB, z = 1.96: 1.12 to 6.14
 * MB; T -+ z sqrt(V) would give 0.32 to 4.92.
 *
 * Pure functions: thread-safe. Needs libm.
 */
#ifndef APPROF_ESTIMATE_H
#define APPROF_ESTIMATE_H

#include <stdint.h>

#define ESTIMATE_Z95 1.959963984540054

/* A figure and its variance; adding two counters adds both. For what is in use, take the allocated
 * side of each sum less the freed side. */
struct estimate {
    double total, variance;
};

/* w, w2, ws: a counter's sums of w, w^2 and w*s. */
void estimate_add_objects(struct estimate *estimate, double w, double w2);
void estimate_add_bytes(struct estimate *estimate, double w, double ws, double w2);

struct estimate_interval {
    double low, high;
};

/* nothing_high: the upper end when nothing was sampled: z^2 * R for bytes, or that divided by the
 * size of one object. */
struct estimate_interval estimate_interval(const struct estimate *estimate, double z,
                                           double nothing_high);

/* (sum w)^2 / (sum w^2); 0 when nothing was sampled. */
double estimate_effective_samples(double w, double w2);

#endif
