// Lines of a log: made up with a fixed seed, or read from a file.
//
// A line is valid until the next one. Lines over 1 MiB end the reading with an error.
// Single thread. Memory: one pool (made up) or one buffer (read), no more for more lines.
#ifndef DEMO_LOG_LINES_H
#define DEMO_LOG_LINES_H

#include <stddef.h>
#include <stdio.h>

struct log_lines;

// `count` lines, always the same: a pool of 4,096 different ones, over and over.
struct log_lines *log_lines_generate(long count);

// Lines of an open file, without their ends.
struct log_lines *log_lines_read(FILE *file);

// Returns 1 with a line, 0 at the end, -1 when reading failed (said on stderr).
int log_lines_next(struct log_lines *lines, const char **line, size_t *len);

void log_lines_close(struct log_lines *lines); // not the file

#endif
