/* tool_output.c - see tool_output.h. */
#include "tool_output.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    MOST_SECONDS = 120,
    LONGEST_LINE = 1 << 20,
};
static const size_t most_bytes = (size_t)512 << 20;

static bool is_tool(const char *directory, size_t n, const char *name, char *path, size_t room)
{
    struct stat status;
    int length = snprintf(path, room, "%.*s/%s", (int)n, directory, name);
    return n > 0 && length > 0 && (size_t)length < room && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find_in_places(const char *places, const char *name, char *path, size_t room)
{
    size_t name_length = strlen(name);
    for (size_t n; *places; places += n + (places[n] == ',')) {
        n = strcspn(places, ",");
        const char *colon = memchr(places, ':', n);
        const char *directory = colon ? colon + 1 : places;
        bool meant = !colon || ((size_t)(colon - places) == name_length &&
                                memcmp(places, name, name_length) == 0);
        if (meant && is_tool(directory, n - (size_t)(directory - places), name, path, room)) {
            return true;
        }
    }
    return false;
}

bool tool_find(const char *places, const char *name, char *path, size_t room)
{
    const char *search = getenv("PATH");
    if (!*places) {
        places = getenv("PPROF_TOOLS");
    }
    if (places && find_in_places(places, name, path, room)) {
        return true;
    }
    for (size_t n; search && *search; search += n + (search[n] == ':')) {
        n = strcspn(search, ":");
        /* An empty or relative one would be the directory that somebody happens to work in. */
        if (*search == '/' && is_tool(search, n, name, path, room)) {
            return true;
        }
    }
    return false;
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct line_reader {
    char *line; /* of LONGEST_LINE + 1 bytes; what is longer is cut */
    size_t n;
    void (*take)(void *ctx, char *line);
    void *ctx;
};

static void end_line(struct line_reader *reader)
{
    reader->line[reader->n] = '\0';
    reader->n = 0;
    reader->take(reader->ctx, reader->line);
}

static void feed(struct line_reader *reader, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            end_line(reader);
        } else if (reader->n < LONGEST_LINE && bytes[i]) {
            reader->line[reader->n++] = bytes[i];
        }
    }
}

/* All that comes from fd; NULL, or why it was not read to its end. */
static const char *read_all(int fd, struct line_reader *reader)
{
    char buffer[65536];
    size_t total = 0;
    int64_t end = milliseconds() + (int64_t)MOST_SECONDS * 1000;
    for (;;) {
        int64_t left = end - milliseconds();
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int n_ready = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (n_ready == 0) {
            return "takes too long";
        }
        ssize_t n = n_ready > 0 ? read(fd, buffer, sizeof buffer) : -1;
        if (n == 0) {
            break;
        }
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            return message_errno(errno);
        }
        total += (size_t)n;
        if (total > most_bytes) {
            return "prints too much";
        }
        feed(reader, buffer, (size_t)n);
    }
    if (reader->n) {
        end_line(reader);
    }
    return NULL;
}

static int start(const char *const *arguments, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn(pid, arguments[0], &actions, &attributes,
                            (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool tool_output(const char *const *arguments, void (*take)(void *ctx, char *line), void *ctx,
                 char *error, size_t room)
{
    int ends[2];
    pid_t pid;
    struct line_reader reader = {.line = malloc(LONGEST_LINE + 1), .take = take, .ctx = ctx};
    if (!reader.line || pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(error, room, "%s", message_errno(errno));
        free(reader.line);
        return false;
    }
    int failure = start(arguments, ends[1], &pid);
    close(ends[1]);
    const char *why = failure ? message_errno(failure) : read_all(ends[0], &reader);
    close(ends[0]);
    free(reader.line);
    if (!failure) {
        int status = 0;
        if (why) {
            kill(pid, SIGKILL);
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (!why && status != 0) {
            why = "fails";
        }
    }
    snprintf(error, room, "%s", why ? why : "");
    return !why;
}
