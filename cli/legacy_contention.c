/* legacy_contention.c - contention profiles as text: tcmalloc's and the Go runtime's. */
#include "legacy_input.h"

#include <string.h>

/* "attribute = value". False when the profile is none of these. */
static bool set_attribute(struct profile *p, struct span key, struct span value, int64_t *hertz)
{
    int64_t milliseconds;
    if (span_is(key, "cycles/second")) {
        return span_number(value, 0, hertz);
    }
    if (span_is(key, "sampling period")) {
        return span_number(value, 0, &p->period);
    }
    if (span_is(key, "ms since reset")) {
        if (!span_number(value, 0, &milliseconds)) {
            return false;
        }
        p->duration_nanos = (int64_t)((uint64_t)milliseconds * 1000000);
        return true;
    }
    return span_is(key, "discarded samples");
}

static bool is_digit_or(char c, const char *others)
{
    return (c >= '0' && c <= '9') || (c && strchr(others, c));
}

/* "DELAY COUNT @ ADDRESSES", anywhere in the line. */
static bool find_figures(struct span *line, struct span figures[2])
{
    for (struct span from = *line; from.n; from.bytes++, from.n--) {
        struct span rest = from;
        if (!take_digits(&rest, false, &figures[0])) {
            continue;
        }
        struct span behind = rest;
        take_spaces(&rest);
        if (take_digits(&rest, false, &figures[1]) && take_text(&rest, " @")) {
            *line = rest;
            return true;
        }
        /* One number alone: the expression splits it before its last digit. */
        rest = behind;
        if (figures[0].n > 1 && take_text(&rest, " @")) {
            figures[0].n--;
            figures[1] = (struct span){figures[0].bytes + figures[0].n, 1};
            *line = rest;
            return true;
        }
        from = (struct span){behind.bytes - 1, behind.n + 1};
    }
    return false;
}

static enum legacy_result add_sample(struct legacy_builder *builder, struct span line,
                                     int64_t hertz)
{
    struct span rest = line, figures[2];
    if (!find_figures(&rest, figures)) {
        return LEGACY_OTHER;
    }
    int64_t delay, count, period = builder->profile->period;
    if (!span_number(figures[0], 10, &delay) || !span_number(figures[1], 10, &count)) {
        return legacy_wrong(builder, "malformed sample", line);
    }
    if (period > 0) {
        if (hertz > 0) {
            double nanoseconds = (double)delay * (double)period / ((double)hertz / 1e9);
            delay = nanoseconds < 0x1p63 ? (int64_t)nanoseconds : INT64_MIN;
        }
        count = (int64_t)((uint64_t)count * (uint64_t)period);
    }
    struct legacy_stack *stack = legacy_add_stack(builder);
    stack->values[0] = count;
    stack->values[1] = delay;
    size_t n = 0;
    while (n < rest.n && is_digit_or(rest.bytes[n], " xabcdef")) {
        n++;
    }
    rest.n = n;
    return legacy_add_addresses(builder, rest)
               ? LEGACY_DONE
               : legacy_wrong(builder, "an address is too large", line);
}

enum legacy_result legacy_contention(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    if (!legacy_next(&text) ||
        !(span_starts(text.line, "--- contentionz ") || span_starts(text.line, "--- mutex:") ||
          span_starts(text.line, "--- contention:"))) {
        return LEGACY_OTHER;
    }
    p->period_type.type = profile_intern_text(p, "contentions");
    p->period_type.unit = profile_intern_text(p, "count");
    p->period = 1;
    profile_add_sample_type(p, "contentions", "count");
    profile_add_sample_type(p, "delay", "nanoseconds");
    int64_t hertz = 0;
    bool more;
    while ((more = legacy_next(&text))) {
        struct span line = span_trim(text.line);
        if (span_comment(line)) {
            continue;
        }
        const char *equals = memchr(line.bytes, '=', line.n);
        if (span_starts(line, "---") || !equals) {
            break;
        }
        size_t n = (size_t)(equals - line.bytes);
        if (!set_attribute(p, span_trim((struct span){line.bytes, n}),
                           span_trim((struct span){equals + 1, line.n - n - 1}), &hertz)) {
            return LEGACY_OTHER;
        }
    }
    for (; more && !span_starts(span_trim(text.line), "---"); more = legacy_next(&text)) {
        struct span line = span_trim(text.line);
        if (span_comment(line)) {
            continue;
        }
        enum legacy_result result = add_sample(builder, line, hertz);
        if (result != LEGACY_DONE) {
            return result;
        }
    }
    legacy_adjust(builder, LEGACY_ADJUST_ALL);
    legacy_build(builder);
    legacy_find_maps(&text, p);
    return LEGACY_DONE;
}
