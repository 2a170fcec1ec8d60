/* text.c - text into fixed buffers (see text.h). */
#include "text.h"

#include <string.h>

void text_init(struct text *text, char *buffer, size_t room)
{
    *text = (struct text){.bytes = buffer, .room = room};
    buffer[0] = 0;
}

void text_append(struct text *text, const char *bytes, size_t n)
{
    size_t left = text->room - 1 - text->length;
    if (n > left) {
        n = left;
        text->truncated = true;
    }
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    text->bytes[text->length] = 0;
}

static void append_number(struct text *text, uint64_t value, bool negative, unsigned base,
                          unsigned width)
{
    char digits[24];
    unsigned at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (sizeof digits - at < width && at > 1)
        digits[--at] = '0';
    if (negative)
        digits[--at] = '-';
    text_append(text, digits + at, sizeof digits - at);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vformat(text, format, args);
    va_end(args);
}

void text_vformat(struct text *text, const char *format, va_list args)
{
    while (*format) {
        size_t plain = strcspn(format, "%");
        text_append(text, format, plain);
        format += plain;
        if (!*format)
            break;
        format++;
        unsigned width = 0, wide = 0;
        int precision = -1;
        if (format[0] == '.' && format[1] == '*') {
            precision = va_arg(args, int);
            format += 2;
        } else if (format[0] == '0' && format[1] >= '1' && format[1] <= '9') {
            width = (unsigned)(format[1] - '0');
            format += 2;
        }
        while (*format == 'l' || *format == 'z') {
            wide = 1;
            format++;
        }
        switch (*format) {
        case 's': {
            const char *s = va_arg(args, const char *);
            size_t n = precision < 0 ? strlen(s) : strnlen(s, (size_t)precision);
            text_append(text, s, n);
            break;
        }
        case 'c': {
            char c = (char)va_arg(args, int);
            text_append(text, &c, 1);
            break;
        }
        case 'd': {
            int64_t v = wide ? va_arg(args, long) : va_arg(args, int);
            append_number(text, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0, 10, 0);
            break;
        }
        case 'u':
        case 'x': {
            uint64_t v = wide ? va_arg(args, unsigned long) : va_arg(args, unsigned);
            append_number(text, v, false, *format == 'x' ? 16 : 10, width);
            break;
        }
        case '%':
            text_append(text, "%", 1);
            break;
        default: /* a mistake of ours: shown, never skipped in silence */
            text_append(text, "%?", 2);
            return;
        }
        format++;
    }
}

#pragma weak strerrordesc_np /* only glibc has it; see interpose/foreign_libc.h */

void text_append_errno(struct text *text, int number)
{
    const char *words = strerrordesc_np(number);
    if (!words) {
        text_format(text, "error %d", number);
        return;
    }
    char first = words[0];
    /* "No such file" but not "RFS specific error": a word in capitals stays. */
    if (first >= 'A' && first <= 'Z' && !(words[1] >= 'A' && words[1] <= 'Z'))
        first = (char)(first - 'A' + 'a');
    text_append(text, &first, words[0] ? 1 : 0);
    if (words[0])
        text_append(text, words + 1, strlen(words + 1));
}

bool text_parse_u64(const char **cursor, const char *end, uint64_t *value)
{
    const char *at = *cursor;
    uint64_t v = 0;
    if (at == end || *at < '0' || *at > '9')
        return false;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v))
            return false;
    *value = v;
    *cursor = at;
    return true;
}
