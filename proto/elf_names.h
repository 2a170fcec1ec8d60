/* elf_names.h - function names from ELF symbol tables, for profiles whose locations have none.
 *
 * Runs inside the target at its exit as well as in approf: no malloc, no stdio; files are read into
 * the profile's arena or a scratch arena of bounded size, never mapped (a file that shrinks must
 * not kill us). ELF files are untrusted. Build ids must match where the mapping has one.
 */
#ifndef APPROF_ELF_NAMES_H
#define APPROF_ELF_NAMES_H

#include "profile.h"

/* For every mapping with a file name: gives each location without lines one line with the function
 * that .symtab (or .dynsym) names, system_name = name = the symbol as it stands (mangled), and sets
 * has_functions on mappings where any name was found. Returns the number of locations named. */
uint32_t elf_names_apply(struct profile *profile);

#endif
