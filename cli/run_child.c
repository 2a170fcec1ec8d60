/* run_child.c - start, pass signals on, wait. */
#include "run_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals that are passed on when a process sent them. */
static const int passed_on[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT,
                                SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
enum { N_PASSED_ON = sizeof passed_on / sizeof passed_on[0] };

/* What we inherited; the command gets it back. */
struct inherited {
    sigset_t mask;
    struct sigaction actions[N_PASSED_ON], child;
};

static void take_signals(const struct run_request *request, struct inherited *inherited,
                         sigset_t *waited)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(waited);
    sigaddset(waited, SIGCHLD);
    for (size_t i = 0; i < N_PASSED_ON; i++) {
        sigaction(passed_on[i], NULL, &inherited->actions[i]);
        /* An ignored signal (nohup) stays so. */
        if (inherited->actions[i].sa_handler != SIG_IGN) {
            sigaddset(waited, passed_on[i]);
        }
    }
    struct sigaction stop;
    if (request->stopping != NULL && sigaction(SIGTSTP, NULL, &stop) == 0 &&
        stop.sa_handler != SIG_IGN) {
        sigaddset(waited, SIGTSTP);
    }
    sigprocmask(SIG_BLOCK, waited, &inherited->mask);
    /* If ours is ignored, children vanish without a word. */
    sigaction(SIGCHLD, &standard, &inherited->child);
}

static _Noreturn void become(const struct run_request *request, const struct inherited *inherited,
                             int report)
{
    for (size_t i = 0; i < request->n_environment; i++) {
        setenv(request->environment[i].name, request->environment[i].value, 1);
    }
    for (int i = 0; request->streams != NULL && i < 3; i++) {
        if (request->streams[i] >= 0) {
            dup2(request->streams[i], i);
        }
    }
    if (request->open_files != NULL) {
        setrlimit(RLIMIT_NOFILE, request->open_files);
    }
    sigaction(SIGCHLD, &inherited->child, NULL);
    sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
    execvp(request->path, (char *const *)(uintptr_t)request->arguments);
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    _exit(written == sizeof error && error == ENOENT ? 127 : 126);
}

/* True when the command itself has ended. */
static bool reap(const struct run_request *request, struct run_outcome *outcome)
{
    int status;
    bool ended = false;
    siginfo_t info = {0};
    /* First without taking it away: what /proc says of it goes with that. */
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
        pid_t pid = info.si_pid;
        if (pid == outcome->pid && request->ending != NULL) {
            request->ending(request->ctx, pid);
        }
        if (waitpid(pid, &status, WNOHANG) != pid) {
            break;
        }
        info.si_pid = 0;
        if (pid == outcome->pid) {
            outcome->status = status;
            ended = true;
        }
        if (request->ended != NULL) {
            request->ended(request->ctx, pid, status);
        }
    }
    return ended;
}

void run_reap(const struct run_request *request, struct run_outcome *outcome)
{
    reap(request, outcome);
}

static void await(const struct run_request *request, struct run_outcome *outcome,
                  const sigset_t *waited)
{
    const struct timespec second = {.tv_sec = 1};
    while (!reap(request, outcome)) {
        siginfo_t info;
        int number = sigtimedwait(waited, &info, &second);
        if (number > 0 && number != SIGCHLD) {
            /* One from the terminal went to the whole group already. */
            if (info.si_code != SI_KERNEL) {
                kill(outcome->pid, number);
            }
            if (number == SIGTSTP) {
                request->stopping(request->ctx);
                raise(SIGSTOP);
            }
        } else if (number < 0 && errno == EAGAIN && request->tick != NULL) {
            request->tick(request->ctx);
        }
    }
}

bool run_child(const struct run_request *request, struct run_outcome *outcome)
{
    struct inherited inherited;
    sigset_t waited;
    int report[2];
    *outcome = (struct run_outcome){0};
    if (pipe2(report, O_CLOEXEC) != 0) {
        outcome->error = errno;
        return false;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    take_signals(request, &inherited, &waited);
    outcome->pid = fork();
    if (outcome->pid == 0) {
        become(request, &inherited, report[1]);
    }
    outcome->error = outcome->pid < 0 ? errno : 0;
    close(report[1]);
    if (outcome->pid > 0) {
        int error;
        ssize_t n;
        while ((n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
        }
        if (n == (ssize_t)sizeof error) {
            outcome->error = error;
        }
        await(request, outcome, &waited);
    }
    close(report[0]);
    return outcome->error == 0;
}

void run_end_like(int status)
{
    if (WIFSIGNALED(status)) {
        /* The core, if any, is the command's; ours would be in its way. */
        struct rlimit none = {0};
        setrlimit(RLIMIT_CORE, &none);
        prctl(PR_SET_DUMPABLE, 0);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, WTERMSIG(status));
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
        sigprocmask(SIG_UNBLOCK, &only, NULL);
        _exit(128 + WTERMSIG(status));
    }
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
