/* gate_page.h - the web page of what the gate has judged, and the links to it.
 */
#ifndef APPROF_GATE_PAGE_H
#define APPROF_GATE_PAGE_H

#include "cli_options.h"

#include <stdio.h>

/* The profiles in one file for a browser (web_report.h); base: what they are compared with, or
 * NULL. False after messages. */
bool gate_page_write(const char *path, const char *const *profiles, int n, const char *base,
                     const struct cli_options *options);

/* An address or a file's name as the destination of a link in markdown. */
void gate_page_link(FILE *out, const char *address);

#endif
