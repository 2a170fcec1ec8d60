/* symbolize.h - functions, files, lines and inlined frames for a profile's addresses.
 *
 * Reads the binaries that the mappings name, and their separate debug files, through elfutils'
 * libdw; names without debug information come from symbol tables, and those of JIT code from perf
 * maps. A binary whose build id is not the mapping's is never used: that is said on stderr, and
 * what the profile says already stays. Binaries and debug information are untrusted.
 *
 * What is given to a location: its lines, innermost inlined callee first, the function that
 * contains the code last; name is the demangled name, system_name the mangled one; file names are
 * absolute. Mappings get has_functions, has_filenames, has_line_numbers and has_inline_frames as
 * far as they are true, so that other readers of the profile leave it alone.
 *
 * A symbolizer keeps the binaries that it has opened and the functions that it has met, for
 * programs that look at the same process again and again; symbolize_profile is for one profile.
 * Not thread-safe: one symbolizer is used by one thread at a time, distinct ones are independent.
 */
#ifndef APPROF_SYMBOLIZE_H
#define APPROF_SYMBOLIZE_H

#include "demangle.h"
#include "profile.h"

enum symbolize_mode {
    SYMBOLIZE_LOCAL,     /* the default: lines and inlined frames */
    SYMBOLIZE_FASTLOCAL, /* names from symbol tables only */
    SYMBOLIZE_NONE,      /* leave everything as it is, names included */
};

/* All zero is the default. Strings are not copied: they must outlive the symbolizer. */
struct symbolize_options {
    enum symbolize_mode mode;
    enum demangle_style demangle;
    bool force;              /* replace what the profile says already, and demangle again */
    bool compat_go119;       /* demangle=none demangles fully, as it did then */
    bool only_unflagged;     /* pprof's rule: leave a mapping alone when any of its flags is set.
                                Otherwise one that has names but no line numbers is completed */
    bool quiet;              /* say nothing on stderr */
    const char *symbol_path; /* directories, separated by colons; NULL: $PPROF_BINARY_PATH, else
                                $HOME/pprof/binaries */
    const char *root;        /* put before the paths of mappings ("/proc/PID/root"), or NULL */
    uint32_t pid;            /* of the process, as this system sees it, for its perf map; 0: what
                                the profile's comments say */
};

/* Reads pprof's words, joined by ':' ("none", "local", "fastlocal", "force", "remote" (ignored),
 * "demangle=full|none|templates|default"). False, with the bad word in *bad and its length in
 * *bad_length, if one is not known. */
bool symbolize_parse(const char *words, struct symbolize_options *options, const char **bad,
                     size_t *bad_length);

struct symbolize_result {
    uint32_t locations;  /* looked at */
    uint32_t named;      /* got a function */
    uint32_t lined;      /* got a file and a line as well */
    uint32_t unfound;    /* mappings whose binary is not there */
    uint32_t mismatched; /* mappings whose binary is another build */
};

struct symbolizer;
/* NULL when out of memory. */
struct symbolizer *symbolizer_open(const struct symbolize_options *options);
/* False only when out of memory; the profile is sound then, but incomplete. result may be NULL. */
bool symbolizer_apply(struct symbolizer *symbolizer, struct profile *profile,
                      struct symbolize_result *result);
/* Another process from now on (options.pid). */
void symbolizer_set_pid(struct symbolizer *symbolizer, uint32_t pid);
void symbolizer_close(struct symbolizer *symbolizer);

/* The directories that binaries are looked for in: those given, or what symbolize_options says of
 * NULL. *own is to be freed. */
const char *symbolize_search_path(const char *given, char **own);

enum { SYMBOLIZE_PATH_ROOM = 4096 };

/* The file to open for a mapping, written to path; false for one that has none. */
bool symbolize_mapping_file(const struct profile *profile, const struct profile_mapping *mapping,
                            char path[SYMBOLIZE_PATH_ROOM]);

/* All three at once. */
bool symbolize_profile(struct profile *profile, const struct symbolize_options *options,
                       struct symbolize_result *result);

#endif
