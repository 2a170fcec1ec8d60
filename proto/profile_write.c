/* profile_write.c - profiles as files (see profile_codec.h).
 *
 * A file appears under its name complete or not at all: everything is written to a temporary name
 * beside it, then renamed. Without fsync: what a crash of the machine takes, a profile may be.
 */
#include "profile_codec.h"

#include "hash.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h> /* renameat2, RENAME_NOREPLACE: declarations only */
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LEVEL = 3, /* of gzip; for heap profiles 6 takes 1.6 times as long and saves 5% */
    TEMPORARY_TRIES = 64,
    FINAL_TRIES = 10000, /* ".2" to ".10000" */
};

static bool path_error(struct profile_error *error, const char *path, int number)
{
    char words[128];
    struct text text;
    TEXT_ON(&text, words);
    text_append_errno(&text, number);
    return profile_error_set(error, PROFILE_ERROR_IO, "%.*s: %s", 180, path, words);
}

/* RLIMIT_FSIZE ends a process by a signal unless that is blocked, and what was blocked must be
 * taken away again before it is let in. */
struct held_signal {
    sigset_t old;
    bool was_pending;
};

static void xfsz_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

static void hold_xfsz(struct held_signal *held)
{
    sigset_t set, pending;
    xfsz_set(&set);
    held->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &held->old);
}

static void release_xfsz(const struct held_signal *held)
{
    sigset_t set;
    xfsz_set(&set);
    if (!held->was_pending) {
        const struct timespec now = {0};
        while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &held->old, NULL);
}

/* "dir/.approf-PID-NUMBER.tmp" beside path. */
static bool temporary_name(char *name, size_t room, const char *path)
{
    static unsigned counter;
    unsigned count = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t random =
        hash_u64(hash_seed() + count, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    const char *slash = strrchr(path, '/');
    struct text text;
    text_init(&text, name, room);
    if (slash)
        text_append(&text, path, (size_t)(slash - path) + 1);
    text_format(&text, ".approf-%d-%u-%lx.tmp", (int)getpid(), count, random);
    return !text.truncated;
}

static int open_temporary(char *name, size_t room, const char *path)
{
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        if (!temporary_name(name, room, path)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || (errno != EEXIST && errno != EINTR))
            return fd;
    }
    return -1;
}

static bool write_all(int fd, const uint8_t *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (written == 0)
                errno = EIO;
            return false;
        }
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

#pragma weak renameat2 /* only glibc has it; see interpose/foreign_libc.h */

/* Renames without replacing; EEXIST when the name is taken. */
static bool rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return false;
    /* A file system, or a filter, without that call: a link can't replace anything either. */
    if (link(from, to) == 0) {
        unlink(from);
        return true;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return false;
    /* Nor links: take the name first, then put the file over what is surely ours. */
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(from, to) == 0)
        return true;
    int number = errno;
    unlink(to);
    errno = number;
    return false;
}

/* Gives the temporary file its name; name receives it. */
static bool publish(const char *temporary, const char *path, bool replace, char *name, size_t room)
{
    for (unsigned i = 1; i <= FINAL_TRIES; i++) {
        struct text text;
        text_init(&text, name, room);
        text_append(&text, path, strlen(path));
        if (i > 1)
            text_format(&text, ".%u", i);
        if (text.truncated) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (replace)
            return rename(temporary, name) == 0;
        if (rename_new(temporary, name))
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Names lie in the arena: this may run on a signal stack of a few kilobytes. */
static bool write_bytes(const struct byte_buffer *bytes, const char *path, bool replace,
                        char *final_path, size_t final_room, struct profile_error *error)
{
    enum { ROOM = PATH_MAX + 64 };
    char *temporary = arena_alloc(bytes->arena, ROOM), *name = arena_alloc(bytes->arena, PATH_MAX);
    if (!temporary || !name)
        return path_error(error, path, ENOMEM);
    int fd = open_temporary(temporary, ROOM, path);
    if (fd < 0)
        return path_error(error, path, errno);
    int number = write_all(fd, bytes->bytes, bytes->length) ? 0 : errno;
    if (close(fd) != 0 && !number && errno != EINTR)
        number = errno;
    if (!number && !publish(temporary, path, replace, name, PATH_MAX))
        number = errno;
    if (number) {
        unlink(temporary);
        return path_error(error, path, number);
    }
    if (final_path && final_room) {
        struct text text;
        text_init(&text, final_path, final_room);
        text_append(&text, name, strlen(name));
    }
    return true;
}

bool profile_write_file(const struct profile *profile, const char *path, bool replace,
                        char *final_path, size_t final_room, struct profile_error *error)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    struct byte_buffer raw = {.arena = &scratch}, packed = {.arena = &scratch};
    bool good =
        profile_encode(profile, &raw) && gzip_deflate(raw.bytes, raw.length, LEVEL, &packed);
    if (!good)
        profile_error_set(error, PROFILE_ERROR_MEMORY, "%.*s: out of memory", 180, path);
    if (good) {
        struct held_signal held;
        hold_xfsz(&held);
        good = write_bytes(&packed, path, replace, final_path, final_room, error);
        release_xfsz(&held);
    }
    arena_free(&scratch);
    return good;
}
