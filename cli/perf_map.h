/* perf_map.h - names of code made at run time, from /tmp/perf-PID.map.
 *
 * Programs with a just-in-time compiler write such files for perf: a line for each function, "START
 * SIZE NAME", numbers in hexadecimal. Anyone may create files in /tmp, so a map counts only if it
 * is a regular file that belongs to the process's own user or to root, no link, and not older than
 * the process. Size bounded; not thread-safe.
 */
#ifndef APPROF_PERF_MAP_H
#define APPROF_PERF_MAP_H

#include "arena.h"

struct perf_map_entry {
    uint64_t start, size;
    const char *name;
    uint32_t order; /* of the line in the file: of several at one place the last one counts */
};

struct perf_map {
    struct arena arena;
    struct perf_map_entry *entries; /* by start, then order */
    uint32_t n;
};

/* pid as this system sees it; root is "/proc/PID/root" or NULL for files that are ours. False, with
 * an empty map, when there is none that counts. */
bool perf_map_load(struct perf_map *map, uint32_t pid, const char *root);
void perf_map_free(struct perf_map *map);
/* NULL if no entry covers the address. */
const char *perf_map_find(const struct perf_map *map, uint64_t address);

#endif
