/* demangle.h - readable names of C++ and Rust functions, by pprof's rules.
 *
 * The demangler proper is GNU libiberty's; names are untrusted, so lengths and the size of what
 * comes out are bounded. A name that can't be demangled stays as it is.
 */
#ifndef APPROF_DEMANGLE_H
#define APPROF_DEMANGLE_H

#include "profile.h"

enum demangle_style {
    DEMANGLE_DEFAULT,   /* without parameters and template arguments */
    DEMANGLE_TEMPLATES, /* without parameters */
    DEMANGLE_FULL,      /* everything */
    DEMANGLE_NONE,
};

/* Writes the readable form of a mangled name, NUL-terminated, to out and returns true; false when
 * text is no mangled name or out is too small. */
bool demangle(const char *text, enum demangle_style style, char *out, size_t room);

/* Cuts template arguments from a readable C++ name, in place: "a<b<c> >::operator<< <d>" becomes
 * "a::operator<<". */
void demangle_cut_arguments(char *text);

/* Gives each function whose name is empty or equals its system name a readable name; with force all
 * functions. Where the system name is no mangled name but looks like a demangled one, parameters
 * and template arguments are cut from it. False only when out of memory. */
bool demangle_profile(struct profile *profile, enum demangle_style style, bool force);

#endif
