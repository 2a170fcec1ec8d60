// A buffered way to stdout that lends its room, so that a result can be made in place.
// Single thread. The first write error ends the output and is kept for output_end.
#ifndef DEMO_OUTPUT_H
#define DEMO_OUTPUT_H

#include <stddef.h>

// Room for `len` bytes, which count as written. Null when there can be none that large.
char *output_room(size_t len);

void output_write(const char *data, size_t len);

// Sends what is left. Returns 0, or -1 when anything could not be written (said on stderr).
int output_end(void);

unsigned long long output_bytes(void); // so far

#endif
