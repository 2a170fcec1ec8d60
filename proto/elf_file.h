/* elf_file.h - bounded reading of ELF64 files (little-endian) with pread.
 *
 * For symbol names only. Nothing is mapped, every offset and count is checked, and each file and
 * call reads a bounded amount. Not thread-safe. No malloc, no stdio.
 */
#ifndef APPROF_ELF_FILE_H
#define APPROF_ELF_FILE_H

#include "arena.h"

#include <elf.h>

struct elf_file {
    int fd; /* -1: not open */
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Phdr *segments; /* in the arena given to elf_open */
    uint32_t n_segments;
};

/* A table of symbols and its strings. */
struct elf_symtab {
    uint64_t offset, count; /* of Elf64_Sym */
    uint64_t strings, strings_size;
};

/* Opens a regular file that is ELF64; false (and nothing open) otherwise. */
bool elf_open(struct elf_file *file, const char *path, struct arena *arena);
void elf_close(struct elf_file *file);

/* All n bytes, or false. */
bool elf_read(const struct elf_file *file, void *bytes, size_t n, uint64_t offset);

/* The GNU build id in lower-case hex, "" when there is none. */
enum { ELF_BUILD_ID_ROOM = 2 * 64 + 1 };
void elf_build_id(const struct elf_file *file, char text[ELF_BUILD_ID_ROOM]);

/* The virtual address of what is mapped at a file offset, a page's: of the executable segment that
 * begins in or before that page. From there on, addresses in memory and virtual addresses run in
 * step through all segments of a module, file offsets need not. False when no segment is there. */
bool elf_mapped_vaddr(const struct elf_file *file, uint64_t offset, uint64_t *vaddr);
/* Whether a loaded segment holds the virtual address. */
bool elf_holds_vaddr(const struct elf_file *file, uint64_t vaddr);

/* Whether the section of an index spans vaddr. */
bool elf_section_spans(const struct elf_file *file, uint32_t section, uint64_t vaddr);

/* .symtab or, without one, .dynsym. */
bool elf_find_symtab(const struct elf_file *file, struct elf_symtab *symtab);

#endif
