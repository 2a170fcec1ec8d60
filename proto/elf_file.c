/* elf_file.c - bounded reading of ELF64 files (see elf_file.h). */
#include "elf_file.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_SEGMENTS = 4096,
    MOST_SECTIONS = 1 << 20,
    SECTIONS_AT_ONCE = 16, /* small: stacks are */
    MOST_NOTES = 64 << 10,
};

bool elf_read(const struct elf_file *file, void *bytes, size_t n, uint64_t offset)
{
    uint8_t *at = bytes;
    if (offset > file->size || n > file->size - offset)
        return false;
    while (n) {
        ssize_t got = pread(file->fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

static bool read_header(struct elf_file *file, struct arena *arena)
{
    Elf64_Ehdr *h = &file->header;
    if (!elf_read(file, h, sizeof *h, 0) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    if (!h->e_phnum)
        return true;
    if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum > MOST_SEGMENTS)
        return false;
    file->segments = arena_array(arena, h->e_phnum, sizeof *file->segments);
    file->n_segments = h->e_phnum;
    return file->segments &&
           elf_read(file, file->segments, h->e_phnum * sizeof *file->segments, h->e_phoff);
}

bool elf_open(struct elf_file *file, const char *path, struct arena *arena)
{
    *file = (struct elf_file){.fd = -1};
    struct stat status;
    /* Looked at first: opening a device or a pipe may do things. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0)
        return false;
    if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        file->size = (uint64_t)status.st_size;
        if (read_header(file, arena))
            return true;
    }
    elf_close(file);
    return false;
}

void elf_close(struct elf_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Looks for the build id among the notes at [offset, offset + size). */
static bool build_id_in(const struct elf_file *file, uint64_t offset, uint64_t size,
                        char text[ELF_BUILD_ID_ROOM])
{
    uint64_t at = 0;
    if (size > MOST_NOTES)
        size = MOST_NOTES;
    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        uint8_t body[4 + 64];
        if (!elf_read(file, &note, sizeof note, offset + at))
            return false;
        at += sizeof note;
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
        uint64_t desc = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
        if (name + desc > size - at)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
            note.n_descsz <= 64) {
            if (!elf_read(file, body, 4 + note.n_descsz, offset + at))
                return false;
            if (memcmp(body, "GNU", 4) == 0) {
                struct text hex;
                text_init(&hex, text, ELF_BUILD_ID_ROOM);
                for (uint32_t i = 0; i < note.n_descsz; i++)
                    text_format(&hex, "%02x", (unsigned)body[4 + i]);
                return true;
            }
        }
        at += name + desc;
    }
    return false;
}

void elf_build_id(const struct elf_file *file, char text[ELF_BUILD_ID_ROOM])
{
    text[0] = 0;
    for (uint32_t i = 0; i < file->n_segments; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type == PT_NOTE && segment->p_offset <= file->size &&
            build_id_in(file, segment->p_offset, segment->p_filesz, text))
            return;
    }
}

bool elf_mapped_vaddr(const struct elf_file *file, uint64_t offset, uint64_t *vaddr)
{
    enum { PAGE = 4096 };
    bool found = false;
    for (uint32_t i = 0; i < file->n_segments; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        uint64_t page = segment->p_offset & ~(uint64_t)(PAGE - 1);
        if (segment->p_type != PT_LOAD || offset < page ||
            offset - page >= segment->p_filesz + (segment->p_offset - page))
            continue;
        /* Segments may share a page of the file; code is in the executable one. */
        if (found && !(segment->p_flags & PF_X))
            continue;
        *vaddr = segment->p_vaddr + (offset - segment->p_offset);
        found = true;
        if (segment->p_flags & PF_X)
            break;
    }
    return found;
}

bool elf_holds_vaddr(const struct elf_file *file, uint64_t vaddr)
{
    for (uint32_t i = 0; i < file->n_segments; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type == PT_LOAD && vaddr >= segment->p_vaddr &&
            vaddr - segment->p_vaddr < segment->p_memsz)
            return true;
    }
    return false;
}

/* Reads the section header of an index. */
static bool read_section(const struct elf_file *file, uint64_t index, Elf64_Shdr *section)
{
    uint64_t offset;
    return !__builtin_add_overflow(file->header.e_shoff, index * sizeof *section, &offset) &&
           elf_read(file, section, sizeof *section, offset);
}

bool elf_section_spans(const struct elf_file *file, uint32_t section, uint64_t vaddr)
{
    Elf64_Shdr header;
    return read_section(file, section, &header) && vaddr >= header.sh_addr &&
           vaddr - header.sh_addr < header.sh_size;
}

static bool take_symtab(const struct elf_file *file, const Elf64_Shdr *section, uint64_t n_sections,
                        struct elf_symtab *symtab)
{
    Elf64_Shdr strings;
    if (section->sh_entsize != sizeof(Elf64_Sym) || section->sh_offset > file->size ||
        section->sh_size > file->size - section->sh_offset || section->sh_link >= n_sections ||
        !read_section(file, section->sh_link, &strings) || strings.sh_type != SHT_STRTAB ||
        strings.sh_offset > file->size || strings.sh_size > file->size - strings.sh_offset)
        return false;
    *symtab = (struct elf_symtab){.offset = section->sh_offset,
                                  .count = section->sh_size / sizeof(Elf64_Sym),
                                  .strings = strings.sh_offset,
                                  .strings_size = strings.sh_size};
    return symtab->count > 0;
}

bool elf_find_symtab(const struct elf_file *file, struct elf_symtab *symtab)
{
    Elf64_Shdr some[SECTIONS_AT_ONCE];
    uint64_t n = file->header.e_shnum;
    if (!file->header.e_shoff || file->header.e_shentsize != sizeof(Elf64_Shdr) ||
        !read_section(file, 0, &some[0]))
        return false;
    if (!n) /* more than 65,279 sections */
        n = some[0].sh_size;
    if (n > MOST_SECTIONS)
        return false;
    bool dynamic = false;
    for (uint64_t i = 0; i < n; i += SECTIONS_AT_ONCE) {
        uint64_t m = n - i < SECTIONS_AT_ONCE ? n - i : SECTIONS_AT_ONCE, offset;
        if (__builtin_add_overflow(file->header.e_shoff, i * sizeof some[0], &offset) ||
            !elf_read(file, some, m * sizeof some[0], offset))
            return dynamic;
        for (uint64_t k = 0; k < m; k++) {
            if (some[k].sh_type == SHT_SYMTAB && take_symtab(file, &some[k], n, symtab))
                return true;
            if (some[k].sh_type == SHT_DYNSYM && !dynamic)
                dynamic = take_symtab(file, &some[k], n, symtab);
        }
    }
    return dynamic;
}
