/* record_store.h - a directory of profiles taken at intervals: what approf record writes, and what
 * reports read of it.
 *
 * One file is one process at one moment: PROGRAM.PID.STARTED.TAKEN.pb.gz with times as
 * 20260131T235959Z. Each is a whole heap profile: what was allocated since the process started,
 * what is in use at that moment. So files may be missing or removed in any order, and what was
 * allocated between two moments is the difference of two files. Not thread-safe.
 */
#ifndef APPROF_RECORD_STORE_H
#define APPROF_RECORD_STORE_H

#include "profile_codec.h"

/* The name for a process and a moment (seconds since 1970); false when it does not fit. */
bool record_name(const char *directory, const char *program, uint32_t pid, int64_t started,
                 int64_t taken, char *path, size_t room);

/* Removes what was taken before then. Files of other names stay. Returns how many went. */
unsigned record_remove_before(const char *directory, int64_t taken);

/* Whether path is a directory. */
bool record_is(const char *path);

/* What lies between two moments (seconds since 1970; INT64_MIN and INT64_MAX for no bounds), of all
 * processes together: allocated between them, in use at the last moment that was recorded. With
 * base != NULL: *base is the state at the first moment, *out that at the last one. */
bool record_read(const char *directory, int64_t from, int64_t to, struct profile *base,
                 struct profile *out, struct profile_error *error);

/* The moments (seconds since 1970) between two at which something was taken, in order, each once;
 * of more than `most` (2 or more) that many, evenly picked, the first and the last among them.
 * Returns how many; free() *moments. */
size_t record_moments(const char *directory, int64_t from, int64_t to, size_t most,
                      int64_t **moments);

/* "90s", "15m", "24h", "7d" or plain seconds. */
bool record_duration(const char *text, int64_t *seconds);

/* A moment: "now", a duration ("1h": an hour ago), "12:30" (today), "2026-01-31",
 * "2026-01-31T12:30", with ":59" or " " for T; local time, or UTC with Z behind; "@SECONDS" since
 * 1970. */
bool record_moment(const char *text, int64_t now, int64_t *seconds);

#endif
