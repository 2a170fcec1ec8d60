// The line is split into an array of strings, and the result grows by concatenation.
// As usual with C strings, a zero byte in a line ends its field.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "parse_line.h"

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "log-parse: out of memory\n");
        exit(1);
    }
    return memory;
}

// The line's fields, FIELDS at most, the last one with the rest, then a null. Each is a copy.
__attribute__((noinline)) static char **split(const char *line, size_t len)
{
    char **fields = checked(calloc(FIELDS + 1, sizeof *fields));

    for (int i = 0; i < FIELDS; i++) {
        const char *bar = i + 1 < FIELDS ? memchr(line, '|', len) : NULL;
        fields[i] = checked(strndup(line, bar ? (size_t)(bar - line) : len));
        if (!bar)
            break;
        len -= (size_t)(bar + 1 - line);
        line = bar + 1;
    }
    return fields;
}

static void free_fields(char **fields)
{
    for (int i = 0; fields[i]; i++)
        free(fields[i]);
    free(fields);
}

bool parse_line(const char *line, size_t len)
{
    char **fields = split(line, len);
    const char *message = fields[FIELDS - 1];
    if (!message) {
        free_fields(fields);
        return false;
    }

    char *joined = NULL;
    for (int i = 0; i < REPEATS; i++) {
        // joined += message + ";"
        char *longer = checked(malloc((joined ? strlen(joined) : 0) + strlen(message) + 2));
        strcpy(longer, joined ? joined : "");
        strcat(longer, message);
        strcat(longer, i + 1 < REPEATS ? ";" : "\n");
        free(joined);
        joined = longer;
    }
    output_write(joined, strlen(joined));
    free(joined);
    free_fields(fields);
    return true;
}
