/* process_info.c - reading /proc. */
#include "process_info.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_PROC_FILE = 16384 };

/* The start of a file, NUL-terminated. */
static bool read_text(const char *path, char text[LARGEST_PROC_FILE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size_t used = 0;
    ssize_t n;
    while ((n = read(fd, text + used, LARGEST_PROC_FILE - 1 - used)) > 0) {
        used += (size_t)n;
    }
    close(fd);
    text[used] = 0;
    return used > 0;
}

static bool read_of(uint32_t pid, const char *name, char text[LARGEST_PROC_FILE])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", pid, name);
    return read_text(path, text);
}

/* Where a field of /proc/PID/stat begins; NULL when there are fewer. */
static const char *stat_field(const char *text, int number)
{
    /* The name in field 2 may hold spaces and parentheses: count from its end. */
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < number; field++) {
        at = strchr(at + 1, ' ');
    }
    return at != NULL ? at + 1 : NULL;
}

bool process_start_ticks(uint32_t pid, uint64_t *ticks)
{
    char text[LARGEST_PROC_FILE];
    const char *at = read_of(pid, "stat", text) ? stat_field(text, 22) : NULL;
    if (at == NULL) {
        return false;
    }
    char *end;
    *ticks = strtoull(at, &end, 10);
    return end != at;
}

enum process_state process_zombie_status(uint32_t pid, int *status)
{
    char text[LARGEST_PROC_FILE];
    const char *state = read_of(pid, "stat", text) ? stat_field(text, 3) : NULL;
    if (state == NULL) {
        return PROCESS_GONE;
    }
    if (*state != 'Z') {
        return *state == 'X' || *state == 'x' ? PROCESS_GONE : PROCESS_RUNS;
    }
    const char *code = stat_field(text, 52);
    *status = code != NULL ? (int)strtol(code, NULL, 10) : 0;
    return code != NULL ? PROCESS_IS_ZOMBIE : PROCESS_GONE;
}

int64_t process_start_seconds(uint32_t pid)
{
    uint64_t ticks;
    char text[LARGEST_PROC_FILE];
    long per_second = sysconf(_SC_CLK_TCK);
    if (per_second <= 0 || !process_start_ticks(pid, &ticks)) {
        return 0;
    }
    /* btime stands behind the interrupts, a long line: look for it in pieces. */
    FILE *file = fopen("/proc/stat", "re");
    int64_t boot = 0;
    while (file != NULL && boot == 0 && fgets(text, sizeof text, file) != NULL) {
        if (strncmp(text, "btime ", 6) == 0) {
            boot = strtoll(text + 6, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return boot != 0 ? boot + (int64_t)(ticks / (uint64_t)per_second) : 0;
}

uint32_t process_inner_pid(uint32_t pid)
{
    char text[LARGEST_PROC_FILE];
    const char *line = read_of(pid, "status", text) ? strstr(text, "\nNSpid:") : NULL;
    if (line == NULL) {
        return pid;
    }
    uint32_t inner = pid;
    char *end;
    for (const char *at = line + 7; *at == ' ' || *at == '\t'; at = end) {
        unsigned long value = strtoul(at, &end, 10);
        if (end == at) {
            break;
        }
        inner = (uint32_t)value;
    }
    return inner;
}

bool process_user(uint32_t pid, uint32_t *uid)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%u", pid);
    if (stat(path, &status) != 0) {
        return false;
    }
    *uid = status.st_uid;
    return true;
}

uint64_t process_private_bytes(uint32_t pid, uint64_t start_ticks)
{
    char text[LARGEST_PROC_FILE];
    uint64_t ticks;
    unsigned long size, resident, shared;
    if (!process_start_ticks(pid, &ticks) || ticks != start_ticks || !read_of(pid, "statm", text) ||
        sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3 || resident < shared) {
        return 0;
    }
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}
