/* tag_frames.h - -tagroot and -tagleaf: label values as frames.
 *
 * For each key a location is put at the root (first key outermost) or the leaf (last key innermost)
 * of every stack: its function is named after the sample's values of that label, its file after the
 * key (pprof-spec 4.1). In place; may add strings.
 */
#ifndef APPROF_TAG_FRAMES_H
#define APPROF_TAG_FRAMES_H

#include "profile.h"

/* Keys are joined by commas, "" adds nothing. Keys that no sample has are told on stderr. False
 * when out of memory. */
bool tag_frames_add(struct profile *profile, const char *root_keys, const char *leaf_keys,
                    const char *unit);

#endif
