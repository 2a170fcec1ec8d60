/* debug_file.c - opening a binary and its debug information; symbol_table.c has the symbols,
 * debug_search.c the places where files may lie.
 */
#include "debug_file.h"
#include "debug_search.h"
#include "symbol_table.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 256, PAGE = 4096 };

struct segment {
    uint64_t offset, file_size, start, size;
    bool executable;
};

struct debug_file {
    char *path;
    struct debug_file_request request; /* strings are copies */
    Dwfl *dwfl;
    Dwfl_Module *module;
    char *debuginfo_path; /* libdwfl keeps the address of this pointer */
    Dwfl_Callbacks callbacks;
    struct segment segments[MOST_SEGMENTS];
    size_t n_segments;
    bool is_debug_only; /* the segments' contents are elsewhere, and so are their offsets */
    Dwarf *dwarf;
    uint64_t bias;
    bool dwarf_tried;
    struct symbol_table symbols;
    bool symbols_tried;
};

static int no_elf_to_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                          char **file_name, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

/* Debug information of a module: the directories of the symbol path by pprof's rules, then all that
 * elfutils knows. */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                          const char *file_name, const char *debuglink, GElf_Word crc,
                          char **debuginfo_name)
{
    struct debug_file *file = *user;
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(module, &bits, &address);
    if (file != NULL && length > 0) {
        char build_id[2 * DEBUG_BUILD_ID_BYTES + 1];
        debug_build_id_text(bits, (size_t)length, build_id);
        struct debug_search search;
        debug_search_start(&search, file->request.symbol_path, file->request.path, build_id);
        char candidate[PATH_MAX];
        while (debug_search_next(&search, candidate, sizeof candidate)) {
            int fd = debug_open_regular(NULL, candidate);
            if (fd < 0) {
                continue;
            }
            char found[sizeof build_id];
            if (debug_read_build_id(fd, found) && strcmp(found, build_id) == 0 &&
                debug_has_dwarf(fd)) {
                *debuginfo_name = strdup(candidate);
                return fd;
            }
            close(fd);
        }
    }
    return dwfl_standard_find_debuginfo(module, user, name, base, file_name, debuglink, crc,
                                        debuginfo_name);
}

/* Directories of the symbol path may hold trees like /usr/lib/debug too: libdwfl looks there for
 * .build-id/xx/... and for debuglinks. */
static char *make_debuginfo_path(const char *symbol_path)
{
    static const char standard[] = ":.debug:/usr/lib/debug";
    size_t room = sizeof standard + strlen(symbol_path) + 2;
    char *path = malloc(room);
    if (path == NULL) {
        return NULL;
    }
    memcpy(path, standard, sizeof standard);
    char *end = path + sizeof standard - 1;
    while (*symbol_path != 0) {
        size_t n = strcspn(symbol_path, ":");
        /* A relative directory would be taken as one beside the binary. */
        if (n > 1 && symbol_path[0] == '/') {
            *end++ = ':';
            memcpy(end, symbol_path, n);
            end += n;
        }
        symbol_path += n + (symbol_path[n] == ':');
    }
    *end = 0;
    return path;
}

static bool read_segments(struct debug_file *file, Elf *elf)
{
    size_t n = 0;
    if (elf_getphdrnum(elf, &n) != 0) {
        return false;
    }
    bool has_contents = false;
    for (size_t i = 0; i < n && i < 65536 && file->n_segments < MOST_SEGMENTS; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD) {
            continue;
        }
        if (header.p_vaddr + header.p_memsz < header.p_vaddr ||
            header.p_offset + header.p_filesz < header.p_offset) {
            continue;
        }
        struct segment *segment = &file->segments[file->n_segments++];
        *segment = (struct segment){.offset = header.p_offset,
                                    .file_size = header.p_filesz,
                                    .start = header.p_vaddr,
                                    .size = header.p_memsz,
                                    .executable = (header.p_flags & PF_X) != 0};
        has_contents |= segment->executable && segment->file_size > 0;
    }
    file->is_debug_only = !has_contents;
    return file->n_segments > 0;
}

