/* dump.h - this process's tables as a pprof file, at exit or when the program asks (approf.h).
 *
 * A reader of the tables: no locks, no malloc, no stdio; other threads may still run.
 */
#ifndef APPROF_DUMP_H
#define APPROF_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"
#include "profile_codec.h"

/* The profile with names from the ELF files. Its total of requested bytes is exact, and said to be,
 * when no other thread allocated meanwhile. On success to be freed with profile_free. */
bool dump_profile(struct profile *profile, struct profile_error *error);

/* The same for a program that asks (approf.h): counted from the last dump_reset of this process.
 * One thread at a time, others wait. */
bool dump_profile_since_reset(struct profile *profile, struct profile_error *error);
bool dump_reset(struct profile_error *error);

/* APPROF_OUT with %e, %p, %h, %t and %% filled in. False when the result does not fit. */
bool dump_path(const char *pattern, char *path, size_t room);

#endif
