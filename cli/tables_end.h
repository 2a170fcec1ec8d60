/* tables_end.h - how a process ended that left tables.
 *
 * The tables do not say so: in a process that is killed nothing runs. It is known from `approf
 * run`, which waits for the processes it started and leaves a note beside their tables (NAME.end
 * for NAME.heap); from the kernel, as long as the process is a zombie; and when the process is
 * there but has its tables mapped no more: exec has made it another program. Notes are untrusted.
 */
#ifndef APPROF_TABLES_END_H
#define APPROF_TABLES_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tables_end {
    enum tables_end_how {
        TABLES_END_UNKNOWN,
        TABLES_END_STATUS, /* with a status as of waitpid */
        TABLES_END_EXEC,   /* became another program */
    } how;
    int status;
    int64_t realtime_ns; /* when; 0 if unknown */
};

/* Notes in a run's directory how one of its processes has ended, now. */
void tables_end_note(const char *directory, uint32_t pid, int status);

/* What is known of the owner of tables that is not alive: the note at path, else the process
 * itself. */
struct tables_end tables_end_find(const char *path, uint32_t pid, uint64_t start_ticks);

/* Removes the note of tables, if there is one. */
void tables_end_remove(const char *path);

/* "exit 3", "killed by SIGKILL", "became another program", or "" when nothing is known. */
const char *tables_end_text(const struct tables_end *end, char *text, size_t room);

#endif
