/* heap_source.c - see heap_source.h. */
#include "heap_source.h"

#include "process_info.h"
#include "tables_dir.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int heap_source_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

bool heap_source_is(const char *path)
{
    uint64_t magic = 0;
    int fd = heap_source_open(path);
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

bool heap_source_snapshot_of(int fd, struct heap_snapshot *out, struct profile_error *error)
{
    struct tables_io io = {.read_at = read_at, .ctx = &fd};
    if (!heap_snapshot_read(&io, 0, out, error)) {
        return false;
    }
    if (!heap_has_exited(out->header)) {
        out->header->resident_bytes =
            process_private_bytes(out->header->pid, out->header->start_ticks);
    }
    return true;
}

void heap_source_ended(struct heap_snapshot *snapshot, int64_t last_realtime_ns)
{
    const struct heap_header *header = snapshot->header;
    int64_t lived;
    if (!__builtin_sub_overflow(last_realtime_ns, header->start_realtime_ns, &lived) &&
        !__builtin_add_overflow(header->start_monotonic_ns, lived, &snapshot->taken_monotonic_ns)) {
        snapshot->taken_realtime_ns = last_realtime_ns;
    }
}

bool heap_source_snapshot(const char *path, struct heap_snapshot *out, struct profile_error *error)
{
    int fd = heap_source_open(path);
    if (fd < 0) {
        return profile_error_set(error, PROFILE_ERROR_IO, "%s", message_errno(errno));
    }
    bool fine = heap_source_snapshot_of(fd, out, error);
    /* What an ended process left is as it was at its end, whenever it is read. */
    int64_t last = fine ? tables_last_moment(fd, path, out->header) : 0;
    if (last != 0) {
        heap_source_ended(out, last);
    }
    close(fd);
    return fine;
}

bool heap_source_twice(const char *path, int64_t seconds, void (*tell)(int64_t seconds),
                       struct heap_snapshot *older, struct heap_snapshot *newer,
                       struct profile_error *error)
{
    int fd = heap_source_open(path);
    if (fd < 0) {
        return profile_error_set(error, PROFILE_ERROR_IO, "%s", message_errno(errno));
    }
    bool fine = heap_source_snapshot_of(fd, older, error);
    if (fine) {
        struct timespec left = {.tv_sec = seconds};
        tell(seconds);
        while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        }
        fine = heap_source_snapshot_of(fd, newer, error);
        if (!fine) {
            heap_snapshot_free(older);
        }
    }
    close(fd);
    return fine;
}

bool heap_source_delta(const struct heap_snapshot *older, const struct heap_snapshot *newer,
                       struct profile *out, struct profile_error *error)
{
    struct snapshot_profile_options options = {.default_sample_type = "alloc_space",
                                               .since = older};
    if (!heap_snapshot_to_profile(newer, &options, out, error)) {
        return false;
    }
    int64_t between;
    out->duration_nanos =
        !__builtin_sub_overflow(newer->taken_monotonic_ns, older->taken_monotonic_ns, &between) &&
                between > 0
            ? between
            : 0;
    return true;
}

bool heap_source_profile(const struct heap_snapshot *snapshot, struct profile *out,
                         struct profile_error *error)
{
    bool exact = snapshot->header->state == HEAP_EXITED;
    struct snapshot_profile_options options = {
        .default_sample_type = exact ? "alloc_space" : NULL,
        .exact_total_bytes = exact ? snapshot->header->total_bytes : 0,
        .exact = exact,
    };
    return heap_snapshot_to_profile(snapshot, &options, out, error);
}

bool heap_source_read(const char *path, struct profile *out, struct profile_error *error)
{
    struct heap_snapshot snapshot;
    if (!heap_source_snapshot(path, &snapshot, error)) {
        return false;
    }
    bool fine = heap_source_profile(&snapshot, out, error);
    heap_snapshot_free(&snapshot);
    return fine;
}

/* By pid or by name: what is alive counts more, then what began later. */
enum heap_source_match heap_source_find(const char *process, char *path, size_t room)
{
    struct tables_list list;
    char *end;
    unsigned long pid = strtoul(process, &end, 10);
    bool by_pid = *process != 0 && *end == 0;
    const struct tables_entry *best = NULL;
    size_t n_alive = 0;
    tables_dir_scan(NULL, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct tables_entry *entry = &list.entries[i];
        if (by_pid ? entry->pid != pid : strcmp(tables_exe_name(entry), process) != 0) {
            continue;
        }
        n_alive += entry->alive;
        if (best == NULL || entry->alive >= best->alive) {
            best = entry; /* the list is in order of time */
        }
    }
    bool fits = best != NULL && (size_t)snprintf(path, room, "%s", best->path) < room;
    tables_list_free(&list);
    return !fits ? HEAP_SOURCE_NONE : n_alive > 1 ? HEAP_SOURCE_AMBIGUOUS : HEAP_SOURCE_FOUND;
}

static bool other_mounts(uint32_t pid)
{
    char path[64];
    struct stat ours, theirs;
    snprintf(path, sizeof path, "/proc/%u/ns/mnt", pid);
    if (stat(path, &theirs) != 0 || stat("/proc/self/ns/mnt", &ours) != 0) {
        return false; /* not for us to look at */
    }
    return ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev;
}

bool heap_source_foreign(const char *tables, uint32_t *pid, char *root, size_t room)
{
    struct tables_list list;
    *pid = 0;
    tables_dir_scan(NULL, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct tables_entry *entry = &list.entries[i];
        if (entry->alive && strcmp(entry->path, tables) == 0 && other_mounts(entry->pid)) {
            *pid = entry->pid;
        }
    }
    tables_list_free(&list);
    return *pid != 0 && (size_t)snprintf(root, room, "/proc/%u/root", *pid) < room;
}
