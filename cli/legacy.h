/* legacy.h - profiles that are no pprof messages: heap text, contention, threads, binary CPU,
 * jemalloc dumps, folded stacks.
 */
#ifndef APPROF_LEGACY_H
#define APPROF_LEGACY_H

#include "profile_codec.h"

/* Fills *out (initialised here; on failure there is nothing to free). bytes are already
 * uncompressed. False with error->kind PROFILE_ERROR_UNRECOGNIZED when it is none of the formats,
 * or with what is wrong in the one that it is. */
bool legacy_parse(const void *bytes, size_t n, struct profile *out, struct profile_error *error);

#endif
