// The search itself, and what it returns.
//
// handle_search is in search_buggy.c or search_fixed.c; the rest in search_log.c and
// search_pattern.c. Threads: any number at once; the log does not change once it is made.
#ifndef DEMO_SEARCH_H
#define DEMO_SEARCH_H

#include <regex.h>
#include <stdatomic.h>
#include <stddef.h>

#define PATTERN_MAX 256

// The text of an answer. It may be in the list of recent results and on its way to a client at the
// same time: whoever is done with it drops it.
struct body {
    atomic_int holders;
    size_t len;
    char text[];
};

void body_drop(struct body *body);

// What a request gets. A null body is a dropped connection.
struct answer {
    int status;
    struct body *body;
};

struct answer handle_search(const char *pattern);
struct answer answer_text(int status, const char *text);

// The log: lines with a zero byte at the end.
struct log_line {
    const char *text;
    size_t len;
};

int search_log_make(long count); // returns -1 when there is no memory
size_t search_log_size(void);
const struct log_line *search_log_line(size_t number);

// Compiles an extended regular expression. Returns 0, or -1 with the reason in `error`: besides
// what regcomp refuses, what would cost it more than a request may (it has no bounds of its own).
int pattern_compile(regex_t *compiled, const char *pattern, char *error, size_t error_room);

#endif