void debug_file_close(struct debug_file *file)
{
    if (file == NULL) {
        return;
    }
    symbol_table_free(&file->symbols);
    if (file->dwfl != NULL) {
        dwfl_end(file->dwfl);
    }
    free(file->debuginfo_path);
    free((char *)file->request.path);
    free((char *)file->request.symbol_path);
    free(file->path);
    free(file);
}

/* Takes the descriptor over. */
static struct debug_file *open_module(const char *path, int fd,
                                      const struct debug_file_request *request)
{
    struct debug_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        close(fd);
        return NULL;
    }
    file->path = strdup(path);
    file->request.path = strdup(request->path);
    file->request.symbol_path = strdup(request->symbol_path);
    file->debuginfo_path = make_debuginfo_path(request->symbol_path);
    file->callbacks = (Dwfl_Callbacks){.find_elf = no_elf_to_find,
                                       .find_debuginfo = find_debuginfo,
                                       .section_address = dwfl_offline_section_address,
                                       .debuginfo_path = &file->debuginfo_path};
    if (file->path == NULL || file->request.path == NULL || file->request.symbol_path == NULL ||
        file->debuginfo_path == NULL || (file->dwfl = dwfl_begin(&file->callbacks)) == NULL) {
        close(fd);
        debug_file_close(file);
        return NULL;
    }
    dwfl_report_begin(file->dwfl);
    /* Base 0 and the file's own addresses: what we ask and are told is virtual addresses. */
    file->module = dwfl_report_elf(file->dwfl, "binary", path, fd, 0, true);
    if (file->module == NULL) {
        close(fd);
        debug_file_close(file);
        return NULL;
    }
    dwfl_report_end(file->dwfl, NULL, NULL);
    void **user = NULL;
    dwfl_module_info(file->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
    if (user != NULL) {
        *user = file;
    }
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(file->module, &bias);
    if (elf == NULL || !read_segments(file, elf)) {
        debug_file_close(file);
        return NULL;
    }
    return file;
}

/* Whether the file may stand for the mapping; says in *other if only the build id is in the way. */
static bool is_wanted(int fd, const char *build_id, bool *other, char *found, size_t n)
{
    char own[2 * DEBUG_BUILD_ID_BYTES + 1] = "";
    if (!debug_is_program(fd)) {
        return false;
    }
    bool has_own = debug_read_build_id(fd, own);
    if (*build_id == 0 || (has_own && strcasecmp(own, build_id) == 0)) {
        return true;
    }
    *other = true;
    snprintf(found, n, "%s", own);
    return false;
}

struct debug_file *debug_file_open(const struct debug_file_request *request,
                                   enum debug_file_fault *fault, char *found, size_t n)
{
    struct debug_search search;
    struct debug_file *debug_only = NULL;
    bool other = false;
    char path[PATH_MAX];
    elf_version(EV_CURRENT);
    debug_search_start(&search, request->symbol_path, request->path, request->build_id);
    *fault = DEBUG_FILE_ABSENT;
    for (bool more = true; more;) {
        more = debug_search_next(&search, path, sizeof path);
        bool own = !more; /* last of all the path in the mapping itself */
        if (own && (size_t)snprintf(path, sizeof path, "%s", request->path) >= sizeof path) {
            break;
        }
        int fd = debug_open_regular(own ? request->root : NULL, path);
        if (fd < 0) {
            continue;
        }
        if (!is_wanted(fd, request->build_id, &other, found, n)) {
            close(fd);
            continue;
        }
        if (own && request->root != NULL) {
            /* From here on by the way that is visible from outside. */
            char whole[PATH_MAX];
            if ((size_t)snprintf(whole, sizeof whole, "%s%s", request->root, path) < sizeof whole) {
                memcpy(path, whole, strlen(whole) + 1);
            }
        }
        struct debug_file *file = open_module(path, fd, request);
        if (file == NULL) {
            continue;
        }
        if (!file->is_debug_only) {
            debug_file_close(debug_only);
            return file;
        }
        if (debug_only == NULL) {
            debug_only = file;
        } else {
            debug_file_close(file);
        }
    }
    /* The binary itself is gone, but its debug file is here. */
    if (debug_only == NULL && debug_build_id_path(request->build_id, path, sizeof path)) {
        int fd = debug_open_regular(NULL, path);
        if (fd >= 0 && is_wanted(fd, request->build_id, &other, found, n)) {
            debug_only = open_module(path, fd, request);
        } else if (fd >= 0) {
            close(fd);
        }
    }
    if (debug_only == NULL && other) {
        *fault = DEBUG_FILE_OTHER_BUILD;
    }
    return debug_only;
}

