/* tables_dir.c - looking for tables files: in directories, and in the maps of processes. */
#include "tables_dir.h"

#include "heap_tables.h"
#include "memory.h"
#include "process_info.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MOST_TABLES = 100000 };

/* A tables file that some process has mapped. */
struct mapped {
    uint64_t device, inode;
    uint32_t pid;
    char *path; /* as that process sees it */
};

struct scan {
    struct tables_list *list;
    struct mapped *mapped;
    size_t n_mapped, mapped_room;
    struct {
        uint64_t device, inode;
    } * seen;
    size_t n_seen, seen_room;
    uint8_t boot_id[16];
    bool has_boot_id;
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool directory_is_chosen(void)
{
    const char *chosen = getenv("APPROF_TABLES");
    return chosen != NULL && chosen[0] == '/';
}

bool tables_dir_default(char *path, size_t room)
{
    if (directory_is_chosen()) {
        return (size_t)snprintf(path, room, "%s", getenv("APPROF_TABLES")) < room;
    }
    return (size_t)snprintf(path, room, "/dev/shm/approf-%u", (unsigned)getuid()) < room;
}

const char *tables_exe_name(const struct tables_entry *entry)
{
    const char *slash = strrchr(entry->exe, '/');
    return slash != NULL ? slash + 1 : entry->exe;
}

static void read_boot_id(struct scan *scan)
{
    char text[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    size_t digits = 0;
    for (ssize_t i = 0; i < n && digits < 32; i++) {
        char c = text[i];
        int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (value >= 0) {
            scan->boot_id[digits / 2] =
                (uint8_t)(digits % 2 != 0 ? scan->boot_id[digits / 2] | value : value << 4);
            digits++;
        }
    }
    scan->has_boot_id = digits == 32;
}

/* Takes the tables files out of a process's maps. */
static void read_maps(struct scan *scan, uint32_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/maps", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, file)) > 0) {
        if (line[n - 1] == '\n') {
            line[n - 1] = 0;
        }
        unsigned major, minor;
        unsigned long inode;
        int at = 0;
        if (!ends_with(line, ".heap") ||
            sscanf(line, "%*x-%*x %*s %*x %x:%x %lu %n", &major, &minor, &inode, &at) < 3 ||
            at == 0 || line[at] != '/' || scan->n_mapped >= MOST_TABLES) {
            continue;
        }
        uint64_t device = makedev(major, minor);
        const struct mapped *last = scan->n_mapped > 0 ? &scan->mapped[scan->n_mapped - 1] : NULL;
        if (last != NULL && last->pid == pid && last->device == device && last->inode == inode) {
            continue;
        }
        MEMORY_ROOM(scan->mapped, scan->n_mapped, scan->mapped_room);
        scan->mapped[scan->n_mapped++] = (struct mapped){
            .device = device, .inode = inode, .pid = pid, .path = memory_print("%s", line + at)};
    }
    free(line);
    fclose(file);
}

static void free_mapped(struct scan *scan)
{
    for (size_t i = 0; i < scan->n_mapped; i++) {
        free(scan->mapped[i].path);
    }
    free(scan->mapped);
}

static void read_processes(struct scan *scan)
{
    DIR *stream = opendir("/proc");
    if (stream == NULL) {
        return;
    }
    struct dirent *entry;
    uint32_t uid;
    while ((entry = readdir(stream)) != NULL) {
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);
        if (pid > 0 && *end == 0 && process_user((uint32_t)pid, &uid) &&
            (uid == getuid() || getuid() == 0)) {
            read_maps(scan, (uint32_t)pid);
        }
    }
    closedir(stream);
}

static bool same_namespace(uint64_t wanted)
{
    struct stat status;
    return wanted == 0 || (stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == wanted);
}

/* A process that lets nobody read its maps: it counts as having what its pid and start stand for.
 */
static bool is_closed_owner(const struct heap_header *header)
{
    char path[64];
    uint64_t ticks;
    snprintf(path, sizeof path, "/proc/%u/maps", header->pid);
    return same_namespace(header->pid_namespace) && access(path, R_OK) != 0 && errno == EACCES &&
           process_start_ticks(header->pid, &ticks) && ticks == header->start_ticks;
}

/* The process that the header speaks of, if it still has the file mapped. */
static uint32_t living_owner(const struct scan *scan, const struct stat *status,
                             const struct heap_header *header)
{
    for (size_t i = 0; i < scan->n_mapped; i++) {
        const struct mapped *mapped = &scan->mapped[i];
        uint64_t ticks;
        if (mapped->inode == status->st_ino && mapped->device == status->st_dev &&
            process_inner_pid(mapped->pid) == header->pid &&
            (!process_start_ticks(mapped->pid, &ticks) || ticks == header->start_ticks)) {
            return mapped->pid;
        }
    }
    return is_closed_owner(header) ? header->pid : 0;
}

