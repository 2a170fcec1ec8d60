/* run_collect.h - the tables that a run's processes left become profiles.
 *
 * Each process's tables are converted once it is dead (ended, or become another program), with
 * lines and inlined frames, and removed when the profile is written. Not thread-safe.
 */
#ifndef APPROF_RUN_COLLECT_H
#define APPROF_RUN_COLLECT_H

#include "symbolize.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What one process did, for the summary. */
struct run_process {
    uint32_t pid;
    char exe[256];
    char profile[4096]; /* "" when none was written */
    uint64_t total_bytes, live_bytes, peak_bytes, samples;
    uint64_t rate;
    bool exact;     /* total_bytes is */
    bool inherited; /* it began with memory of the process that it was forked from */
};

struct run_collect {
    const char *directory; /* of the tables */
    const char *pattern;   /* of profile names, as APPROF_OUT */
    bool pattern_given;    /* write profiles of processes that sampled nothing, too */
    struct symbolizer *symbolizer;
    uint32_t n_processes, n_profiles, n_failed, n_running;
    uint64_t total_bytes;
    struct run_process largest; /* that allocated most */
    char left[4096];            /* tables that could not become a profile */
};

/* Converts what is dead by now. Counts the living in n_running. */
void run_collect(struct run_collect *collect);

/* Fills in a pattern; false when the name gets too long. */
bool run_profile_name(const char *pattern, const char *exe, uint32_t pid, char *path, size_t room);

#endif
