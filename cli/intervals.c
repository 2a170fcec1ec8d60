/* intervals.c - see intervals.h. */
#include "intervals.h"

#include "estimate.h"
#include "memory.h"
#include "profile_edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_type(const struct profile *p, const char *name)
{
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        if (strcmp(profile_text(p, p->sample_types[t].type), name) == 0) {
            return t;
        }
    }
    return PROFILE_NONE;
}

/* The columns of objects and bytes that belong to one of the two. */
static bool find_pair(const struct profile *p, uint32_t value_index, uint32_t *objects,
                      uint32_t *bytes)
{
    const char *type = profile_text(p, p->sample_types[value_index].type);
    const char *prefix = strncmp(type, "alloc_", 6) == 0   ? "alloc_"
                         : strncmp(type, "inuse_", 6) == 0 ? "inuse_"
                                                           : "";
    char name[32];
    snprintf(name, sizeof name, "%sobjects", prefix);
    *objects = find_type(p, name);
    snprintf(name, sizeof name, "%sspace", prefix);
    *bytes = find_type(p, name);
    return *objects != PROFILE_NONE && *bytes != PROFILE_NONE &&
           (*objects == value_index || *bytes == value_index) && p->period > 0;
}

static double variance_of(double objects, double bytes, double rate, bool of_bytes)
{
    struct estimate estimate = {0};
    if (objects <= 0 || rate <= 1) {
        return 0;
    }
    double size = bytes > 0 ? bytes / objects : 1;
    double weight = -1 / expm1(-size / rate);
    if (of_bytes) {
        estimate_add_bytes(&estimate, objects, bytes, objects * weight);
    } else {
        estimate_add_objects(&estimate, objects, objects * weight);
    }
    return estimate.variance > 0 ? estimate.variance : 0;
}

static void add_to_frames(struct intervals *intervals, const struct frame_table *frames,
                          const struct profile *p)
{
    uint32_t *stamps = memory_array(frames->n_infos, sizeof *stamps);
    intervals->flat = memory_array(frames->n_infos, sizeof *intervals->flat);
    intervals->cum = memory_array(frames->n_infos, sizeof *intervals->cum);
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_sample *sample = &p->samples[s];
        uint32_t leaf = PROFILE_NONE;
        for (uint32_t i = sample->n_locations; i-- > 0;) {
            uint32_t l = p->sample_locations[sample->first_location + i];
            for (uint32_t f = frames->first[l]; f < frames->first[l + 1]; f++) {
                leaf = FRAME_INFO(frames->frames[f]);
                if (stamps[leaf] != s + 1) {
                    stamps[leaf] = s + 1;
                    intervals->cum[leaf] += intervals->samples[s];
                }
            }
        }
        if (leaf != PROFILE_NONE) {
            intervals->flat[leaf] += intervals->samples[s];
        }
    }
    free(stamps);
}

bool intervals_open(const struct report *report, const struct frame_table *frames,
                    uint32_t value_index, struct intervals *intervals)
{
    const struct profile *p = report->profile;
    uint32_t objects, bytes;
    if (!find_pair(p, value_index, &objects, &bytes) || report->options.mean) {
        message_error("-ci: intervals need a heap profile that says how it was sampled");
        message_hint("approf's own profiles and Go's do; leave out -ci and -mean for others");
        return false;
    }
    double rate = (double)p->period;
    bool of_bytes = value_index == bytes;
    intervals->difference = *report->options.base || *report->options.diff_base;
    intervals->nothing_high = ESTIMATE_Z95 * ESTIMATE_Z95 * (of_bytes ? rate : 1);
    intervals->samples = memory_array(p->n_samples, sizeof *intervals->samples);
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const int64_t *values = &p->values[(size_t)s * p->n_sample_types];
        intervals->samples[s] =
            variance_of(fabs((double)values[objects]), fabs((double)values[bytes]), rate, of_bytes);
        intervals->total += intervals->samples[s];
    }
    if (frames) {
        add_to_frames(intervals, frames, p);
    }
    return true;
}

static void forget_calls(void *ctx)
{
    struct intervals *intervals = ctx;
    free(intervals->calls);
    intervals->calls = NULL;
    intervals->calls_room = 0;
}

static void add_to_call(void *ctx, uint32_t sample, uint32_t edge)
{
    struct intervals *intervals = ctx;
    if (edge >= intervals->calls_room) {
        size_t room = intervals->calls_room ? intervals->calls_room : 256;
        while (room <= edge) {
            room *= 2;
        }
        intervals->calls = memory_resize(intervals->calls, room, sizeof *intervals->calls);
        memset(intervals->calls + intervals->calls_room, 0,
               (room - intervals->calls_room) * sizeof *intervals->calls);
        intervals->calls_room = room;
    }
    intervals->calls[edge] += intervals->samples[sample];
}

void intervals_listen(struct intervals *intervals, struct graph_options *options)
{
    options->count_begin = forget_calls;
    options->count_call = add_to_call;
    options->ctx = intervals;
}

void intervals_close(struct intervals *intervals)
{
    free(intervals->samples);
    free(intervals->flat);
    free(intervals->cum);
    free(intervals->calls);
    *intervals = (struct intervals){0};
}

static int64_t rounded(double value)
{
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : (int64_t)round(value);
}

void interval_of(const struct intervals *intervals, int64_t value, double variance, int64_t *low,
                 int64_t *high)
{
    if (intervals->difference || value < 0) {
        double reach = ESTIMATE_Z95 * sqrt(variance);
        *low = rounded((double)value - reach);
        *high = rounded((double)value + reach);
        return;
    }
    if (value == 0) {
        *low = *high = 0; /* nothing was seen here: the row is about its callees */
        return;
    }
    struct estimate estimate = {(double)value, variance};
    struct estimate_interval ends =
        estimate_interval(&estimate, ESTIMATE_Z95, intervals->nothing_high);
    *low = rounded(ends.low);
    *high = rounded(ends.high);
}

void interval_text(const struct report *report, const struct intervals *intervals, int64_t value,
                   double variance, char *text, size_t room)
{
    char low_text[UNIT_TEXT_ROOM], high_text[UNIT_TEXT_ROOM];
    int64_t low, high;
    interval_of(intervals, value, variance, &low, &high);
    snprintf(text, room, "%s..%s", report_value(report, low_text, low),
             report_value(report, high_text, high));
}

void interval_record(const struct report *report, const struct intervals *intervals,
                     struct records *records, const char *prefix, int64_t value, double variance)
{
    char name[64];
    int64_t low, high;
    interval_of(intervals, value, variance, &low, &high);
    snprintf(name, sizeof name, "%s_low", prefix);
    records_int(records, name, report_divided(report, low));
    snprintf(name, sizeof name, "%s_high", prefix);
    records_int(records, name, report_divided(report, high));
}
