/* tool_output.h - what a program that is not ours prints: objdump, run over files of others.
 *
 * No shell takes part, standard input is empty, messages of the tool are dropped. How long it may
 * run and how much it may print is bounded; it is ended then. Not thread-safe.
 */
#ifndef APPROF_TOOL_OUTPUT_H
#define APPROF_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* The path of a tool. places is pprof's -tools, comma-separated `DIR` or `TOOL:DIR`, or empty for
 * $PPROF_TOOLS; then comes $PATH. False when it is nowhere. */
bool tool_find(const char *places, const char *name, char *path, size_t room);

/* Calls take() with each line it prints, without its end, NUL-terminated. arguments[0] is the path.
 * False with a reason in error when it could not be run, failed, or went beyond its bounds. */
bool tool_output(const char *const *arguments, void (*take)(void *ctx, char *line), void *ctx,
                 char *error, size_t room);

#endif
