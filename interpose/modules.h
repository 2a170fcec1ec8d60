/* modules.h - which module (executable, library, vDSO) an address belongs to, and since when.
 *
 * Modules are recorded in the tables when a stack first shows them, with their build id, so that
 * frames of a library that is unloaded later still resolve, and another library at the same address
 * gets another id. Found through _dl_find_object, which takes no lock; nothing here calls
 * dl_iterate_phdr. Signal- and thread-safe, lock-free.
 */
#ifndef APPROF_MODULES_H
#define APPROF_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct module_view {
    uint32_t id; /* as in HEAP_FRAME; 0 if the address is in no module (JIT code, or the table is
                    full) */
    uintptr_t map_start, map_end;
    const void *eh_frame_hdr; /* or NULL */
};

/* Looks pc up, checks that the module recorded there is still the same one (link map, range, build
 * id) and records it if it is new. False if pc lies in no module. */
bool modules_find(uintptr_t pc, struct module_view *view);

/* In a forked child: forget the ids; modules are recorded again, in the child's own tables, when
 * they are seen. */
void modules_after_fork(void);

#endif
