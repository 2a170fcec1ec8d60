/* elf_lookup.h - finds functions in loaded objects without the loader.
 *
 * dlsym takes the loader's lock and allocates an error text for every symbol that is not there.
 * These read the objects' own hash tables instead: no lock, no allocation, no call of a function
 * that someone may intercept, usable before any constructor. Only the object list is shared with
 * the loader: walk it in a constructor, or while the object in question can't go away. Old, hidden
 * symbol versions are not found, as with dlsym.
 */
#ifndef APPROF_ELF_LOOKUP_H
#define APPROF_ELF_LOOKUP_H

#include <link.h>
#include <stdbool.h>

/* The function that object defines under this name, or NULL. An indirect function's chosen one. */
void *elf_lookup_in(const struct link_map *object, const char *name);

/* The same, with where the object says so: its symbol and that symbol's name. */
struct elf_definition {
    void *address;
    const ElfW(Sym) * symbol;
    const char *name;
};
bool elf_define(const struct link_map *object, const char *name, struct elf_definition *found);

/* The first definition in the loader's order, beginning with from; *object (may be NULL) receives
 * who defines it. */
void *elf_lookup_from(const struct link_map *from, const char *name,
                      const struct link_map **object);

/* The executable, first in the loader's order; and libapprof.so itself. NULL when unknown. */
const struct link_map *elf_first_object(void);
const struct link_map *elf_own_object(void);

#endif
