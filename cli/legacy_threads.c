/* legacy_threads.c - stacks of threads: Go's counts (goroutine, threadcreate) and threadz. */
#include "legacy_input.h"

#include <string.h>

static void one_type(struct profile *p, struct span name)
{
    string_id type = profile_intern(p, name.bytes, name.n);
    profile_add_sample_type(p, profile_text(p, type), "count");
    p->period_type.type = type;
    p->period_type.unit = profile_intern_text(p, "count");
    p->period = 1;
}

static bool all_digits(struct span span)
{
    size_t n = 0;
    while (n < span.n && span.bytes[n] >= '0' && span.bytes[n] <= '9') {
        n++;
    }
    return n > 0 && n == span.n;
}

/* "NAME profile: total N" */
static bool count_header(struct span line, struct span *name)
{
    static const char words[] = " profile: total ";
    const char *at = memmem(line.bytes, line.n, words, sizeof words - 1);
    if (!at || at == line.bytes) {
        return false;
    }
    *name = (struct span){line.bytes, (size_t)(at - line.bytes)};
    for (size_t i = 0; i < name->n; i++) {
        if (name->bytes[i] == ' ' || (name->bytes[i] >= '\t' && name->bytes[i] <= '\r')) {
            return false;
        }
    }
    const char *digits = at + sizeof words - 1;
    return all_digits((struct span){digits, line.n - (size_t)(digits - line.bytes)});
}

/* " 0x1 0x2 ...", and nothing else. */
static bool are_addresses(struct span text)
{
    bool any = false;
    while (text.n) {
        if (!take_text(&text, " 0x")) {
            return false;
        }
        size_t n = 0;
        while (n < text.n && text.bytes[n] && strchr("0123456789abcdef", text.bytes[n])) {
            n++;
        }
        if (n == 0) {
            return false;
        }
        text = (struct span){text.bytes + n, text.n - n};
        any = true;
    }
    return any;
}

enum legacy_result legacy_go_count(struct legacy_builder *builder, struct legacy_text text)
{
    while (legacy_next(&text) && span_comment(text.line)) {
    }
    struct span name;
    if (!count_header(text.line, &name)) {
        return LEGACY_OTHER;
    }
    one_type(builder->profile, name);
    while (legacy_next(&text)) {
        struct span line = text.line, digits;
        if (span_comment(line)) {
            continue;
        }
        if (span_starts(line, "---")) {
            break;
        }
        int64_t count;
        struct span rest = line;
        if (!take_digits(&rest, false, &digits) || !take_text(&rest, " @") ||
            !are_addresses(rest) || !span_number(digits, 0, &count)) {
            return legacy_wrong(builder, "malformed sample", line);
        }
        legacy_add_stack(builder)->values[0] = count;
        if (!legacy_add_addresses(builder, rest)) {
            return legacy_wrong(builder, "an address is too large", line);
        }
    }
    legacy_adjust(builder, LEGACY_ADJUST_ALL);
    legacy_build(builder);
    legacy_find_maps(&text, builder->profile);
    return LEGACY_DONE;
}

/* "--- threadz N ---" */
static bool is_threadz(struct span line)
{
    const char *at = memmem(line.bytes, line.n, "--- threadz ", 12);
    if (!at) {
        return false;
    }
    struct span rest = {at + 12, line.n - (size_t)(at + 12 - line.bytes)}, digits;
    return take_digits(&rest, false, &digits) && take_text(&rest, " ---");
}

/* "--- Thread HEX (name: NAME/N) stack: ---" */
static bool is_thread(struct span line)
{
    static const char end[] = ") stack: ---";
    const char *at = memmem(line.bytes, line.n, "--- Thread ", 11);
    if (!at) {
        return false;
    }
    struct span rest = {at + 11, line.n - (size_t)(at + 11 - line.bytes)};
    size_t n = 0;
    while (n < rest.n && rest.bytes[n] && strchr("0123456789abcdefABCDEF", rest.bytes[n])) {
        n++;
    }
    rest = (struct span){rest.bytes + n, rest.n - n};
    if (n == 0 || !take_text(&rest, " (name: ")) {
        return false;
    }
    const char *close = memmem(rest.bytes, rest.n, end, sizeof end - 1);
    if (!close) {
        return false;
    }
    const char *slash = memrchr(rest.bytes, '/', (size_t)(close - rest.bytes));
    return slash && all_digits((struct span){slash + 1, (size_t)(close - slash - 1)});
}

/* The frames behind a heading; text->line is the next heading then, or empty. */
static enum legacy_result read_thread(struct legacy_builder *builder, struct legacy_text *text)
{
    bool same = false;
    size_t n_addresses = builder->n_addresses;
    legacy_add_stack(builder)->values[0] = 1;
    while (legacy_next(text)) {
        text->line = span_trim(text->line);
        if (text->line.n == 0) {
            continue;
        }
        if (span_starts(text->line, "---")) {
            break;
        }
        if (span_has(text->line, "same as previous thread")) {
            same = true;
        } else if (!legacy_add_addresses(builder, text->line)) {
            return legacy_wrong(builder, "an address is too large", text->line);
        }
    }
    if (same || builder->n_addresses == n_addresses) {
        builder->n_addresses = n_addresses;
        builder->n_stacks--;
        if (builder->n_stacks > 0) {
            builder->stacks[builder->n_stacks - 1].values[0]++;
        }
    }
    return LEGACY_DONE;
}

enum legacy_result legacy_threads(struct legacy_builder *builder, struct legacy_text text)
{
    while (legacy_next(&text) && span_comment(text.line)) {
    }
    if (is_threadz(text.line)) {
        while (legacy_next(&text) && !legacy_maps_begin(text.line) &&
               !span_starts(text.line, "-")) {
        }
    } else if (!is_thread(text.line)) {
        return LEGACY_OTHER;
    }
    one_type(builder->profile, (struct span){"thread", 6});
    while (!legacy_maps_begin(text.line)) {
        if (span_starts(text.line, "---- no stack trace for")) {
            break;
        }
        if (!is_thread(text.line)) {
            return LEGACY_OTHER;
        }
        enum legacy_result result = read_thread(builder, &text);
        if (result != LEGACY_DONE) {
            return result;
        }
    }
    legacy_adjust(builder, LEGACY_ADJUST_CALLERS);
    legacy_drop_second_leaf(builder);
    legacy_build(builder);
    legacy_find_maps(&text, builder->profile);
    return LEGACY_DONE;
}
