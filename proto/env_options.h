/* env_options.h - the one list of APPROF_* variables: name, default, unit, help.
 *
 * The hook reads them (interpose/options.c); `approf help`, the man page and the README's table are
 * made from the same list. Constant data: no ownership, thread-safe.
 */
#ifndef APPROF_ENV_OPTIONS_H
#define APPROF_ENV_OPTIONS_H

#include <stddef.h>

/* ENV_OPTION(field, name, default, unit, help) */
#define ENV_OPTIONS(ENV_OPTION)                                                                 \
    ENV_OPTION(rate, "APPROF_RATE", "524288", "BYTES",                                          \
               "mean distance between two samples; 1 records every allocation, 0 is off")       \
    ENV_OPTION(overhead, "APPROF_OVERHEAD", "", "PERCENT",                                      \
               "raise the rate while sampling takes more than this share of the process's "     \
               "processor time, as 1% or 0.2%; by default the rate stays what it is")           \
    ENV_OPTION(out, "APPROF_OUT", "approf.%e.%p.pb.gz", "PATTERN",                              \
               "file written at exit: %e exe, %p pid, %h host, %t time, %% a percent sign; an " \
               "existing file is kept and the new one gets .2")                                 \
    ENV_OPTION(depth, "APPROF_DEPTH", "128", "FRAMES", "most frames of a stack, up to 1024")    \
    ENV_OPTION(tables, "APPROF_TABLES", "/dev/shm/approf-UID", "DIR",                           \
               "where the heap tables live, or `off` for private memory")                       \
    ENV_OPTION(only, "APPROF_ONLY", "*", "GLOB", "profile only executables of this name")       \
    ENV_OPTION(memory, "APPROF_MEMORY", "1G", "BYTES", "most memory that the tables may take")  \
    ENV_OPTION(unwind, "APPROF_UNWIND", "approf", "approf|approf+libunwind|libunwind|null",     \
               "how stacks are walked: by approf, with libunwind to ask where that gives up, "  \
               "by libunwind; null keeps the caller alone")                                     \
    ENV_OPTION(symbolize, "APPROF_SYMBOLIZE", "1", "0|1",                                       \
               "whether `approf symbolize` adds lines and inlined frames to the file at exit")  \
    ENV_OPTION(helper, "APPROF_HELPER", "", "PATH",                                             \
               "the approf command to start for that; by default the one beside libapprof.so")  \
    ENV_OPTION(seed, "APPROF_SEED", "0", "NUMBER",                                              \
               "repeatable draws, for tests of one thread; 0 is random")                        \
    ENV_OPTION(verbose, "APPROF_VERBOSE", "0", "0|1", "say on stderr what the hook does")

struct env_option {
    const char *name, *initial, *unit, *help;
};

enum env_option_index {
#define ENV_OPTION(field, name, initial, unit, help) ENV_##field,
    ENV_OPTIONS(ENV_OPTION)
#undef ENV_OPTION
        N_ENV_OPTIONS
};

extern const struct env_option env_options[N_ENV_OPTIONS];

#endif
