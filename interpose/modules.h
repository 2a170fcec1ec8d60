/* modules.h - which module (executable, library, vDSO) an address belongs to, and since when.
 *
 * Modules are recorded in the tables when a stack first shows them, with their build id, so that
 * frames of a library that is unloaded later still resolve, and another library at the same address
 * gets another id. Found through _dl_find_object, which takes no lock; nothing here calls
 * dl_iterate_phdr. Signal- and thread-safe: readers are lock-free; adding a module is guarded by a
 * spin lock (spin.h), and who waits for it in vain goes on without an id.
 */
#ifndef APPROF_MODULES_H
#define APPROF_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct module_view {
    uint32_t id;    /* as in HEAP_FRAME; 0 if the address is in no module (JIT code, or the table is
                       full) */
    bool permanent; /* can't be unloaded: needs no second look */
    uintptr_t map_start, map_end;
    uintptr_t text_start, text_end; /* executable and readable; empty if unknown */
    const void *eh_frame_hdr;       /* or NULL */
    uintptr_t eh_frame_hdr_end;
    uintptr_t eh_start, eh_end; /* the readable segment that holds .eh_frame */
};

/* From the constructor, before the first sample: learns the program's path and which modules can
 * never be unloaded. Without it everything works, with empty path and more rechecks. */
void modules_init(void);

/* Looks pc up, checks that the module recorded there is still the same one (range and build id in
 * memory) and records it if it is new. False if pc lies in no module. */
bool modules_find(uintptr_t pc, struct module_view *view);

/* Whether pc still lies in the very module that id was given to. Cheaper than modules_find. */
bool modules_check(uint32_t id, uintptr_t pc);

/* In a forked child: ids stay what they are (the child's tables hold copies of the records); frees
 * what another thread of the parent was holding. */
void modules_after_fork(void);

#endif
