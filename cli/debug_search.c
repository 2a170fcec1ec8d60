/* debug_search.c - candidate paths, in pprof's order, and a first look into a file. */
#include "debug_search.h"

#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEARCH_STEPS = 9 };

void debug_search_start(struct debug_search *search, const char *directories, const char *path,
                        const char *build_id)
{
    const char *slash = strrchr(path, '/');
    *search = (struct debug_search){.directories = directories,
                                    .path = path,
                                    .base = slash != NULL ? slash + 1 : path,
                                    .build_id = build_id};
    /* A build id is one path component, or it is none. */
    if (strpbrk(build_id, "/*?[") != NULL || build_id[0] == '.') {
        search->build_id = "";
    }
}

static bool first_file(const char *directory, char *candidate, size_t room)
{
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        return false;
    }
    char best[NAME_MAX + 1] = "";
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        if (entry->d_name[0] != '.' && (best[0] == 0 || strcmp(entry->d_name, best) < 0)) {
            snprintf(best, sizeof best, "%s", entry->d_name);
        }
    }
    closedir(stream);
    return best[0] != 0 && (size_t)snprintf(candidate, room, "%s/%s", directory, best) < room;
}

/* One place below directory (of n bytes); false if it does not apply. */
static bool candidate_at(const struct debug_search *search, unsigned step, int n, char *candidate,
                         size_t room)
{
    const char *directory = search->directories, *id = search->build_id, *path = search->path;
    int folder = (int)(search->base - path); /* with its slash */
    size_t used = 0;
    if ((step < 4 && *id == 0) || (step >= 4 && *search->base == 0)) {
        return false;
    }
    switch (step) {
    case 0:
        used = (size_t)snprintf(candidate, room, "%.*s/%s/%s", n, directory, id, search->base);
        break;
    case 1: {
        char of_build[PATH_MAX];
        used = (size_t)snprintf(of_build, sizeof of_build, "%.*s/%s", n, directory, id);
        return used < sizeof of_build && first_file(of_build, candidate, room);
    }
    case 2:
        used = (size_t)snprintf(candidate, room, "%.*s/%s/%s", n, directory, path, id);
        break;
    case 3:
        if (strlen(id) < 3) {
            return false;
        }
        used = (size_t)snprintf(candidate, room, "%.*s/%.2s/%s.debug", n, directory, id, id + 2);
        break;
    case 4:
        used = (size_t)snprintf(candidate, room, "%.*s/%s", n, directory, search->base);
        break;
    case 5:
        used = (size_t)snprintf(candidate, room, "%.*s/%s", n, directory, path);
        break;
    case 6:
        used = (size_t)snprintf(candidate, room, "%.*s/%s.debug", n, directory, path);
        break;
    case 7:
        used = (size_t)snprintf(candidate, room, "%.*s/%.*s.debug/%s.debug", n, directory, folder,
                                path, search->base);
        break;
    default:
        used = (size_t)snprintf(candidate, room, "%.*s/usr/lib/debug/%.*s%s.debug", n, directory,
                                folder, path, search->base);
        break;
    }
    return used < room;
}

bool debug_search_next(struct debug_search *search, char *candidate, size_t room)
{
    while (*search->directories != 0) {
        size_t n = strcspn(search->directories, ":");
        if (n == 0 || n > PATH_MAX || search->step == SEARCH_STEPS) {
            search->directories += n + (search->directories[n] == ':');
            search->step = 0;
            continue;
        }
        if (candidate_at(search, search->step++, (int)n, candidate, room)) {
            return true;
        }
    }
    return false;
}

bool debug_build_id_path(const char *build_id, char *path, size_t room)
{
    size_t n = strlen(build_id);
    if (n < 3 || n > 2 * DEBUG_BUILD_ID_BYTES) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isxdigit((unsigned char)build_id[i])) {
            return false;
        }
    }
    return (size_t)snprintf(path, room, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
                            build_id + 2) < room;
}

int debug_open_regular(const char *root, const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd;
    if (root != NULL) {
        int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0) {
            return -1;
        }
        struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT};
        fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
        close(directory);
    } else {
        fd = open(path, flags);
    }
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

bool debug_is_program(int fd)
{
    unsigned char head[EI_NIDENT + 2];
    if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    unsigned type = head[EI_DATA] == ELFDATA2MSB
                        ? (unsigned)head[EI_NIDENT] << 8 | head[EI_NIDENT + 1]
                        : head[EI_NIDENT] | (unsigned)head[EI_NIDENT + 1] << 8;
    return type == ET_EXEC || type == ET_DYN;
}

void debug_build_id_text(const unsigned char *bits, size_t n, char *text)
{
    if (n > DEBUG_BUILD_ID_BYTES) {
        n = DEBUG_BUILD_ID_BYTES;
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
    }
    text[2 * n] = 0;
}

bool debug_read_build_id(int fd, char *text)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf == NULL) {
        return false;
    }
    const void *bits;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);
    if (n > 0) {
        debug_build_id_text(bits, (size_t)n, text);
    }
    elf_end(elf);
    return n > 0;
}

bool debug_has_dwarf(int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf == NULL) {
        return false;
    }
    bool found = false;
    size_t names;
    if (elf_getshdrstrndx(elf, &names) == 0) {
        Elf_Scn *section = NULL;
        while (!found && (section = elf_nextscn(elf, section)) != NULL) {
            GElf_Shdr header;
            const char *name;
            if (gelf_getshdr(section, &header) != NULL && header.sh_type != SHT_NOBITS &&
                (name = elf_strptr(elf, names, header.sh_name)) != NULL) {
                found = strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0;
            }
        }
    }
    elf_end(elf);
    return found;
}