const char *debug_file_path(const struct debug_file *file)
{
    return file->path;
}

static const struct segment *segment_of_address(const struct debug_file *file, uint64_t address)
{
    for (size_t i = 0; i < file->n_segments; i++) {
        if (address >= file->segments[i].start &&
            address - file->segments[i].start < file->segments[i].size) {
            return &file->segments[i];
        }
    }
    return NULL;
}

bool debug_file_is_code(const struct debug_file *file, uint64_t virtual_address)
{
    const struct segment *segment = segment_of_address(file, virtual_address);
    return segment != NULL && segment->executable;
}

static uint64_t page_down(uint64_t value)
{
    return value & ~(uint64_t)(PAGE - 1);
}

/* The mapping covers the image from its first segment on (some tools record libraries so, and a
 * file whose segments have different distances between offset and address shows the difference). */
static bool covers_image(const struct debug_file *file, uint64_t start, uint64_t limit,
                         uint64_t offset)
{
    const struct segment *first = &file->segments[0];
    return offset == 0 && page_down(first->offset) == 0 && !first->executable &&
           limit - start > page_down(first->offset + first->file_size + PAGE - 1);
}

bool debug_file_address(const struct debug_file *file, uint64_t start, uint64_t limit,
                        uint64_t offset, uint64_t address, uint64_t *virtual_address)
{
    if (start == 0 && offset == 0 && (limit == 0 || limit >= UINT64_MAX - 1)) {
        /* A made-up mapping of everything: addresses are the file's own. */
        *virtual_address = address;
        return segment_of_address(file, address) != NULL;
    }
    if (address < start || address >= limit) {
        return false;
    }
    uint64_t distance = address - start;
    if (file->is_debug_only) {
        /* Offsets say nothing here; the executable segment is the one that was mapped. */
        for (size_t i = 0; i < file->n_segments; i++) {
            const struct segment *segment = &file->segments[i];
            uint64_t from = page_down(segment->start);
            if (segment->executable && distance < segment->start + segment->size - from) {
                *virtual_address = from + distance;
                return true;
            }
        }
        return false;
    }
    if (covers_image(file, start, limit, offset)) {
        *virtual_address = page_down(file->segments[0].start) + distance;
        return debug_file_is_code(file, *virtual_address);
    }
    /* The segment that begins in or before the mapping's first page; from there on addresses in
     * memory and in the file run in step through all segments, offsets need not. */
    const struct segment *found = NULL;
    for (size_t i = 0; i < file->n_segments; i++) {
        const struct segment *segment = &file->segments[i];
        uint64_t page = page_down(segment->offset);
        if (offset >= page && offset - page < segment->offset - page + segment->file_size &&
            (found == NULL || (segment->executable && !found->executable))) {
            found = segment;
        }
    }
    if (found == NULL) {
        return false;
    }
    *virtual_address = distance + offset - found->offset + found->start;
    return segment_of_address(file, *virtual_address) != NULL;
}

Dwarf *debug_file_dwarf(struct debug_file *file, uint64_t *bias)
{
    if (!file->dwarf_tried) {
        file->dwarf_tried = true;
        Dwarf_Addr found = 0;
        file->dwarf = dwfl_module_getdwarf(file->module, &found);
        file->bias = found;
    }
    *bias = file->bias;
    return file->dwarf;
}

static const struct symbol_table *symbols_of(struct debug_file *file)
{
    if (!file->symbols_tried) {
        file->symbols_tried = true;
        symbol_table_load(&file->symbols, file->module);
    }
    return &file->symbols;
}

const char *debug_file_symbol(struct debug_file *file, uint64_t virtual_address, uint64_t *start)
{
    return symbol_table_find(symbols_of(file), virtual_address, start);
}

const char *debug_file_symbol_range(struct debug_file *file, uint64_t virtual_address,
                                    uint64_t *start, uint64_t *end)
{
    return symbol_table_range(symbols_of(file), virtual_address, start, end);
}
