/* tables_dir.h - all heap tables that this user can see, of the living and of the dead.
 *
 * Tables lie in $APPROF_TABLES, and then only that is searched; else in /dev/shm/approf-<uid> (root
 * sees those of all users), and wherever living processes have theirs mapped, in other containers
 * too. In both a folder run.* belongs to an `approf run`. Alive means that the process which the
 * header names still maps the file, never that a process of that number exists. Headers are
 * untrusted; only regular files are opened and links are not followed. Not thread-safe.
 */
#ifndef APPROF_TABLES_DIR_H
#define APPROF_TABLES_DIR_H

#include "tables_end.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_header;

struct tables_entry {
    char *path;   /* as it can be opened from here */
    uint32_t pid; /* as this system sees it when alive, else as the process saw itself */
    bool alive;
    bool own_container; /* the pid is one of this pid namespace */
    bool other_boot;    /* from before the machine was started */
    bool exited;        /* reached its exit */
    struct tables_end end;
    uint32_t uid, parent_pid, inherited_from;
    char exe[256]; /* full path, shortened at its start when too long */
    int64_t start_realtime_ns, start_monotonic_ns;
    uint64_t rate, total_bytes, live_bytes, peak_bytes, samples, threads;
    uint64_t file_bytes;
    int64_t changed_ns; /* modification time of the file */
    int64_t last_ns;    /* realtime: of an ended process, its end, or the last that is known */
};

struct tables_list {
    struct tables_entry *entries; /* by start time */
    size_t n, room;
    /* Tables of another version that no process has mapped: their paths. */
    char **other_versions;
    size_t n_other, other_room;
};

/* The header's total of requested bytes, read again. */
bool tables_total_bytes(const char *path, uint64_t *total);

/* Everything; directory NULL is the usual places. */
void tables_dir_scan(const char *directory, struct tables_list *list);
void tables_list_free(struct tables_list *list);

/* "alive", "killed by SIGKILL", "ended without goodbye", ... */
const char *tables_state_text(const struct tables_entry *entry, char *text, size_t room);

/* Of tables whose process has ended: when, or the last that is known of it (CLOCK_REALTIME); 0
 * while it is there. */
int64_t tables_last_moment(int fd, const char *path, const struct heap_header *header);

/* Takes away folders of runs that are over and have nothing left in them. */
void tables_dir_tidy(void);

/* The directory where this user's new tables go; false if the name does not fit. */
bool tables_dir_default(char *path, size_t room);

/* Base name of an executable's path. */
const char *tables_exe_name(const struct tables_entry *entry);

#endif
