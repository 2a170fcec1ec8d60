/* heap_source.h - heap tables as a source: a file of them, or a process by its PID.
 *
 * Read-only: the process is neither stopped nor signalled. The tables are untrusted.
 */
#ifndef APPROF_HEAP_SOURCE_H
#define APPROF_HEAP_SOURCE_H

#include "profile_codec.h"

/* Whether the file begins with the tables' magic. */
bool heap_source_is(const char *path);

/* On success *out is to be freed; on failure *error says why. */
bool heap_source_read(const char *path, struct profile *out, struct profile_error *error);

/* The tables file of a process, living or dead: $APPROF_TABLES or /dev/shm/approf-<uid>/. The
 * newest of several. False when there is none. */
bool heap_source_find(const char *pid, char *path, size_t room);

#endif
