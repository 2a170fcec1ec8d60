/* memory_limit.h - the memory limit that a process's control groups set, version 1 or 2, and how
 * often the kernel has killed there for want of memory.
 *
 * Asked of a process that has ended it answers as long as the process is a zombie. Thread-safe.
 */
#ifndef APPROF_MEMORY_LIMIT_H
#define APPROF_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct memory_limit {
    char group[512]; /* its path, "" if unknown */
    uint64_t bytes;  /* the smallest of its group's and those above it; 0: none, or unknown */
    uint64_t kills;  /* processes of its own group that the OOM killer has ended, ever */
};

/* False if nothing is known. root is "", or what stands for / in a test. */
bool memory_limit_find(const char *root, uint32_t pid, struct memory_limit *found);

#endif
