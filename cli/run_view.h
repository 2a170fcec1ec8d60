/* run_view.h - the live view of approf run -live: a process of its own that shows what the run's
 * processes allocate, on the terminal, while the program has the terminal no more.
 *
 * The program's standard streams are kept where they are no terminal. Where they are, input is
 * empty (keys belong to the view) and output goes to a file. The view leaves the terminal as it
 * was, whenever it is ended. One view at a time; not thread-safe.
 */
#ifndef APPROF_RUN_VIEW_H
#define APPROF_RUN_VIEW_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct run_view {
    pid_t pid;             /* of the view; 0: there is none, or it has been closed */
    int streams[3];        /* what the program gets as 0, 1, 2; -1: what we have */
    char output[PATH_MAX]; /* the file of its output, "" if there is none */
};

/* Chooses the streams and makes the file. name is the program's. False after an error message. */
bool run_view_open(struct run_view *view, const char *name);

/* Starts the view of the processes whose tables are in directory (which must stay). To be called
 * before there are threads. False after an error message. */
bool run_view_start(struct run_view *view, const char *directory, const char *source_path,
                    int64_t interval_ns);

/* Waits until the view, which has been sent the same SIGTSTP, has given the terminal back and
 * stopped.
 */
void run_view_await_stop(const struct run_view *view);

/* To be told of each child that was reaped; true if it was the view, which a key has closed. */
bool run_view_reaped(struct run_view *view, pid_t pid);

/* Ends the view and says where the output is; an empty file goes. */
void run_view_close(struct run_view *view, bool quiet);

#endif
