/* prune.h - frames that a profile itself, or -prune_from, calls uninteresting.
 *
 * Names are compared in a simplified form: without a leading dot and without the parameter list
 * (pprof-spec 2.5). In place.
 */
#ifndef APPROF_PRUNE_H
#define APPROF_PRUNE_H

#include "profile.h"
#include "regexp.h"

/* Applies the profile's drop_frames and keep_frames; a bad expression in it is ignored. */
void prune_uninteresting(struct profile *profile);

/* Cuts what is leafward of the innermost frame that matches; that frame stays. */
void prune_from(struct profile *profile, const struct regexp *regexp);

/* Length of the simplified form; *name moves past a leading dot. */
size_t prune_simplify(const char **name, size_t n);

#endif
