/* terminal.c - see terminal.h. */
#include "terminal.h"

#include "tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pid_t pager; /* 0: there is none */

bool terminal_color(const struct cli_options *options)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (strcmp(options->color, "auto") != 0) {
        return strcmp(options->color, "always") == 0;
    }
    return (pager || isatty(STDOUT_FILENO)) && !(none && *none) && terminal && *terminal &&
           strcmp(terminal, "dumb") != 0;
}

const char *terminal_escape(bool color, enum terminal_style style)
{
    static const char *const escapes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m"};
    return color ? escapes[style] : "";
}

/* The environment, and how less is to behave unless the user has said it: leave at once when all
 * fits, pass colours on, leave the text on the screen. */
static char **with_less(void)
{
    size_t n = 0;
    while (environ[n]) {
        n++;
    }
    char **all = calloc(n + 2, sizeof *all);
    if (all) {
        memcpy(all, environ, n * sizeof *all);
        if (!getenv("LESS")) {
            static char less[] = "LESS=FRX";
            all[n] = less;
        }
    }
    return all;
}

static bool spawn_pager(char **arguments, int input)
{
    posix_spawn_file_actions_t actions;
    char **environment = with_less();
    if (!environment) {
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    int error = posix_spawn(&pager, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error) {
        pager = 0;
    }
    return !error;
}

void terminal_page(void)
{
    char path[4096], shell[] = "/bin/sh", flag[] = "-c";
    const char *wanted = getenv("PAGER"), *terminal = getenv("TERM");
    int ends[2];
    if (pager || !isatty(STDOUT_FILENO) || !terminal || !*terminal ||
        strcmp(terminal, "dumb") == 0 || (wanted && (!*wanted || strcmp(wanted, "cat") == 0)) ||
        (!wanted && !tool_find("", "less", path, sizeof path)) || pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    /* What a user sets PAGER to is a command with arguments: theirs, not a file's. */
    char *by_shell[] = {shell, flag, (char *)(uintptr_t)wanted, NULL};
    char *by_path[] = {path, NULL};
    if (spawn_pager(wanted ? by_shell : by_path, ends[0])) {
        fflush(stdout);
        dup2(ends[1], STDOUT_FILENO);
        /* The terminal's keys are the pager's now; when it ends, SIGPIPE ends us. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
    }
    close(ends[0]);
    close(ends[1]);
}

void terminal_page_end(void)
{
    if (!pager) {
        return;
    }
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {
    }
    pager = 0;
}

static long long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void terminal_progress_begin(struct terminal_progress *progress, const char *what, bool quiet)
{
    const char *terminal = getenv("TERM");
    *progress = (struct terminal_progress){.what = what,
                                           .off = quiet || !isatty(STDERR_FILENO) || !terminal ||
                                                  strcmp(terminal, "dumb") == 0,
                                           .started_ms = milliseconds()};
}

void terminal_progress_at(struct terminal_progress *progress, size_t done, size_t all)
{
    enum { AFTER_MS = 1000, EVERY_MS = 250 };
    if (progress->off) {
        return;
    }
    long long now = milliseconds();
    if (now - progress->started_ms >= AFTER_MS && now - progress->drawn_ms >= EVERY_MS) {
        progress->drawn_ms = now;
        progress->shown = true;
        fprintf(stderr, "\r\033[K%s: %zu of %zu", progress->what, done, all);
    }
}

void terminal_progress_end(struct terminal_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
    }
    progress->shown = false;
}
