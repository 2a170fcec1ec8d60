/* web_sources.h - the source lines that the web page may show.
 *
 * A profile is untrusted, and a page may be sent to others: what is shown is only lines around
 * those that the profile names, of files whose real path lies below the current directory, below a
 * directory of -source_path or where systems keep headers and sources, and whose name is that of a
 * source file.
 */
#ifndef APPROF_WEB_SOURCES_H
#define APPROF_WEB_SOURCES_H

#include "frames.h"

#include <stdio.h>

/* A JSON array of {"file": index, "error": text} or {"file": index, "parts": [line, text, ...]}.
 * file_numbers: by string, the number of a file in the page's list. Stops at 4 MiB of text. */
void web_sources_write(FILE *out, const struct profile *profile, const struct frame_table *lines,
                       const uint32_t *file_numbers, const char *source_path,
                       const char *trim_path);

#endif
