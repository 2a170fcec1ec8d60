/* merge.h - several profiles become one: sums, and differences by negative values.
 *
 * Rules (pprof-spec 2.2): functions are equal by name, system name, file and start line; mappings
 * by size, offset and build id (or file); locations by offset in their mapping and lines; samples
 * by locations and labels, whose values are added. First occurrence keeps its place. Samples that
 * are zero in all values go, and what nothing refers to any more. Inputs are changed (units,
 * sample types) but stay valid and the caller's to free; out is independent of them.
 */
#ifndef APPROF_MERGE_H
#define APPROF_MERGE_H

#include "profile_codec.h"

enum {
    /* Sample types must agree one by one (pprof of Go 1.19); otherwise the profiles are reduced to
     * those that all have. */
    MERGE_EXACT_TYPES = 1,
};

bool merge_profiles(struct profile *const *profiles, size_t n, unsigned flags, struct profile *out,
                    struct profile_error *error);

/* Whether merging a profile with itself can be left to a merge that follows. Equal samples are
 * found there as well, unless some of them cancel each other out and change the order of the rest,
 * which values that are not negative can't. But of mappings that count as equal another one might
 * stand for all. */
bool merge_can_wait(const struct profile *profile);

#endif
