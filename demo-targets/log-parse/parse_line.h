// What is done with each line: "time|level|service|message" becomes "message;message;message".
// In parse_line_buggy.c or parse_line_fixed.c; both write the same.
#ifndef DEMO_PARSE_LINE_H
#define DEMO_PARSE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define FIELDS  4 // the fourth is the rest of the line
#define REPEATS 3

// False when the line has fewer than four fields; nothing is written then.
bool parse_line(const char *line, size_t len);

#endif
