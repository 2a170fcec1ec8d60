/* run_library.h - libapprof.so, and a value of LD_PRELOAD that puts it first. */
#ifndef APPROF_RUN_LIBRARY_H
#define APPROF_RUN_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The library beside this program, in ../lib/approf or in ../lib; absolute. False if it is in none
 * of them. */
bool run_library_find(char *path, size_t room);
/* This program's own path. */
bool run_program_self(char *path, size_t room);

/* "library:what was there". LD_PRELOAD can't hold a path with a space or a colon: such a library is
 * given a link in directory, which nobody else may write to. False when there is no way; *path is
 * then what stands in it. The result is malloc'd. */
char *run_preload_value(const char *library, const char *directory, const char *existing);

#endif
