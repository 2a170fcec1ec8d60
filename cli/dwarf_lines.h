/* dwarf_lines.h - from code addresses to functions, inlined frames, files and lines.
 *
 * An index over one module's DWARF that is made as far as addresses ask for it: which unit covers
 * an address is known for all units, the functions of a unit are found when one of its addresses is
 * asked for, the inlined calls of a function likewise; so asking in the order of addresses is
 * fastest, but any order is right. DWARF is untrusted: depths and counts are bounded, what is past
 * the bounds is left out. Not thread-safe.
 */
#ifndef APPROF_DWARF_LINES_H
#define APPROF_DWARF_LINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Strings live as long as the index. */
struct source_function {
    const char *linkage_name; /* mangled, or NULL */
    const char *plain_name;   /* as the DWARF has it, or NULL */
    const char *name;         /* the same, qualified where there is no linkage name */
    const char *file;         /* absolute, or NULL */
    int64_t line;             /* of its declaration, or 0 */
    bool has_scopes;          /* of a language whose names are qualified (C++ and the like) */
};

struct source_frame {
    const struct source_function *function; /* NULL when only the line is known */
    const char *file;                       /* absolute, or NULL when unknown */
    int64_t line, column;                   /* 0 when unknown */
};

enum { SOURCE_FRAMES = 64 /* most inlined calls at one address */ };

struct dwarf_index;

/* Addresses are those of the DWARF plus bias. NULL when out of memory. */
struct dwarf_index *dwarf_index_open(Dwarf *dwarf, uint64_t bias);
void dwarf_index_close(struct dwarf_index *index);

/* Frames at an address, innermost inlined callee first, the function that holds the code last.
 * Returns their number; 0 when the DWARF does not know the address. */
unsigned dwarf_index_find(struct dwarf_index *index, uint64_t address,
                          struct source_frame frames[SOURCE_FRAMES]);

#endif
