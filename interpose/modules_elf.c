/* modules_elf.c - program headers, build id and unwind tables of a loaded module, from memory. */
#include "modules_elf.h"
#include "arch_x86_64.h"
#include "cfi.h"
#include "hash.h"
#include <elf.h>
#include <link.h>

enum { MAX_HEADERS = 64 };

/* Program headers are taken from the first page only, which is certain to be mapped: linkers put
 * them right after the ELF header. */
static unsigned program_headers(uintptr_t start, uintptr_t end, const ElfW(Phdr) * *headers)
{
    const ElfW(Ehdr) *elf = (const void *)start;
    if (end - start < ARCH_PAGE || start % ARCH_PAGE != 0 ||
        memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
        elf->e_ident[EI_DATA] != ELFDATA2LSB || elf->e_phentsize != sizeof(ElfW(Phdr)) ||
        elf->e_phnum > MAX_HEADERS || elf->e_phoff > ARCH_PAGE || elf->e_phoff % 8 != 0 ||
        elf->e_phoff + elf->e_phnum * sizeof(ElfW(Phdr)) > ARCH_PAGE)
        return 0;
    *headers = (const void *)(start + elf->e_phoff);
    return elf->e_phnum;
}

/* A header's bytes in memory, as far as the file reaches, inside the map range. */
static bool own_range(const struct module_image *image, const ElfW(Phdr) * header, uintptr_t *start,
                      uintptr_t *end)
{
    *start = image->bias + header->p_vaddr;
    *end = *start + header->p_filesz;
    return *start >= image->map_start && *end <= image->map_end && *start < *end;
}

/* The same, or inside another segment of the module. */
static bool segment_range(const struct module_image *image, const ElfW(Phdr) * header,
                          uintptr_t *start, uintptr_t *end)
{
    return own_range(image, header, start, end) ||
           (*start < *end && image->holds != NULL && image->holds(image->loaded, *start, *end));
}

/* The readable segment that holds an address. */
static bool holding_segment(const struct module_image *image, const ElfW(Phdr) * headers,
                            unsigned n, uintptr_t address, uintptr_t *start, uintptr_t *end)
{
    for (unsigned i = 0; i < n; i++) {
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_R) != 0 &&
            segment_range(image, &headers[i], start, end) && address >= *start && address < *end)
            return true;
    }
    return false;
}

static void read_text(struct module_image *image, const ElfW(Phdr) * header)
{
    uintptr_t start, end;
    if (!own_range(image, header, &start, &end))
        return;
    if (image->text_end == 0) {
        uintptr_t page = start & ~(uintptr_t)(ARCH_PAGE - 1);
        if (page < image->map_start || header->p_offset < start - page)
            return;
        image->text_start = page;
        image->text_offset = header->p_offset - (start - page);
    }
    if (end > image->text_end)
        image->text_end = end;
}

static void read_build_id(struct module_image *image, uintptr_t start, uintptr_t end)
{
    struct module_identity *id = &image->identity;
    uintptr_t at = start;
    while (end - at >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        uint64_t name_bytes = ((uint64_t)note->n_namesz + 3) & ~UINT64_C(3);
        uint64_t data_bytes = ((uint64_t)note->n_descsz + 3) & ~UINT64_C(3);
        uint64_t size = sizeof *note + name_bytes + data_bytes;
        if (size > end - at)
            return;
        const char *name = (const char *)(note + 1);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            id->build_id_len =
                note->n_descsz < HEAP_BUILD_ID_BYTES ? note->n_descsz : HEAP_BUILD_ID_BYTES;
            /* Elsewhere than in the map range: no offset in its first page. */
            uintptr_t offset = (uintptr_t)(name + name_bytes) - image->map_start;
            id->build_id_offset = offset < ARCH_PAGE ? (uint32_t)offset : ARCH_PAGE;
            memcpy(id->build_id, name + name_bytes, id->build_id_len);
            return;
        }
        at += size;
    }
}

static uint64_t digest_table(uint64_t hash, uintptr_t start, uintptr_t end)
{
    enum { ENOUGH = 1024 };
    return hash_bytes(hash, (const void *)start, end - start < ENOUGH ? end - start : ENOUGH);
}

void module_image_read(struct module_image *image)
{
    uintptr_t hdr = image->eh_frame_hdr, start, end;
    const ElfW(Phdr) * headers;
    uintptr_t elf = image->map_start, elf_end = image->map_end;
    image->eh_frame_hdr = 0;
    if (image->header_start != 0 && image->holds != NULL &&
        image->holds(image->loaded, image->header_start, image->header_start + ARCH_PAGE)) {
        elf = image->header_start;
        elf_end = elf + ARCH_PAGE;
    }
    unsigned n = program_headers(elf, elf_end, &headers);
    if (n == 0)
        return;

    uint64_t hash = hash_bytes(1, (const void *)elf, sizeof(ElfW(Ehdr)));
    hash = hash_bytes(hash, headers, n * sizeof(ElfW(Phdr)));
    if (image->name != NULL)
        hash = hash_bytes(hash, image->name, strlen(image->name));
    for (unsigned i = 0; i < n; i++) {
        switch (headers[i].p_type) {
        case PT_LOAD:
            if ((headers[i].p_flags & PF_X) != 0)
                read_text(image, &headers[i]);
            break;
        case PT_NOTE:
            if (image->identity.build_id_len == 0 &&
                segment_range(image, &headers[i], &start, &end) && start % 4 == 0) {
                uintptr_t low, high;
                if (holding_segment(image, headers, n, start, &low, &high) && end <= high)
                    read_build_id(image, start, end);
            }
            break;
        case PT_GNU_EH_FRAME:
            if (segment_range(image, &headers[i], &start, &end) && start == hdr &&
                holding_segment(image, headers, n, hdr, &image->eh_start, &image->eh_end)) {
                image->eh_frame_hdr = hdr;
                image->eh_frame_hdr_end = end < image->eh_end ? end : image->eh_end;
            }
            break;
        }
    }
    if (image->eh_frame_hdr != 0) {
        struct cfi_tables tables = {.hdr = (const uint8_t *)hdr,
                                    .hdr_end = (const uint8_t *)image->eh_frame_hdr_end};
        uintptr_t frame = cfi_frame_address(&tables);
        if (!holding_segment(image, headers, n, frame, &image->eh_start, &image->eh_end))
            image->eh_frame_hdr = 0;
        else
            hash = digest_table(digest_table(hash, hdr, image->eh_frame_hdr_end), frame,
                                image->eh_end);
    }
    image->identity.digest = hash;
    image->name = NULL;
    image->holds = NULL;
}
