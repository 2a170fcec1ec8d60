/* perf_map.c - reading perf maps. */
#include "perf_map.h"
#include "process_info.h"
#include "sorted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ENTRIES = 1 << 22, LARGEST_FILE = 256 << 20 };

/* Descriptor and size of a map that counts, or -1. */
static int open_map(uint32_t pid, const char *root, off_t *size)
{
    char path[512];
    if ((size_t)snprintf(path, sizeof path, "%s/tmp/perf-%u.map", root != NULL ? root : "",
                         root != NULL ? process_inner_pid(pid) : pid) >= sizeof path) {
        return -1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return -1;
    }
    struct stat file;
    uint32_t user = geteuid();
    bool counts = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size <= LARGEST_FILE;
    if (counts && process_user(pid, &user)) {
        /* A running process: its own map is no older than it is. */
        counts = file.st_mtime >= process_start_seconds(pid) - 1;
    }
    counts = counts && (file.st_uid == user || file.st_uid == 0);
    if (!counts) {
        close(fd);
        return -1;
    }
    *size = file.st_size;
    return fd;
}

static int by_start(const void *a, const void *b)
{
    const struct perf_map_entry *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool add_line(struct perf_map *map, char *line, uint32_t *room)
{
    char *end, *name;
    uint64_t start = strtoull(line, &end, 16);
    if (end == line || *end != ' ') {
        return true;
    }
    uint64_t size = strtoull(end + 1, &name, 16);
    if (name == end + 1 || *name != ' ' || name[1] == 0 || size == 0 || start + size < start ||
        map->n >= MOST_ENTRIES) {
        return true;
    }
    if (map->n == *room) {
        uint32_t wanted = *room != 0 ? 2 * *room : 1024;
        void *grown = arena_grow(&map->arena, map->entries, *room * sizeof *map->entries,
                                 wanted * sizeof *map->entries);
        if (grown == NULL) {
            return false;
        }
        map->entries = grown;
        *room = wanted;
    }
    map->entries[map->n] =
        (struct perf_map_entry){.start = start, .size = size, .name = name + 1, .order = map->n};
    map->n++;
    return true;
}

bool perf_map_load(struct perf_map *map, uint32_t pid, const char *root)
{
    *map = (struct perf_map){0};
    arena_init(&map->arena, 0);
    off_t size;
    int fd = open_map(pid, root, &size);
    if (fd < 0) {
        return false;
    }
    char *text = arena_alloc(&map->arena, (size_t)size + 1);
    size_t n = 0;
    while (text != NULL && n < (size_t)size) {
        ssize_t got = read(fd, text + n, (size_t)size - n);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
    }
    close(fd);
    if (text == NULL) {
        perf_map_free(map);
        return false;
    }
    text[n] = 0;
    uint32_t room = 0;
    /* The last line counts only when it is complete: the process may be writing it. */
    for (char *line = text, *end; (end = memchr(line, '\n', n - (size_t)(line - text))) != NULL;
         line = end + 1) {
        *end = 0;
        if (!add_line(map, line, &room)) {
            break;
        }
    }
    if (map->n > 0) {
        qsort(map->entries, map->n, sizeof *map->entries, by_start);
    }
    return map->n > 0;
}

void perf_map_free(struct perf_map *map)
{
    arena_free(&map->arena);
    *map = (struct perf_map){0};
}

const char *perf_map_find(const struct perf_map *map, uint64_t address)
{
    /* Code that was thrown away leaves entries behind that newer ones overlap. */
    const struct perf_map_entry *best = NULL;
    size_t behind = SORTED_FIRST_BEHIND(map->entries, map->n, start, address);
    for (size_t i = behind, steps = 0; i > 0 && steps < 16; i--, steps++) {
        const struct perf_map_entry *entry = &map->entries[i - 1];
        if (address - entry->start < entry->size && (best == NULL || entry->order > best->order)) {
            best = entry;
        }
    }
    return best != NULL ? best->name : NULL;
}
