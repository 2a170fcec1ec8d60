/* debug_file.h - the binary of a mapping, its debug information and its symbols.
 *
 * Finds the file (symbol path first, then the path in the mapping), checks its build id, and finds
 * separate debug information: the symbol path, /usr/lib/debug/.build-id, debuglink with its CRC,
 * debuginfod when DEBUGINFOD_URLS is set. Compressed sections, dwz and split DWARF are libdw's
 * work. Only regular files are opened. A file is untrusted: everything is bounds-checked here or in
 * elfutils. Not thread-safe.
 */
#ifndef APPROF_DEBUG_FILE_H
#define APPROF_DEBUG_FILE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_file;

enum debug_file_fault {
    DEBUG_FILE_NO_MEMORY,
    DEBUG_FILE_ABSENT,     /* nothing there, or nothing that is an ELF program or library */
    DEBUG_FILE_OTHER_BUILD /* there are files, but none with this build id */
};

struct debug_file_request {
    const char *path;        /* as the mapping has it */
    const char *build_id;    /* hexadecimal, "" when the mapping has none */
    const char *symbol_path; /* directories, separated by colons */
    const char *root;        /* put before path, or NULL */
};

/* NULL on failure. found, of n bytes, receives the build id of the file that did not match. */
struct debug_file *debug_file_open(const struct debug_file_request *request,
                                   enum debug_file_fault *fault, char *found, size_t n);
void debug_file_close(struct debug_file *file);

/* The path that was opened. */
const char *debug_file_path(const struct debug_file *file);

/* Where a mapping (of [start, limit), of the file from offset on) puts the file's virtual
 * addresses: false if address lies in nothing that the file loads. */
bool debug_file_address(const struct debug_file *file, uint64_t start, uint64_t limit,
                        uint64_t offset, uint64_t address, uint64_t *virtual_address);

/* Whether an address lies in an executable segment. */
bool debug_file_is_code(const struct debug_file *file, uint64_t virtual_address);

/* NULL when there is none. Addresses in it are virtual addresses of the file less *bias. */
Dwarf *debug_file_dwarf(struct debug_file *file, uint64_t *bias);

/* The symbol that covers a virtual address (mangled), or NULL; *start is where it begins. Lives as
 * long as the file. */
const char *debug_file_symbol(struct debug_file *file, uint64_t virtual_address, uint64_t *start);
/* The same, with where it ends. */
const char *debug_file_symbol_range(struct debug_file *file, uint64_t virtual_address,
                                    uint64_t *start, uint64_t *end);

#endif
