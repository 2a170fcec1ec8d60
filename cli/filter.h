/* filter.h - -focus, -ignore, -hide, -show, -show_from, -prune_from and the filters of labels.
 *
 * Order and rules: pprof-spec 4.2. The profile is changed in place: samples that are filtered out
 * go, hidden lines leave their locations. An expression that matches nothing is told on stderr.
 */
#ifndef APPROF_FILTER_H
#define APPROF_FILTER_H

#include "cli_options.h"
#include "label_units.h"

/* False after an error message (a bad expression). */
bool filter_apply(struct profile *profile, const struct label_units *units,
                  const struct cli_options *options, bool go119);

#endif
