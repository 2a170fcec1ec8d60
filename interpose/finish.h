/* finish.h - the end of a profiled process: its tables become a profile.
 *
 * Runs once per process, after all static destructors, or in _exit. It is a reader of the tables:
 * no locks, no malloc, no stdio, other threads may still run, and it may be called from a signal
 * handler.
 */
#ifndef APPROF_FINISH_H
#define APPROF_FINISH_H

#include <stdbool.h>

/* Registers the exit handlers. From the constructor. */
void finish_init(void);

/* The dump, unless it has run, the process is a vfork child, or no system call may be made. */
void finish_process(void);

#endif
