/* run_child.h - a command in the foreground, with its signals.
 *
 * Signals from the terminal reach the command by themselves, since it stays in our process group;
 * those that somebody sends to us (kill) are passed on. Children of the command that lose their
 * parent become ours, so that it is known how they ended. One run at a time; not thread-safe.
 */
#ifndef APPROF_RUN_CHILD_H
#define APPROF_RUN_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

struct run_variable {
    const char *name, *value;
};

struct run_request {
    const char *path;
    const char *const *arguments;           /* NULL-terminated, the name first */
    const struct run_variable *environment; /* set in the command, beside our own */
    size_t n_environment;
    const int *streams;              /* the command's 0, 1 and 2; -1, or NULL: ours */
    const struct rlimit *open_files; /* the command's RLIMIT_NOFILE: ours may have been raised */
    void (*tick)(void *ctx);         /* called about once a second while it runs */
    /* Called when the command has ended, while it is a zombie, before ended; may be NULL. */
    void (*ending)(void *ctx, pid_t pid);
    /* Called when a process has ended that is ours to wait for: the command, and its children that
     * have lost their parent. The status is as of waitpid. */
    void (*ended)(void *ctx, pid_t pid, int status);
    /* Called when the terminal's ^Z is about to stop us, before we stop; NULL: nobody has to be
     * waited for. */
    void (*stopping)(void *ctx);
    void *ctx;
};

struct run_outcome {
    pid_t pid;
    int status;
    int error; /* errno of exec; 0 if it ran */
};

/* False when it could not be started at all (errno in outcome->error). */
bool run_child(const struct run_request *request, struct run_outcome *outcome);

/* Reaps whoever has ended meanwhile. */
void run_reap(const struct run_request *request, struct run_outcome *outcome);

/* Ends as the command ended: with its exit status, or by its signal. Does not return. */
_Noreturn void run_end_like(int status);

#endif
