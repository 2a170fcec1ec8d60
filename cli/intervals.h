/* intervals.h - 95% intervals of the rows of a sampled heap profile (-ci).
 *
 * A sample of the profile stands for objects of about one size at one stack, already scaled by the
 * weight w = 1/(1 - e^(-size/rate)); the rate is the profile's period. So its sum of squared
 * weights is objects * w, and estimate.h does the rest. Exact profiles (rate 1) have intervals of
 * no width.
 */
#ifndef APPROF_INTERVALS_H
#define APPROF_INTERVALS_H

#include "records.h"
#include "report.h"

/* All are variances. */
struct intervals {
    double *samples;    /* of each sample */
    double *flat, *cum; /* by identity */
    double *calls;      /* by edge, once a graph was counted; see intervals_listen */
    double total;
    size_t calls_room;
    double nothing_high;
    bool difference; /* of two profiles: variances add up, the interval is symmetric */
};

/* Of the values of one sample type. frames may be NULL: then there are only the samples. False
 * after a message: the profile is no heap profile, or does not say how it was sampled. */
bool intervals_open(const struct report *report, const struct frame_table *frames,
                    uint32_t value_index, struct intervals *intervals);
void intervals_close(struct intervals *intervals);

/* Makes the options fill calls[] when the graph is counted with all its edges. */
void intervals_listen(struct intervals *intervals, struct graph_options *options);

/* Ends of the interval around value, whose variance is given. */
void interval_of(const struct intervals *intervals, int64_t value, double variance, int64_t *low,
                 int64_t *high);

/* Room for `1.1MB..2.3MB`, and how wide a column of them is. */
enum { INTERVAL_TEXT_ROOM = 2 * UNIT_TEXT_ROOM + 2, INTERVAL_WIDTH = 21 };

/* `1.1MB..2.3MB`, as the report shows figures. */
void interval_text(const struct report *report, const struct intervals *intervals, int64_t value,
                   double variance, char *text, size_t room);

/* Fields PREFIX_low and PREFIX_high of a record. */
void interval_record(const struct report *report, const struct intervals *intervals,
                     struct records *records, const char *prefix, int64_t value, double variance);

#endif
