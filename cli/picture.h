/* picture.h - the call graph drawn by graphviz. */
#ifndef APPROF_PICTURE_H
#define APPROF_PICTURE_H

#include "cli_options.h"
#include "profile.h"

/* Writes the graph of a profile (which is changed) in one of graphviz's languages (svg, png, pdf)
 * to a descriptor. Exit status, after messages: graphviz may be missing. */
int picture_draw(struct profile *profile, const struct cli_options *options, const char *language,
                 int output);

#endif
