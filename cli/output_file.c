/* output_file.c - see output_file.h. */
#include "output_file.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_temporary(struct output_file *output)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        output->temporary = memory_print("%s.new-%d-%u", output->path, (int)getpid(), attempt);
        int fd =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 && (output->stream = fdopen(fd, "w"))) {
            return true;
        }
        int number = errno;
        if (fd >= 0) {
            close(fd);
            unlink(output->temporary);
        }
        free(output->temporary);
        output->temporary = NULL;
        errno = number;
        if (number != EEXIST) {
            return false;
        }
    }
    return false;
}

bool output_open(struct output_file *output, const char *path)
{
    struct stat status;
    *output = (struct output_file){0};
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return true;
    }
    output->path = memory_text(path, strlen(path));
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (direct) {
        output->stream = fopen(path, "we");
    }
    if (direct ? output->stream != NULL : open_temporary(output)) {
        return true;
    }
    int number = errno;
    free(output->path);
    output->path = NULL;
    errno = number;
    return false;
}

bool output_close(struct output_file *output, bool keep)
{
    bool is_stdout = output->stream == stdout;
    bool fine = !ferror(output->stream);
    errno = fine ? 0 : EIO;
    fine = (is_stdout ? fflush(output->stream) : fclose(output->stream)) == 0 && fine;
    if (output->temporary) {
        if (fine && keep) {
            fine = rename(output->temporary, output->path) == 0;
        }
        int number = errno;
        if (!fine || !keep) {
            unlink(output->temporary);
        }
        errno = number;
    }
    int number = errno;
    free(output->temporary);
    free(output->path);
    errno = number;
    return fine;
}
