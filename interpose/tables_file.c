/* tables_file.c - where the tables lie: the directory, the file, and the files of dead processes.
 *
 * Nobody else's directory or file is ever used: the directory must be ours and closed to others, no
 * link is followed at its end or at the file, the file is created anew, and when it is opened again
 * for growing it must still be the same inode. Stray writes through a descriptor number below 3
 * that our short-lived descriptor happened to take are appended and do no harm.
 */
#include "raw_sys.h"
#include "tables_internal.h"
#include <dirent.h>
#include <string.h>

enum {
    FILE_FLAGS = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_APPEND,
    DEAD_TO_KEEP = 3, /* with our own, which may be the next, four remain of a crash loop */
    EXE_BYTES = 100,
    UNBORN_SECONDS = 600,
    SCRATCH_HALF =
        sizeof tables.scratch / 2, /* directory entries in one, /proc/PID/maps in the other */
};

static char *put_text(char *at, char *end, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(end - at) <= n)
        return end; /* too long: noticed by the caller, who finds no room left */
    memcpy(at, text, n + 1);
    return at + n;
}

static char *put_number(char *at, char *end, uint64_t n, unsigned base)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    return put_text(at, end, p);
}

/* The exe's base name as it stands in the file's name: letters, digits and ._+- only. */
static void exe_name(const char *exe, size_t length, char name[EXE_BYTES + 1])
{
    const char *slash = memrchr(exe, '/', length);
    const char *base = slash ? slash + 1 : exe;
    size_t n = 0;
    for (; n < EXE_BYTES && base + n < exe + length; n++) {
        char c = base[n];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '+' || c == '-' || (c == '.' && n > 0);
        name[n] = plain ? c : '_';
    }
    if (n == 0)
        name[n++] = '_';
    name[n] = 0;
}

/* Absolute, without a trailing slash. The end of the text, or NULL if it is too long. */
static char *directory_path(const char *directory, char *path, char *end)
{
    char *at = path;
    *at = 0;
    if (!directory) {
        at = put_text(at, end, "/dev/shm/approf-");
        at = put_number(at, end, (uint64_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0), 10);
    } else {
        if (directory[0] != '/') {
            if (raw_syscall(SYS_getcwd, (long)at, end - at, 0, 0, 0, 0) < 0 || at[0] != '/')
                return NULL;
            at = put_text(at + strlen(at), end, "/");
        }
        at = put_text(at, end, directory);
    }
    while (at < end && at > path + 1 && at[-1] == '/')
        *--at = 0;
    return at < end ? at : NULL;
}

/* The default directory is 0700; one that was named may be readable for others, since the files are
 * not, but never writable. */
static int open_directory(const char *path, bool is_default)
{
    struct stat st;
    raw_mkdir(path, 0700);
    int fd = raw_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    mode_t closed = is_default ? 0077 : 0022;
    if (raw_fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode) || (st.st_mode & closed) != 0 ||
        st.st_uid != (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0)) {
        raw_close(fd);
        return -EPERM;
    }
    return fd;
}

int tables_file_create(const char *directory, const char *exe, uint32_t pid, uint64_t nonce)
{
    char *path = tables.path, *end = path + sizeof tables.path;
    char *at = directory_path(directory, path, end);
    if (!at)
        return -ENAMETOOLONG;
    int dir = open_directory(path, directory == NULL);
    if (dir < 0)
        return dir;
    char name[EXE_BYTES + 1];
    exe_name(exe ? exe : "", exe ? strnlen(exe, HEAP_EXE_BYTES) : 0, name);
    char *file = put_text(at, end, "/");
    at = put_text(file, end, name);
    at = put_text(at, end, ".");
    at = put_number(at, end, pid, 10);
    at = put_text(at, end, ".");
    at = put_number(at, end, nonce, 16);
    at = put_text(at, end, ".heap");
    struct stat st;
    int fd = -ENAMETOOLONG;
    if (at < end)
        fd = raw_openat(dir, file, FILE_FLAGS | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 && raw_fstat(fd, &st) == 0) {
        tables.device = st.st_dev;
        tables.inode = st.st_ino;
    } else if (fd >= 0) {
        raw_unlinkat(dir, file);
        raw_close(fd);
        fd = -EIO;
    }
    raw_close(dir);
    return fd;
}

