/* tag_filter.h - the values of -tagfocus and -tagignore: ranges and expressions over labels.
 *
 * `[key=]1kb:2mb` is a range over numeric labels, `[key=]re,re` expressions over string labels
 * (pprof-spec 4.3).
 */
#ifndef APPROF_TAG_FILTER_H
#define APPROF_TAG_FILTER_H

#include "label_units.h"

struct tag_filter;

/* "" gives *out = NULL. False after an error message. units must outlive the filter. */
bool tag_filter_parse(const char *option, const char *value, const struct label_units *units,
                      struct tag_filter **out);
bool tag_filter_matches(const struct tag_filter *filter, const struct profile *profile,
                        const struct profile_sample *sample);
void tag_filter_free(struct tag_filter *filter);

#endif