/* When a process that has ended was last seen: its end if that is known, else its newest sample. */
static int64_t last_moment(const struct tables_end *end, const struct heap_header *header)
{
    int64_t lived, at;
    if (end->realtime_ns >= header->start_realtime_ns && end->realtime_ns > 0) {
        return end->realtime_ns;
    }
    if (__builtin_sub_overflow(header->last_sample_ns, header->start_monotonic_ns, &lived) ||
        lived < 0 || __builtin_add_overflow(header->start_realtime_ns, lived, &at)) {
        return header->start_realtime_ns;
    }
    return at;
}

static bool seen_before(struct scan *scan, const struct stat *status)
{
    for (size_t i = 0; i < scan->n_seen; i++) {
        if (scan->seen[i].device == status->st_dev && scan->seen[i].inode == status->st_ino) {
            return true;
        }
    }
    MEMORY_ROOM(scan->seen, scan->n_seen, scan->seen_room);
    scan->seen[scan->n_seen].device = status->st_dev;
    scan->seen[scan->n_seen++].inode = status->st_ino;
    return false;
}

static void copy_exe(const struct heap_header *header, char *exe, size_t room)
{
    size_t n = header->exe_len < HEAP_EXE_BYTES ? header->exe_len : HEAP_EXE_BYTES;
    n = strnlen(header->exe, n);
    size_t cut = n >= room ? n - room + 1 : 0;
    memcpy(exe, header->exe + cut, n - cut);
    exe[n - cut] = 0;
}

static void add_tables(struct scan *scan, const char *path, const struct stat *status,
                       const struct heap_header *header)
{
    struct tables_list *list = scan->list;
    MEMORY_ROOM(list->entries, list->n, list->room);
    struct tables_entry *entry = &list->entries[list->n++];
    *entry = (struct tables_entry){.path = memory_print("%s", path),
                                   .pid = header->pid,
                                   .uid = status->st_uid,
                                   .parent_pid = header->parent_pid,
                                   .inherited_from = header->inherited_from,
                                   .own_container = same_namespace(header->pid_namespace),
                                   .exited = heap_has_exited(header),
                                   .start_realtime_ns = header->start_realtime_ns,
                                   .start_monotonic_ns = header->start_monotonic_ns,
                                   .rate = header->rate,
                                   .total_bytes = header->total_bytes,
                                   .live_bytes = header->live_bytes,
                                   .peak_bytes = header->peak_bytes,
                                   .samples = header->samples,
                                   .threads = header->threads,
                                   .file_bytes = (uint64_t)status->st_blocks * 512,
                                   .changed_ns = status->st_mtim.tv_sec * INT64_C(1000000000) +
                                                 status->st_mtim.tv_nsec};
    entry->other_boot =
        scan->has_boot_id && memcmp(header->boot_id, scan->boot_id, sizeof header->boot_id) != 0;
    copy_exe(header, entry->exe, sizeof entry->exe);
    uint32_t owner = entry->other_boot ? 0 : living_owner(scan, status, header);
    if (owner != 0) {
        entry->alive = true;
        entry->pid = owner;
        return;
    }
    bool here = entry->own_container && !entry->other_boot;
    entry->end = tables_end_find(path, here ? header->pid : 0, header->start_ticks);
    entry->last_ns = last_moment(&entry->end, header);
}

/* Of another version: nothing is known of it but that it is tables, and whether they are in use. */
static void add_other_version(struct scan *scan, const char *path, const struct stat *status)
{
    struct tables_list *list = scan->list;
    for (size_t i = 0; i < scan->n_mapped; i++) {
        if (scan->mapped[i].inode == status->st_ino && scan->mapped[i].device == status->st_dev) {
            return;
        }
    }
    MEMORY_ROOM(list->other_versions, list->n_other, list->other_room);
    list->other_versions[list->n_other++] = memory_print("%s", path);
}

/* Adds the file if it is tables; links are not followed below the last directory. */
static void add_file(struct scan *scan, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return;
    }
    struct heap_header *header = memory_array(1, sizeof *header); /* large */
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
        header->magic == HEAP_TABLES_MAGIC && (status.st_uid == getuid() || getuid() == 0) &&
        !seen_before(scan, &status) && scan->list->n + scan->list->n_other < MOST_TABLES) {
        if (header->version == HEAP_TABLES_VERSION) {
            add_tables(scan, path, &status, header);
        } else {
            add_other_version(scan, path, &status);
        }
    }
    free(header);
    close(fd);
}

static void scan_directory(struct scan *scan, const char *directory, int depth)
{
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        char *path = memory_print("%s/%s", directory, entry->d_name);
        if (ends_with(entry->d_name, ".heap")) {
            add_file(scan, path);
        } else if (depth == 0 && strncmp(entry->d_name, "run.", 4) == 0) {
            scan_directory(scan, path, 1);
        }
        free(path);
    }
    closedir(stream);
}

