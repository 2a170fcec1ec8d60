/* live_watch.h - a process on the screen: a look at its tables at intervals, and what keys do.
 *
 * One process, or the processes of an `approf run`, of which one is shown: the one that allocates
 * most, until somebody chooses another. Not thread-safe; live_screen.h says what becomes of the
 * terminal.
 */
#ifndef APPROF_LIVE_WATCH_H
#define APPROF_LIVE_WATCH_H

#include "live.h"
#include "tables_dir.h"

struct symbolizer;

struct live_watch {
    struct live live;
    const char *directory; /* of a run's tables; NULL: one process */
    bool chosen;           /* the process, by a key */
    int tables; /* of the process, open: they can be read even when it has taken the name away; -1:
                   there is none yet */
    uint64_t start_ticks;
    int64_t inner_start_ns; /* start_realtime_ns of its tables: with the pid, which ones they are */
    struct symbolizer *symbolizer;
    char root[64];
};

/* The watch must not move until it is closed. */
void live_watch_open(struct live_watch *watch, const char *source_path);
void live_watch_close(struct live_watch *watch);

/* Shows that process from now on. False with errno. */
bool live_watch_process(struct live_watch *watch, const struct tables_entry *entry);

/* Until a key ends it; false when the descriptors are no terminal. */
bool live_watch_run(struct live_watch *watch, int input, int output, int64_t interval_ns);

/* The value of -refresh; false after an error message. */
bool live_watch_interval(const char *text, int64_t *ns);

#endif
