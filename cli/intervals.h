/* intervals.h - 95% intervals of the rows of a sampled heap profile (-ci).
 *
 * A sample of the profile stands for objects of about one size at one stack, already scaled by the
 * weight w = 1/(1 - e^(-size/rate)); the rate is the profile's period. So its sum of squared
 * weights is objects * w, and estimate.h does the rest. Exact profiles (rate 1) have intervals of
 * no width.
 */
#ifndef APPROF_INTERVALS_H
#define APPROF_INTERVALS_H

#include "report.h"

struct intervals {
    double *flat, *cum; /* variances, by identity */
    double nothing_high;
    bool difference; /* of two profiles: variances add up, the interval is symmetric */
};

/* False after a message: the profile is no heap profile, or does not say how it was sampled. */
bool intervals_open(struct report *report, const struct frame_table *frames,
                    struct intervals *intervals);
void intervals_close(struct intervals *intervals);

/* Ends of the interval around value, whose variance is given. */
void interval_of(const struct intervals *intervals, int64_t value, double variance, int64_t *low,
                 int64_t *high);

/* `1.1MB..2.3MB`, as the report shows figures. */
void interval_text(const struct report *report, const struct intervals *intervals, int64_t value,
                   double variance, char *text, size_t room);

#endif
