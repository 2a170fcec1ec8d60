/* run_view.c - see run_view.h. */
#include "run_view.h"

#include "live_watch.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_NAMES = 1000, /* that are tried for the file */
    END_STEPS = 500,   /* of 10 ms: a view that does not end is killed */
    STOP_STEPS = 200,  /* of 10 ms: one that does not stop is not waited for any longer */
};

/* A new file approf.NAME.out, or .out.2, .out.3, ... */
static int make_output(struct run_view *view, const char *name)
{
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    for (int i = 1; i <= MOST_NAMES; i++) {
        char more[16] = "";
        if (i > 1) {
            snprintf(more, sizeof more, ".%d", i);
        }
        if ((size_t)snprintf(view->output, sizeof view->output, "approf.%s.out%s", name, more) >=
            sizeof view->output) {
            errno = ENAMETOOLONG;
            break;
        }
        int fd = open(view->output, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

bool run_view_open(struct run_view *view, const char *name)
{
    *view = (struct run_view){.streams = {-1, -1, -1}};
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0 || tcgetpgrp(terminal) != getpgrp()) {
        message_error("run: -live needs a terminal, in the foreground");
        message_hint("without it: approf run -http :6060 -- ..., or approf live PID meanwhile");
        if (terminal >= 0) {
            close(terminal);
        }
        return false;
    }
    close(terminal);
    if (isatty(STDIN_FILENO)) {
        view->streams[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    if (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO)) {
        int file = make_output(view, name);
        if (file < 0) {
            message_error("run: -live: %s: %s", view->output, message_errno(errno));
            message_hint("what the program writes goes there; or redirect it: >FILE 2>&1");
            view->output[0] = 0;
            return false;
        }
        view->streams[1] = isatty(STDOUT_FILENO) ? file : -1;
        view->streams[2] = isatty(STDERR_FILENO) ? file : -1;
    }
    return true;
}

static _Noreturn void show(const char *directory, const char *source_path, int64_t interval_ns,
                           pid_t parent)
{
    static struct live_watch watch; /* large */
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(0);
    }
    /* They are meant for the program; when that ends, so does the view. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    live_watch_open(&watch, source_path);
    watch.directory = directory;
    bool shown = terminal >= 0 && live_watch_run(&watch, terminal, terminal, interval_ns);
    _exit(shown ? 0 : 1);
}

bool run_view_start(struct run_view *view, const char *directory, const char *source_path,
                    int64_t interval_ns)
{
    pid_t parent = getpid();
    view->pid = fork();
    if (view->pid == 0) {
        show(directory, source_path, interval_ns, parent);
    }
    if (view->pid < 0) {
        message_error("run: -live: %s", message_errno(errno));
        message_hint("run it without -live");
        view->pid = 0;
        return false;
    }
    return true;
}

bool run_view_reaped(struct run_view *view, pid_t pid)
{
    if (pid == 0 || pid != view->pid) {
        return false;
    }
    view->pid = 0;
    return true;
}

static void step(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
}

void run_view_await_stop(const struct run_view *view)
{
    for (int i = 0; view->pid > 0 && i < STOP_STEPS; i++) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)view->pid, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != 0) {
            return;
        }
        step();
    }
}

static void end(struct run_view *view)
{
    int status;
    /* It may have been stopped together with us. */
    kill(view->pid, SIGTERM);
    kill(view->pid, SIGCONT);
    for (int i = 0; waitpid(view->pid, &status, WNOHANG) == 0; i++) {
        if (i == END_STEPS) {
            kill(view->pid, SIGKILL);
        }
        step();
    }
    view->pid = 0;
}

void run_view_close(struct run_view *view, bool quiet)
{
    struct stat status;
    if (view->pid > 0) {
        end(view);
    }
    if (view->streams[2] == view->streams[1]) {
        view->streams[2] = -1; /* one file */
    }
    for (int i = 0; i < 3; i++) {
        if (view->streams[i] >= 0) {
            close(view->streams[i]);
        }
    }
    if (view->output[0] == 0 || stat(view->output, &status) != 0) {
        return;
    }
    if (status.st_size == 0) {
        unlink(view->output);
    } else if (!quiet) {
        message_note("approf: output: %s", view->output);
    }
}
