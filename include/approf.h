/* approf.h - for programs that want to ask for their own heap profile.
 *
 * Works without linking: every function looks whether libapprof.so is in the process, preloaded or
 * linked with -lapprof, and otherwise does nothing and returns APPROF_ABSENT. So the calls may stay
 * in a program that is mostly run without it.
 *
 *     approf_write("/tmp/before.pb.gz");
 *     work();
 *     approf_write("/tmp/after.pb.gz");      go tool pprof -base before.pb.gz after.pb.gz
 *
 * All functions may be called from any thread, also while other threads allocate; none allocates
 * from the program's heap. Not for signal handlers, but for approf_start, approf_stop and
 * approf_set_rate. They return 0, or a negative errno value, or APPROF_ABSENT.
 */
#ifndef APPROF_H
#define APPROF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define APPROF_ABSENT 1 /* libapprof.so is not in this process, or does not profile it */

/* What libapprof.so exports. Call the functions below instead. */
extern int approf_heap_write(const char *path) __attribute__((weak));
extern int approf_heap_write_fd(int fd) __attribute__((weak));
extern int approf_heap_set_rate(uint64_t bytes) __attribute__((weak));
extern int approf_heap_start(void) __attribute__((weak));
extern int approf_heap_stop(void) __attribute__((weak));
extern int approf_heap_reset(void) __attribute__((weak));

/* Writes the profile as it is now (pprof's format, gzipped) to path: under a temporary name first,
 * then renamed over path, mode 0600. Function names are in it; `approf symbolize` adds lines. */
static inline int approf_write(const char *path)
{
    return approf_heap_write ? approf_heap_write(path) : APPROF_ABSENT;
}

/* The same to an open descriptor, which stays open. */
static inline int approf_write_fd(int fd)
{
    return approf_heap_write_fd ? approf_heap_write_fd(fd) : APPROF_ABSENT;
}

/* Mean distance between samples in bytes; 1 records every allocation, 0 stops. Each thread goes on
 * to its next sample at the old rate, which it still counts; a thread that was stopped begins
 * within 1 MiB of allocation. -ENOSPC after some sixty different rates. */
static inline int approf_set_rate(uint64_t bytes)
{
    return approf_heap_set_rate ? approf_heap_set_rate(bytes) : APPROF_ABSENT;
}

/* Stops sampling, and starts it again at the rate before. What is freed is followed all the time.
 */
static inline int approf_stop(void)
{
    return approf_heap_stop ? approf_heap_stop() : APPROF_ABSENT;
}

static inline int approf_start(void)
{
    return approf_heap_start ? approf_heap_start() : APPROF_ABSENT;
}

/* Counts anew: profiles that are written from now on show as allocated what was allocated since;
 * what is in use stays in use. The file at exit and the tables keep the whole. */
static inline int approf_reset(void)
{
    return approf_heap_reset ? approf_heap_reset() : APPROF_ABSENT;
}

#ifdef __cplusplus
}
#endif

#endif
