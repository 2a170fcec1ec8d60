/* line.h - a short text put together without stdio, malloc or locale. Cut off at its size. */
#ifndef APPROF_LINE_H
#define APPROF_LINE_H

#include <stddef.h>
#include <stdint.h>

struct line {
    size_t length;
    char bytes[512]; /* NUL-terminated */
};

static inline void line_char(struct line *line, char c)
{
    if (line->length < sizeof line->bytes - 1) {
        line->bytes[line->length++] = c;
        line->bytes[line->length] = '\0';
    }
}

/* Control characters become '?': values come from the environment and go to a terminal. */
static inline void line_text(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        line_char(line, (unsigned char)*text < 32 || *text == 127 ? '?' : *text);
}

static inline void line_number(struct line *line, uint64_t n)
{
    char digits[20];
    int i = 0;
    do
        digits[i++] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    while (i > 0)
        line_char(line, digits[--i]);
}

#endif