int tables_file_open(void)
{
    struct stat st;
    if (tables.path[0] == 0)
        return -ENOENT;
    int fd = raw_open(tables.path, FILE_FLAGS | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    if (raw_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_dev != tables.device ||
        st.st_ino != tables.inode) {
        raw_close(fd);
        return -ESTALE;
    }
    return fd;
}

void tables_unlink(void)
{
    if (tables.path[0] == 0 || tables_forked())
        return;
    raw_unlinkat(AT_FDCWD, tables.path);
    tables.path[0] = 0;
}

/* --- the dead --- */

/* /proc/PID/FILE; pid 0 is self. */
static const char *proc_path(char path[64], int pid, const char *file)
{
    char *end = path + 64, *at = put_text(path, end, "/proc/");
    at = pid ? put_number(at, end, (uint64_t)pid, 10) : put_text(at, end, "self");
    at = put_text(at, end, "/");
    put_text(at, end, file);
    return path;
}

/* Field 22 of /proc/PID/stat; 0 if it can't be read. */
uint64_t tables_start_ticks(int pid)
{
    char path[64], text[1024];
    if (raw_read_file(proc_path(path, pid, "stat"), text, sizeof text) <= 0)
        return 0;
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? tables_parse(at + 1, NULL) : 0;
}

/* Whether a line of /proc/PID/maps is of our file: by inode, or, where the file system shows other
 * numbers there, by the name, which holds a nonce. */
static bool line_maps(const char *line, uint64_t inode, const char *name)
{
    const char *at = line;
    for (int field = 0; at && field < 4; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    return tables_parse(at + 1, NULL) == inode || strstr(at, name) != NULL;
}

/* Whether the process still maps the file; in doubt it does. Lines longer than the buffer are cut:
 * all that counts stands in front, and our own names are short. */
static bool maps_file(int pid, uint64_t inode, const char *name)
{
    char path[64], *text = tables.scratch + SCRATCH_HALF;
    int fd = raw_open(proc_path(path, pid, "maps"), O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd != -ENOENT && fd != -ESRCH;
    size_t used = 0;
    bool found = false;
    for (;;) {
        long n = raw_read(fd, text + used, SCRATCH_HALF - 1 - used);
        if (n < 0)
            found = true;
        if (n <= 0)
            break;
        used += (size_t)n;
        text[used] = 0;
        char *line = text, *end;
        while (!found && (end = strchr(line, '\n')) != NULL) {
            *end = 0;
            found = line_maps(line, inode, name);
            line = end + 1;
        }
        used = (size_t)(text + used - line);
        memmove(text, line, used);
        if (found || used == SCRATCH_HALF - 1) {
            found = true;
            break;
        }
    }
    raw_close(fd);
    return found;
}

struct dead_table {
    int64_t born; /* nanoseconds since 1970 */
    char name[256];
};

/* Whether the tables in file `name` are those of a dead process; *born is when they were made. */
static bool is_dead(int dir, const char *name, const struct heap_header *own, int64_t *born)
{
    struct stat st;
    char bytes[offsetof(struct heap_header, rates)];
    int fd = raw_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool readable = raw_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == own->uid;
    long n = readable ? raw_pread(fd, bytes, sizeof bytes, 0) : -1;
    raw_close(fd);
    if (n < 0)
        return false;
    memset(bytes + n, 0, sizeof bytes - (size_t)n);
    struct { /* the whole header is too large for the stack of a thread */
        uint64_t magic, pid_namespace, start_ticks;
        uint32_t version, pid;
        uint8_t boot_id[16];
    } h;
#define FIELD(to, name) memcpy(&(to), bytes + offsetof(struct heap_header, name), sizeof(to))
    FIELD(h.magic, magic);
    FIELD(h.version, version);
    FIELD(h.pid, pid);
    FIELD(h.pid_namespace, pid_namespace);
    FIELD(h.start_ticks, start_ticks);
    FIELD(h.boot_id, boot_id);
    FIELD(*born, start_realtime_ns);
#undef FIELD
    if (h.magic == 0) { /* being made just now, or killed while it was made */
        *born = (int64_t)st.st_mtime * 1000000000;
        return own->start_realtime_ns / 1000000000 - st.st_mtime > UNBORN_SECONDS;
    }
    if (h.magic != HEAP_TABLES_MAGIC || h.version != HEAP_TABLES_VERSION)
        return false;
    if (memcmp(h.boot_id, own->boot_id, sizeof h.boot_id) != 0)
        return true;
    if (h.pid_namespace != own->pid_namespace || h.pid_namespace == 0 || (int)h.pid <= 0)
        return false;
    if (raw_kill((int)h.pid, 0) == -ESRCH)
        return true;
    uint64_t ticks = tables_start_ticks((int)h.pid);
    if (ticks == 0)
        return false; /* /proc hidden or not mounted */
    return ticks != h.start_ticks || !maps_file((int)h.pid, st.st_ino, name);
}

/* EXE.PID.NONCE.heap with this EXE */
static bool same_exe(const char *name, const char *exe)
{
    size_t n = strlen(exe), length = strlen(name);
    if (length >= 256 || length < n + 8 || memcmp(name, exe, n) != 0 || name[n] != '.' ||
        strcmp(name + length - 5, ".heap") != 0)
        return false;
    const char *at;
    tables_parse(name + n + 1, &at);
    if (at == name + n + 1 || *at++ != '.')
        return false;
    size_t digits = strspn(at, "0123456789abcdef");
    return digits > 0 && at + digits == name + length - 5;
}

/* Keeps the newest; of those and one more, the oldest goes. */
static void bury(int dir, struct dead_table kept[DEAD_TO_KEEP], unsigned *n_kept, const char *name,
                 int64_t born)
{
    unsigned oldest = 0;
    for (unsigned i = 1; i < *n_kept; i++)
        if (kept[i].born < kept[oldest].born)
            oldest = i;
    if (*n_kept < DEAD_TO_KEEP) {
        oldest = (*n_kept)++;
    } else if (kept[oldest].born <= born) {
        raw_unlinkat(dir, kept[oldest].name);
    } else {
        raw_unlinkat(dir, name);
        return;
    }
    kept[oldest].born = born;
    strcpy(kept[oldest].name, name);
}

struct linux_dirent64 {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

void tables_file_clean(const struct heap_header *own)
{
    char exe[EXE_BYTES + 1];
    struct dead_table kept[DEAD_TO_KEEP];
    unsigned n_kept = 0;
    exe_name(own->exe, own->exe_len, exe);
    char *slash = strrchr(tables.path, '/');
    *slash = 0; /* nobody else is here yet */
    int dir = raw_open(tables.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    const char *folder = strrchr(tables.path, '/');
    bool of_run = folder != NULL && strncmp(folder, "/run.", 5) == 0;
    *slash = '/';
    if (dir < 0)
        return;
    if (of_run) { /* `approf run` has yet to read them */
        raw_close(dir);
        return;
    }
    long n;
    while ((n = raw_syscall(SYS_getdents64, dir, (long)tables.scratch, SCRATCH_HALF, 0, 0, 0)) >
           0) {
        for (long at = 0; at < n;) {
            const struct linux_dirent64 *entry =
                (const struct linux_dirent64 *)(tables.scratch + at);
            int64_t born;
            if (same_exe(entry->name, exe) && strcmp(entry->name, slash + 1) != 0 &&
                is_dead(dir, entry->name, own, &born))
                bury(dir, kept, &n_kept, entry->name, born);
            at += entry->length;
        }
    }
    raw_close(dir);
}
