/* elf_scope.h - what a loaded object would have been bound to, found without the loader's lock.
 *
 * An object that dlopen brought is bound, after the global scope, in its own: to itself, then
 * breadth first to what it needs. dlopen and dlsym would tell, and take the loader's lock. Here the
 * loader's list is read while other threads may load and unload: each entry is copied by the kernel
 * (memory that went away is an error and no fault), and one counts only when _dl_find_object, which
 * takes no lock, says that it is loaded. Nothing else is relied upon: what an object needs can't go
 * while code of the object runs.
 *
 * Any thread, signal handlers too. No allocation, no lock. Makes system calls: not once
 * hook_quiet(). Slow (tens of microseconds): remember the answer (late_new.h).
 */
#ifndef APPROF_ELF_SCOPE_H
#define APPROF_ELF_SCOPE_H

#include "elf_lookup.h"

/* Who defines name for code in object (which runs just now); NULL when nobody in its scope does, or
 * object is NULL. libapprof.so itself never counts. */
const struct link_map *elf_scope_find(const struct link_map *object, const char *name,
                                      struct elf_definition *found);

/* The loaded object that answers to this name, as a DT_NEEDED entry would have it; or NULL. */
const struct link_map *elf_scope_loaded(const char *name);

/* Whether object, which is loaded now, can be unloaded no more: it says so, or one of its own
 * references is bound to a unique symbol of its own, of which there must never be a second. (What
 * dlopen was told the loader keeps for itself: such an object may be taken for one that can go.) */
bool elf_scope_stays(const struct link_map *object);

#endif
