/* web_times.h - what the web page shows over time of a directory of approf record: of each
 * function, what was in use at each moment and what it allocated since the one before.
 */
#ifndef APPROF_WEB_TIMES_H
#define APPROF_WEB_TIMES_H

#include "cli_options.h"

#include <stdio.h>

/* Writes the page's data (docs/WEB.md): of the moments between -from and -to, 60 at most, as other
 * options filter them. False, and nothing written, when there are not two that can be read. */
bool web_times_write(const char *directory, const struct cli_options *options, FILE *out);

#endif
