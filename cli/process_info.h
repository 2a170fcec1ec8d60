/* process_info.h - the little that approf asks of /proc about other processes.
 *
 * Everything may change or vanish while it is read: each function answers for the moment.
 * Thread-safe.
 */
#ifndef APPROF_PROCESS_INFO_H
#define APPROF_PROCESS_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* Field 22 of /proc/PID/stat, in clock ticks since boot: with the pid it names one process. */
bool process_start_ticks(uint32_t pid, uint64_t *ticks);

enum process_state { PROCESS_GONE, PROCESS_RUNS, PROCESS_IS_ZOMBIE };

/* Whether it runs, or has ended and its parent has not asked how yet; *status is then as of
 * waitpid. */
enum process_state process_zombie_status(uint32_t pid, int *status);

/* When it started, in seconds since 1970; 0 if unknown. */
int64_t process_start_seconds(uint32_t pid);

/* The pid that the process sees itself, in its own namespace; pid itself if unknown. */
uint32_t process_inner_pid(uint32_t pid);

/* Its user; false if it is gone. */
bool process_user(uint32_t pid, uint32_t *uid);

/* Private memory in RAM; 0 if unknown, or if the pid is now another process's than the one that
 * started then. */
uint64_t process_private_bytes(uint32_t pid, uint64_t start_ticks);

#endif
