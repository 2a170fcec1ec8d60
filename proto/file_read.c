/* file_read.c - whole files into memory (see profile_codec.h). */
#include "profile_codec.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool io_error(struct profile_error *error, int number)
{
    char words[128];
    struct text text;
    TEXT_ON(&text, words);
    text_append_errno(&text, number);
    return profile_error_set(error, PROFILE_ERROR_IO, "%s", words);
}

static bool read_all(int fd, size_t limit, struct byte_buffer *out, struct profile_error *error)
{
    struct stat status;
    size_t start = out->length, first = 64 << 10;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        first = (size_t)status.st_size < limit ? (size_t)status.st_size + 1 : limit;
    for (;;) {
        size_t got = out->length - start;
        if (got > limit)
            return profile_error_set(error, PROFILE_ERROR_TOO_LARGE, "larger than %zu bytes",
                                     limit);
        if (out->room == out->length && !byte_buffer_reserve(out, got ? 64 << 10 : first))
            return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
        size_t room = out->room - out->length;
        ssize_t n = read(fd, out->bytes + out->length, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_error(error, errno);
        if (n == 0)
            return true;
        out->length += (size_t)n;
    }
}

bool file_read(const char *path, size_t limit, struct byte_buffer *out, struct profile_error *error)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, limit, out, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return io_error(error, errno);
    bool good = read_all(fd, limit, out, error);
    close(fd);
    return good;
}
