/* text.h - text into fixed buffers, without stdio, locale, locks or memory.
 *
 * Usable in the exit path and in signal handlers of a profiled process. The buffer is always
 * NUL-terminated; what does not fit is cut off and truncated is set. One owner at a time.
 */
#ifndef APPROF_TEXT_H
#define APPROF_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t room; /* of bytes, the NUL included; at least 1 */
    size_t length;
    bool truncated;
};

/* An empty text over buffer; with TEXT_ON for arrays. */
void text_init(struct text *text, char *buffer, size_t room);
#define TEXT_ON(text, array) text_init((text), (array), sizeof(array))

void text_append(struct text *text, const char *bytes, size_t n);

/* The part of printf that is needed: %s %.*s %c %d %u %x %% and l, ll, z before d, u, x. No widths
 * but a zero-padded %0Nx or %0Nu (N one digit). */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

void text_vformat(struct text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* The system's words for an errno, first letter in lower case: "permission denied". Static storage
 * in C locale; never translated, never NULL. */
void text_append_errno(struct text *text, int number);

/* Reads a decimal number at *cursor (not past end), moves *cursor behind it. False, and nothing
 * moved, if there is none or it does not fit. */
bool text_parse_u64(const char **cursor, const char *end, uint64_t *value);

#endif
