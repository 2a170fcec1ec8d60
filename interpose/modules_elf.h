/* modules_elf.h - what modules.c reads out of a loaded module's own headers in memory.
 *
 * The headers are untrusted (a target may have written over them): everything is checked against
 * the module's map range before it is used, and a module whose headers make no sense is known by
 * its range alone. No lock, no system call, no allocation.
 */
#ifndef APPROF_MODULES_ELF_H
#define APPROF_MODULES_ELF_H

#include "heap_tables.h"
#include <stdbool.h>
#include <stdint.h>

/* What distinguishes a module from another one in the same place: its build id, or, lacking one, a
 * digest of its path, its headers and the beginnings of its unwind tables. */
struct module_identity {
    uint64_t digest;
    uint32_t build_id_len;
    uint32_t build_id_offset; /* from map_start */
    uint8_t build_id[HEAP_BUILD_ID_BYTES];
};

struct module_image {
    uintptr_t map_start, map_end, bias;
    const char *name; /* as the loader has it; only while the image is being read */

    /* Where the ELF header is if not at map_start, else 0. With gaps between its segments, the
     * loader's range is one segment alone; headers and unwind tables then lie in others, about
     * which holds() is asked: whether all of [start, end) is a segment of the same module. Only
     * while the image is being read; holds may be NULL. */
    uintptr_t header_start;
    const void *loaded;
    bool (*holds)(const void *loaded, uintptr_t start, uintptr_t end);

    uintptr_t text_start, text_end;
    uint64_t text_offset;
    uintptr_t eh_frame_hdr, eh_frame_hdr_end; /* 0 if there is none that can be trusted */
    uintptr_t eh_start, eh_end;
    struct module_identity identity;
};

/* The map range, bias, name and eh_frame_hdr must be filled in as the loader gives them; fills in
 * the rest. */
void module_image_read(struct module_image *image);

#endif
