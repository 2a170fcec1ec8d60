/* source_text.c - see source_text.h. */
#include "source_text.h"

#include "memory.h"
#include "message.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20 };

void source_texts_open(struct source_texts *texts, const char *source_path, const char *trim_path)
{
    *texts = (struct source_texts){0};
    if (*source_path) {
        texts->source_path = memory_text(source_path, strlen(source_path));
    } else {
        char *here = getcwd(NULL, 0);
        texts->source_path = here ? here : memory_text(".", 1);
    }
    texts->trim_path = memory_text(trim_path, strlen(trim_path));
}

static int open_regular(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode)) {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
        errno = S_ISDIR(status->st_mode) ? EISDIR : EINVAL;
    }
    return -1;
}

/* In a directory or any of its parents. */
static int open_below(const char *folder, size_t n, const char *name, struct stat *status)
{
    char *base = memory_text(folder, n);
    char *dir = path_clean(base);
    free(base);
    int fd = -1;
    for (;;) {
        char *joined = memory_print("%s/%s", dir, name);
        char *path = path_clean(joined);
        fd = open_regular(path, status);
        free(path);
        free(joined);
        char *slash = strrchr(dir, '/');
        if (fd >= 0 || strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0) {
            break;
        }
        if (!slash) {
            strcpy(dir, ".");
        } else {
            slash[slash == dir] = 0;
        }
    }
    free(dir);
    return fd;
}

static int open_source(const struct source_texts *texts, struct source_text *file,
                       struct stat *status)
{
    const char *path = path_trim(file->name, texts->trim_path, texts->source_path);
    if (*path == '/') {
        int fd = open_regular(path, status);
        if (fd < 0) {
            file->error = memory_print("open %s: %s", path, message_errno(errno));
        }
        return fd;
    }
    for (const char *at = texts->source_path; *at;) {
        size_t n = strcspn(at, ":");
        int fd = open_below(at, n, path, status);
        if (fd >= 0) {
            return fd;
        }
        at += n + (at[n] == ':');
    }
    file->error = memory_print("could not find file %s on path %s", path, texts->source_path);
    return -1;
}

/* Links are resolved already: the path of what was opened counts. */
static bool may_show(const struct source_texts *texts, int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = texts->may_show ? readlink(link, path, sizeof path - 1) : 0;
    if (!texts->may_show || n < 0) {
        return !texts->may_show;
    }
    path[n] = 0;
    return texts->may_show(path, texts->ctx);
}

static void read_lines(struct source_text *file, int fd, const struct stat *status)
{
    if (status->st_size > MOST_BYTES) {
        file->error = memory_print("%s is too large to be source text", file->name);
        return;
    }
    size_t size = (size_t)status->st_size, used = 0;
    file->bytes = memory_array(size + 1, 1);
    while (used < size) {
        ssize_t n = read(fd, file->bytes + used, size - used);
        if (n <= 0) {
            break;
        }
        used += (size_t)n;
    }
    file->modified = status->st_mtime;
    size_t room = 0;
    for (size_t at = 0; at < used;) {
        char *line = file->bytes + at;
        char *end = memchr(line, '\n', used - at);
        size_t length = end ? (size_t)(end - line) : used - at;
        at += length + 1;
        line[length] = 0;
        if (length > 0 && line[length - 1] == '\r') {
            line[length - 1] = 0;
        }
        MEMORY_ROOM(file->lines, file->n_lines, room);
        file->lines[file->n_lines++] = line;
    }
}

const struct source_text *source_text_find(struct source_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->n; i++) {
        if (strcmp(texts->files[i]->name, name) == 0) {
            return texts->files[i];
        }
    }
    struct source_text *file = memory_array(1, sizeof *file);
    struct stat status = {0};
    file->name = memory_text(name, strlen(name));
    int fd = open_source(texts, file, &status);
    if (fd >= 0) {
        if (may_show(texts, fd)) {
            read_lines(file, fd, &status);
        } else {
            file->error = memory_print("%s is outside of the directories that may be shown", name);
        }
        close(fd);
    }
    MEMORY_ROOM(texts->files, texts->n, texts->room);
    texts->files[texts->n++] = file;
    return file;
}

void source_texts_close(struct source_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++) {
        struct source_text *file = texts->files[i];
        free(file->name);
        free(file->error);
        free(file->bytes);
        free(file->lines);
        free(file);
    }
    free(texts->files);
    free(texts->source_path);
    free(texts->trim_path);
    *texts = (struct source_texts){0};
}
