/* merge_types.h - sample types and units of several profiles, made equal before a merge. */
#ifndef APPROF_MERGE_TYPES_H
#define APPROF_MERGE_TYPES_H

#include "merge.h"

/* Changes the profiles in place: each value in the finest unit that any of them has; sample types
 * reduced to those that all have (unless MERGE_EXACT_TYPES). False with an error when they measure
 * different things. */
bool merge_equalize(struct profile *const *profiles, size_t n, unsigned flags,
                    struct profile_error *error);

/* Multiplies values by ratios[i], rounded; samples in which every value with a ratio other than 1
 * became 0 go (as pprof's ScaleN does). */
void merge_scale(struct profile *profile, const double *ratios);

#endif
