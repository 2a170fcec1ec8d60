/* dot_text.h - colours and texts of drawings in graphviz's language: pprof-spec 7.11. */
#ifndef APPROF_DOT_TEXT_H
#define APPROF_DOT_TEXT_H

#include "frames.h"
#include "short_name.h"

#include <stdbool.h>

/* `#rrggbb` for a share of the total between -1 (green) and 1 (red). NaN is allowed. */
void dot_color(char text[8], double share, bool background);

/* Backslashes and quotes escaped, line ends left-justified. free() it. */
char *dot_escape(const char *text);

/* A node's name over several lines. free() it. */
char *dot_node_name(const struct frame_table *frames, uint32_t info, struct short_names *names);

#endif
