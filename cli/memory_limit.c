/* memory_limit.c - reading /proc/PID/cgroup and the files of control groups. */
#include "memory_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each version has its files, and how it calls them. */
static const struct version {
    const char *mount, *limit, *events;
} versions[] = {
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control"},
    {"/sys/fs/cgroup", "memory.max", "memory.events"},
};

/* Version 1 shows "no limit" as the largest number of whole pages. */
static const uint64_t no_limit = UINT64_C(1) << 60;

/* The group's path, and the version whose memory controller it is in; NULL if there is none. */
static const struct version *find_group(const char *root, uint32_t pid, char group[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX];
    const struct version *version = NULL;
    snprintf(path, sizeof path, "%s/proc/%" PRIu32 "/cgroup", root, pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        /* number:controllers:path. Where version 1 has the memory controller, 2 can't have it. */
        line[strcspn(line, "\n")] = 0;
        const char *first = strchr(line, ':'), *second = first ? strchr(first + 1, ':') : NULL;
        if (second == NULL) {
            continue;
        }
        bool memory = strncmp(first, ":memory:", 8) == 0;
        if (memory || (second == first + 1 && version == NULL)) {
            version = &versions[memory ? 0 : 1];
            strcpy(group, second + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return version;
}

/* The number after key in a file of a group; key "" is the file's start. */
static bool read_number(const char *root, const struct version *version, const char *group,
                        const char *name, const char *key, uint64_t *number)
{
    char path[PATH_MAX], line[256];
    bool found = false;
    if ((size_t)snprintf(path, sizeof path, "%s%s%s/%s", root, version->mount, group, name) >=
        sizeof path) {
        return false;
    }
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        size_t n = strlen(key);
        found = strncmp(line, key, n) == 0 && sscanf(line + n, "%" SCNu64, number) == 1;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

bool memory_limit_find(const char *root, uint32_t pid, struct memory_limit *found)
{
    char group[PATH_MAX];
    const struct version *version = find_group(root, pid, group);
    *found = (struct memory_limit){0};
    if (version == NULL) {
        return false;
    }
    snprintf(found->group, sizeof found->group, "%.*s", (int)sizeof found->group - 1, group);
    bool known = read_number(root, version, group, version->events, "oom_kill ", &found->kills);
    /* From its own group upwards. What can't be seen from here, in a container, is passed over. */
    for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
        uint64_t limit;
        *slash = 0;
        if (read_number(root, version, group, version->limit, "", &limit)) {
            known = true;
            if (limit < no_limit && (found->bytes == 0 || limit < found->bytes)) {
                found->bytes = limit;
            }
        }
    }
    return known;
}