/* What processes elsewhere have mapped: other directories, other containers. */
static void add_mapped(struct scan *scan)
{
    for (size_t i = 0; i < scan->n_mapped; i++) {
        const struct mapped *mapped = &scan->mapped[i];
        struct stat status;
        char path[PATH_MAX];
        if (lstat(mapped->path, &status) == 0 && status.st_ino == mapped->inode &&
            status.st_dev == mapped->device) {
            add_file(scan, mapped->path);
        } else if ((size_t)snprintf(path, sizeof path, "/proc/%u/root%s", mapped->pid,
                                    mapped->path) < sizeof path &&
                   lstat(path, &status) == 0 && status.st_ino == mapped->inode) {
            add_file(scan, path);
        }
    }
}

/* Tables of other users, for root, and those of processes with another idea of where to put them.
 */
static void scan_elsewhere(struct scan *scan)
{
    char path[PATH_MAX];
    DIR *stream = getuid() == 0 ? opendir("/dev/shm") : NULL;
    struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        if (strncmp(entry->d_name, "approf-", 7) == 0 && entry->d_name[7] != 0 &&
            strspn(entry->d_name + 7, "0123456789") == strlen(entry->d_name + 7)) {
            snprintf(path, sizeof path, "/dev/shm/%s", entry->d_name);
            scan_directory(scan, path, 0);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
    add_mapped(scan);
}

static int by_start(const void *a, const void *b)
{
    const struct tables_entry *x = a, *y = b;
    if (x->start_realtime_ns != y->start_realtime_ns) {
        return x->start_realtime_ns < y->start_realtime_ns ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

void tables_dir_scan(const char *directory, struct tables_list *list)
{
    struct scan scan = {.list = list};
    char usual[PATH_MAX];
    *list = (struct tables_list){0};
    read_boot_id(&scan);
    read_processes(&scan);
    if (directory != NULL) {
        scan_directory(&scan, directory, 1);
    } else {
        if (tables_dir_default(usual, sizeof usual)) {
            scan_directory(&scan, usual, 0);
        }
        if (!directory_is_chosen()) {
            scan_elsewhere(&scan);
        }
    }
    free_mapped(&scan);
    free(scan.seen);
    if (list->n > 0) {
        qsort(list->entries, list->n, sizeof *list->entries, by_start);
    }
}

void tables_list_free(struct tables_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->entries[i].path);
    }
    free(list->entries);
    for (size_t i = 0; i < list->n_other; i++) {
        free(list->other_versions[i]);
    }
    free(list->other_versions);
    *list = (struct tables_list){0};
}

const char *tables_state_text(const struct tables_entry *entry, char *text, size_t room)
{
    if (entry->alive) {
        return entry->own_container ? "alive" : "alive, in a container";
    }
    const char *end = tables_end_text(&entry->end, text, room);
    return *end != 0           ? end
           : entry->other_boot ? "from before the last boot"
           : entry->exited     ? "ended"
                               : "ended without goodbye";
}

int64_t tables_last_moment(int fd, const char *path, const struct heap_header *header)
{
    struct tables_list none = {0};
    struct scan scan = {.list = &none};
    struct stat status;
    read_boot_id(&scan);
    bool other_boot =
        scan.has_boot_id && memcmp(header->boot_id, scan.boot_id, sizeof header->boot_id) != 0;
    bool here = same_namespace(header->pid_namespace);
    if (!other_boot && here) {
        read_maps(&scan, header->pid);
    } else if (!other_boot) {
        read_processes(&scan);
    }
    bool alive =
        !other_boot && fstat(fd, &status) == 0 && living_owner(&scan, &status, header) != 0;
    free_mapped(&scan);
    if (alive) {
        return 0;
    }
    struct tables_end end =
        tables_end_find(path, here && !other_boot ? header->pid : 0, header->start_ticks);
    return last_moment(&end, header);
}

bool tables_total_bytes(const char *path, uint64_t *total)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    bool fine = pread(fd, total, sizeof *total, offsetof(struct heap_header, total_bytes)) ==
                (ssize_t)sizeof *total;
    close(fd);
    return fine;
}

void tables_dir_tidy(void)
{
    char base[PATH_MAX];
    DIR *stream = tables_dir_default(base, sizeof base) ? opendir(base) : NULL;
    if (stream == NULL) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        if (strncmp(entry->d_name, "run.", 4) != 0) {
            continue;
        }
        long pid = strtol(entry->d_name + 4, NULL, 10);
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
            char *folder = memory_print("%s/%s", base, entry->d_name);
            char *link = memory_print("%s/libapprof.so", folder);
            struct stat status;
            /* The link serves processes that are still there. */
            if (rmdir(folder) != 0 && lstat(link, &status) == 0 && S_ISLNK(status.st_mode)) {
                size_t others = 0;
                DIR *inside = opendir(folder);
                struct dirent *file;
                while (inside != NULL && (file = readdir(inside)) != NULL) {
                    others += file->d_name[0] != '.' && strcmp(file->d_name, "libapprof.so") != 0;
                }
                if (inside != NULL) {
                    closedir(inside);
                }
                if (others == 0 && unlink(link) == 0) {
                    rmdir(folder);
                }
            }
            free(link);
            free(folder);
        }
    }
    closedir(stream);
}
