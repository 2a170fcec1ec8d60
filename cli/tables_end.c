/* tables_end.c - see tables_end.h. A note is one line: exit|signal|exec NUMBER NANOSECONDS. */
#include "tables_end.h"

#include "heap_tables.h"
#include "memory.h"
#include "process_info.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char tables_suffix[] = ".heap", note_suffix[] = ".end";

/* The note's path, malloc'd; NULL if these are no tables by their name. */
static char *note_path(const char *path)
{
    size_t n = strlen(path), suffix = sizeof tables_suffix - 1;
    if (n <= suffix || strcmp(path + n - suffix, tables_suffix) != 0) {
        return NULL;
    }
    return memory_print("%.*s%s", (int)(n - suffix), path, note_suffix);
}

static int64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- writing ---- */

/* Tables of the process that ended, as its directory has them. */
struct left {
    char *path;
    uint64_t start_ticks;
    int64_t start_realtime_ns;
};

static bool read_start(const char *path, struct left *left)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool fine =
        fd >= 0 &&
        pread(fd, &left->start_ticks, sizeof left->start_ticks,
              offsetof(struct heap_header, start_ticks)) == sizeof left->start_ticks &&
        pread(fd, &left->start_realtime_ns, sizeof left->start_realtime_ns,
              offsetof(struct heap_header, start_realtime_ns)) == sizeof left->start_realtime_ns;
    if (fd >= 0) {
        close(fd);
    }
    return fine;
}

static void write_note(const char *tables, const char *how, int number, int64_t now_ns)
{
    char *path = note_path(tables);
    int fd =
        path != NULL ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        dprintf(fd, "%s %d %" PRId64 "\n", how, number, now_ns);
        close(fd);
    }
    free(path);
}

/* NAME.PID.NONCE.heap with this PID */
static bool is_of(const char *name, uint32_t pid)
{
    char middle[24];
    size_t n = strlen(name);
    if (n < sizeof tables_suffix || strcmp(name + n - (sizeof tables_suffix - 1), tables_suffix)) {
        return false;
    }
    snprintf(middle, sizeof middle, ".%" PRIu32 ".", pid);
    const char *at = NULL, *next = name;
    while ((next = strstr(next, middle)) != NULL) {
        at = next++;
    }
    return at != NULL && strchr(at + strlen(middle), '.') == name + n - (sizeof tables_suffix - 1);
}

void tables_end_note(const char *directory, uint32_t pid, int status)
{
    struct left *found = NULL;
    size_t n = 0, room = 0, last = 0;
    DIR *stream = opendir(directory);
    struct dirent *entry;
    int64_t now_ns = realtime_ns();
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        if (!is_of(entry->d_name, pid)) {
            continue;
        }
        struct left left = {.path = memory_print("%s/%s", directory, entry->d_name)};
        if (!read_start(left.path, &left)) {
            free(left.path);
            continue;
        }
        MEMORY_ROOM(found, n, room);
        found[n] = left;
        last = left.start_realtime_ns >= found[last].start_realtime_ns ? n : last;
        n++;
    }
    if (stream != NULL) {
        closedir(stream);
    }
    for (size_t i = 0; i < n; i++) {
        if (i == last && WIFSIGNALED(status)) {
            write_note(found[i].path, "signal", WTERMSIG(status), now_ns);
        } else if (i == last) {
            write_note(found[i].path, "exit", WEXITSTATUS(status), now_ns);
        } else if (found[i].start_ticks == found[last].start_ticks) {
            write_note(found[i].path, "exec", 0, found[last].start_realtime_ns);
        }
    }
    for (size_t i = 0; i < n; i++) {
        free(found[i].path);
    }
    free(found);
}

/* ---- reading ---- */

static bool read_note(const char *tables, struct tables_end *end)
{
    char text[100], how[8];
    int number;
    int64_t when;
    char *path = note_path(tables);
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    if (n <= 0) {
        return false;
    }
    text[n] = 0;
    if (sscanf(text, "%7s %d %" SCNd64, how, &number, &when) != 3 || when < 0 ||
        when > realtime_ns()) {
        return false;
    }
    *end = (struct tables_end){.how = TABLES_END_STATUS, .realtime_ns = when};
    if (strcmp(how, "exit") == 0 && number >= 0 && number < 256) {
        end->status = W_EXITCODE(number, 0);
        return true;
    }
    if (strcmp(how, "signal") == 0 && number > 0 && number < 127) {
        end->status = W_EXITCODE(0, number);
        return true;
    }
    end->how = TABLES_END_EXEC;
    return strcmp(how, "exec") == 0;
}

struct tables_end tables_end_find(const char *path, uint32_t pid, uint64_t start_ticks)
{
    struct tables_end end = {.how = TABLES_END_UNKNOWN};
    uint64_t ticks;
    if (read_note(path, &end)) {
        return end;
    }
    end = (struct tables_end){.how = TABLES_END_UNKNOWN};
    if (pid == 0 || !process_start_ticks(pid, &ticks) || ticks != start_ticks) {
        return end;
    }
    switch (process_zombie_status(pid, &end.status)) {
    case PROCESS_RUNS:
        end.how = TABLES_END_EXEC;
        break;
    case PROCESS_IS_ZOMBIE:
        end.how = TABLES_END_STATUS;
        break;
    default:
        break;
    }
    return end;
}

void tables_end_remove(const char *path)
{
    char *note = note_path(path);
    if (note != NULL) {
        unlink(note);
    }
    free(note);
}

const char *tables_end_text(const struct tables_end *end, char *text, size_t room)
{
    if (end->how == TABLES_END_UNKNOWN) {
        return "";
    }
    if (end->how == TABLES_END_EXEC) {
        return "became another program";
    }
    if (!WIFSIGNALED(end->status)) {
        snprintf(text, room, "exit %d", WEXITSTATUS(end->status));
    } else if (sigabbrev_np(WTERMSIG(end->status)) != NULL) {
        snprintf(text, room, "killed by SIG%s", sigabbrev_np(WTERMSIG(end->status)));
    } else {
        snprintf(text, room, "killed by signal %d", WTERMSIG(end->status));
    }
    return text;
}
