/* message.c - the lines on stderr, and the search for names that were meant. */
#include "message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool quiet;

bool message_quiet(bool on)
{
    bool before = quiet;
    quiet = on;
    return before;
}

/* A file name with an escape sequence in it must not steer the terminal. */
static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char line[4096];
    int n = vsnprintf(line, sizeof line, format, arguments);
    if (n < 0 || quiet) {
        return;
    }
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') {
            *c = '?';
        }
    }
    fflush(stdout);
    fprintf(stderr, "%s%s\n", prefix, line);
}

int message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("approf: ", format, arguments);
    va_end(arguments);
    return STATUS_BAD_USAGE;
}

void message_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("hint: ", format, arguments);
    va_end(arguments);
}

void message_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

const char *message_errno(int number)
{
    static _Thread_local char texts[2][128];
    static _Thread_local unsigned turn;
    char *text = texts[turn ^= 1];
    snprintf(text, sizeof texts[0], "%s", strerror(number));
    /* But not of a word in capitals. */
    if (text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z')) {
        text[0] = (char)(text[0] - 'A' + 'a');
    }
    return text;
}

enum { LONGEST_NAME = 63 };

/* Edit distance with transpositions (optimal string alignment); both at most LONGEST_NAME. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned rows[3][LONGEST_NAME + 1];
    unsigned *before = rows[0], *previous = rows[1], *current = rows[2];
    for (size_t j = 0; j <= nb; j++) {
        previous[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= na; i++) {
        current[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = previous[j - 1] + (a[i - 1] != b[j - 1]);
            if (previous[j] + 1 < best) {
                best = previous[j] + 1;
            }
            if (current[j - 1] + 1 < best) {
                best = current[j - 1] + 1;
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            current[j] = best;
        }
        unsigned *recycled = before;
        before = previous;
        previous = current;
        current = recycled;
    }
    return previous[nb];
}

size_t nearest_names(const char *typed, const char *const *names, size_t n, const char **nearest,
                     size_t most)
{
    enum { MOST = 8 };
    unsigned scores[MOST];
    size_t found = 0, length = strlen(typed);
    if (length == 0 || length > LONGEST_NAME) {
        return 0;
    }
    if (most > MOST) {
        most = MOST;
    }
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(names[i]);
        if (other == 0 || other > LONGEST_NAME) {
            continue;
        }
        unsigned score = edit_distance(typed, length, names[i], other);
        size_t longer = length > other ? length : other;
        bool begins = length >= 2 && strncmp(names[i], typed, length) == 0;
        if (begins) {
            score = 1;
        } else if (score > longer / 3 + 1 || score >= longer) {
            continue;
        }
        size_t at = found;
        while (at > 0 && scores[at - 1] > score) {
            at--;
        }
        if (at >= most) {
            continue;
        }
        size_t last = found < most ? found : most - 1;
        for (size_t k = last; k > at; k--) {
            scores[k] = scores[k - 1];
            nearest[k] = nearest[k - 1];
        }
        scores[at] = score;
        nearest[at] = names[i];
        if (found < most) {
            found++;
        }
    }
    return found;
}
