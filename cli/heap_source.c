/* heap_source.c - see heap_source.h. */
#include "heap_source.h"

#include "memory.h"
#include "tables_reader.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool heap_source_is(const char *path)
{
    uint64_t magic = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    bool fits = pread(fd, &magic, sizeof magic, 0) == sizeof magic;
    close(fd);
    return fits && magic == HEAP_TABLES_MAGIC;
}

static int64_t read_at(void *ctx, void *bytes, size_t n, uint64_t offset)
{
    return offset > INT64_MAX ? -1 : pread(*(const int *)ctx, bytes, n, (off_t)offset);
}

bool heap_source_read(const char *path, struct profile *out, struct profile_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return profile_error_set(error, PROFILE_ERROR_IO, "cannot be opened");
    }
    struct tables_io io = {.read_at = read_at, .ctx = &fd};
    struct heap_snapshot snapshot;
    bool fine = heap_snapshot_read(&io, 0, &snapshot, error);
    close(fd);
    if (fine) {
        struct snapshot_profile_options options = {0};
        fine = heap_snapshot_to_profile(&snapshot, &options, out, error);
        heap_snapshot_free(&snapshot);
    }
    return fine;
}

bool heap_source_find(const char *pid, char *path, size_t room)
{
    const char *folder = getenv("APPROF_TABLES");
    char *pattern = folder && *folder && strcmp(folder, "off") != 0
                        ? memory_print("%s/*.%s.*.heap", folder, pid)
                        : memory_print("/dev/shm/approf-*/*.%s.*.heap", pid);
    glob_t found = {0};
    bool any = false;
    struct timespec newest = {0};
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat status;
            if (lstat(found.gl_pathv[i], &status) != 0 || !S_ISREG(status.st_mode)) {
                continue;
            }
            struct timespec time = status.st_mtim;
            if (!any || time.tv_sec > newest.tv_sec ||
                (time.tv_sec == newest.tv_sec && time.tv_nsec > newest.tv_nsec)) {
                snprintf(path, room, "%s", found.gl_pathv[i]);
                newest = time;
                any = true;
            }
        }
        globfree(&found);
    }
    free(pattern);
    return any;
}
