/* run_check.h - whether a command can be profiled at all, and if not, why.
 *
 * What is found out is what the dynamic loader will do: a preloaded library reaches only programs
 * that are dynamically linked against glibc, run with their caller's rights, and take malloc from a
 * library. A script is judged by its interpreter. Files are untrusted. Not thread-safe.
 */
#ifndef APPROF_RUN_CHECK_H
#define APPROF_RUN_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct run_program {
    char path[4096];  /* what will be executed, found along PATH */
    char reason[512]; /* why it can't be profiled: "statically linked ..." */
    char hint[512];
    int status; /* for the shell: 127 not found, 126 not executable; 0 otherwise */
};

/* False with reason and hint, and with a status when it can't even be executed. */
bool run_check(const char *command, struct run_program *program);

#endif
