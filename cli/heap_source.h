/* heap_source.h - heap tables as a source: a file of them, or a process by its PID.
 *
 * Read-only: the process is neither stopped nor signalled. The tables are untrusted.
 */
#ifndef APPROF_HEAP_SOURCE_H
#define APPROF_HEAP_SOURCE_H

#include "profile_codec.h"
#include "tables_reader.h"

/* Whether the file begins with the tables' magic. */
bool heap_source_is(const char *path);

/* Descriptor of a regular file, or -1 with errno; and its snapshot. */
int heap_source_open(const char *path);
bool heap_source_snapshot_of(int fd, struct heap_snapshot *out, struct profile_error *error);

/* The snapshot that reports are made of; that of a process which has ended was taken at its end, or
 * at the last that is known of it (its newest sample). On success *out is to be freed with
 * heap_snapshot_free. */
bool heap_source_snapshot(const char *path, struct heap_snapshot *out, struct profile_error *error);

/* The snapshot is of a process that has ended: then, or last seen then (CLOCK_REALTIME). */
void heap_source_ended(struct heap_snapshot *snapshot, int64_t last_realtime_ns);

/* Its profile. When the process reached its exit, totals are exact and alloc_space is what is shown
 * first, as in the files that are written at exit. */
bool heap_source_profile(const struct heap_snapshot *snapshot, struct profile *out,
                         struct profile_error *error);

/* Both at once. On success *out is to be freed; on failure *error says why. */
bool heap_source_read(const char *path, struct profile *out, struct profile_error *error);

/* Two snapshots of the same tables, so many seconds apart. The tables stay open meanwhile: a
 * process that ends takes the file's name away, not what it counted. tell is called when the first
 * one is taken. Both are to be freed on success. */
bool heap_source_twice(const char *path, int64_t seconds, void (*tell)(int64_t seconds),
                       struct heap_snapshot *older, struct heap_snapshot *newer,
                       struct profile_error *error);

/* What was allocated between two snapshots of the same tables, and what is in use at the second;
 * the duration is what lies between them. */
bool heap_source_delta(const struct heap_snapshot *older, const struct heap_snapshot *newer,
                       struct profile *out, struct profile_error *error);

enum heap_source_match {
    HEAP_SOURCE_NONE,
    HEAP_SOURCE_FOUND,
    HEAP_SOURCE_AMBIGUOUS /* several living processes have that name */
};

/* The tables file of a process, by its PID or by the name of its program; the living come before
 * the dead, the newest first (tables_dir.h says where they are looked for). */
enum heap_source_match heap_source_find(const char *process, char *path, size_t room);

/* Of tables whose process lives in other mounts than ours, in a container for instance: its pid
 * here, and under which directory its files are seen from here. False for all others. */
bool heap_source_foreign(const char *tables, uint32_t *pid, char *root, size_t room);

#endif
