/* output_file.h - a file that appears under its name complete or not at all.
 *
 * Written under a temporary name in the same directory (O_EXCL, mode 0600), then renamed: nothing
 * half-written stays, no link is followed, and what stood there before is kept until then. "-" is
 * standard output, and a device or pipe is written to as it is. Not thread-safe per file.
 */
#ifndef APPROF_OUTPUT_FILE_H
#define APPROF_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *stream;
    char *path, *temporary; /* temporary NULL: written directly */
};

/* False with errno. */
bool output_open(struct output_file *output, const char *path);

/* Closes, and gives the file its name if everything was written and keep is true; otherwise it
 * goes. False with errno when it could not be written. */
bool output_close(struct output_file *output, bool keep);

#endif
