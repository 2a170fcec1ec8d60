/* legacy_java.c - profiles of the Java agent: samples as text, then what each address means. */
#include "legacy_input.h"

#include "id_table.h"

#include <string.h>

/* An attribute. False when the profile is of another kind. */
static bool set_attribute(struct profile *p, bool heap, struct span key, struct span value)
{
    int64_t number;
    char unit[64];
    if (span_is(key, "format")) {
        return span_is(value, "java");
    }
    if (span_is(key, "resolution")) {
        if (p->n_sample_types > 0) {
            return false;
        }
        size_t n = value.n < sizeof unit ? value.n : sizeof unit - 1;
        memcpy(unit, value.bytes, n);
        unit[n] = '\0';
        profile_add_sample_type(p, heap ? "inuse_objects" : "contentions", "count");
        profile_add_sample_type(p, heap ? "inuse_space" : "delay", unit);
        return true;
    }
    if (heap) {
        return false;
    }
    if (span_is(key, "sampling period")) {
        p->period_type.type = profile_intern_text(p, "contentions");
        p->period_type.unit = profile_intern_text(p, "count");
        return span_number(value, 0, &p->period);
    }
    if (span_is(key, "ms since reset") && span_number(value, 0, &number)) {
        p->duration_nanos = (int64_t)((uint64_t)number * 1000000);
        return true;
    }
    return false;
}

static bool is_word(char c)
{
    return c == ' ' || c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "key=value" of words, anywhere in the line. */
static bool find_attribute(struct span line, struct span *key, struct span *value)
{
    for (size_t i = 1; i + 1 < line.n; i++) {
        if (line.bytes[i] != '=' || !is_word(line.bytes[i - 1]) || !is_word(line.bytes[i + 1])) {
            continue;
        }
        size_t from = i, to = i + 1;
        while (from > 0 && is_word(line.bytes[from - 1])) {
            from--;
        }
        while (to < line.n && is_word(line.bytes[to])) {
            to++;
        }
        *key = span_trim((struct span){line.bytes + from, i - from});
        *value = span_trim((struct span){line.bytes + i + 1, to - i - 1});
        return true;
    }
    return false;
}

/* "SIZE COUNT @ ADDRESSES": false when the samples have ended. */
static bool find_sample(struct span line, struct span figures[2], struct span *addresses)
{
    for (struct span from = line; from.n; from.bytes++, from.n--) {
        struct span rest = from;
        if (!take_digits(&rest, false, &figures[0])) {
            continue;
        }
        struct span behind = rest;
        if (take_text(&rest, " ") && take_spaces(&rest) && take_digits(&rest, false, &figures[1]) &&
            take_text(&rest, " ") && take_spaces(&rest) && take_text(&rest, "@ ")) {
            *addresses = rest;
            return true;
        }
        from = (struct span){behind.bytes - 1, behind.n + 1};
    }
    return false;
}

static enum legacy_result add_sample(struct legacy_builder *builder, bool heap, struct span line,
                                     const struct span figures[2], struct span addresses)
{
    enum { JAVA_RATE = 524288 };
    int64_t size, count;
    if (!span_number(figures[0], 0, &size) || !span_number(figures[1], 0, &count)) {
        return legacy_wrong(builder, "malformed sample", line);
    }
    struct legacy_stack *stack = legacy_add_stack(builder);
    if (heap) {
        if (count == 0) {
            return legacy_wrong(builder, "a sample without a count", line);
        }
        stack->has_bytes = true;
        stack->bytes = size / count;
        legacy_unsample(&count, &size, JAVA_RATE);
    } else if (builder->profile->period != 0) {
        uint64_t period = (uint64_t)builder->profile->period;
        count = (int64_t)((uint64_t)count * period);
        size = (int64_t)((uint64_t)size * period);
    }
    stack->values[0] = count;
    stack->values[1] = size;
    size_t n = 0;
    while (n < addresses.n && addresses.bytes[n] &&
           strchr(" x0123456789abcdef", addresses.bytes[n])) {
        n++;
    }
    addresses.n = n;
    return legacy_add_addresses(builder, addresses)
               ? LEGACY_DONE
               : legacy_wrong(builder, "an address is too large", line);
}

enum legacy_result legacy_java(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    if (!legacy_next(&text)) {
        return LEGACY_OTHER;
    }
    struct span first = span_trim(text.line), key, value, figures[2], addresses;
    bool heap = span_is(first, "--- heapz 1 ---");
    if (!heap && !span_is(first, "--- contentionz 1 ---")) {
        return LEGACY_OTHER;
    }
    const char *line_at;
    bool more;
    while (line_at = text.at, (more = legacy_next(&text))) {
        struct span line = span_trim(text.line);
        if (line.n == 0) {
            continue;
        }
        if (!find_attribute(line, &key, &value)) {
            break;
        }
        if (!set_attribute(p, heap, key, value)) {
            return LEGACY_OTHER;
        }
    }
    if (p->n_sample_types == 0) {
        profile_error_set(builder->error, PROFILE_ERROR_MALFORMED,
                          "malformed profile: missing sample type information");
        return LEGACY_WRONG;
    }
    for (; more; line_at = text.at, more = legacy_next(&text)) {
        struct span line = span_trim(text.line);
        if (line.n == 0) {
            continue;
        }
        if (!find_sample(line, figures, &addresses)) {
            break;
        }
        enum legacy_result result = add_sample(builder, heap, line, figures, addresses);
        if (result != LEGACY_DONE) {
            return result;
        }
    }
    text.at = line_at;
    legacy_build(builder);
    return legacy_java_locations(builder, text) ? LEGACY_DONE : LEGACY_WRONG;
}

/* ---- locations ---- */

struct java_line {
    struct span function, file;
    int64_t line;
};

/* "FUNCTION (FILE:LINE)", "FUNCTION (PATH)" or a state of the machine. */
static struct java_line java_line(struct span text)
{
    struct java_line found = {.function = text};
    size_t n = text.n;
    const char *open = NULL;
    if (n > 1 && text.bytes[n - 1] == ')') {
        /* The last " (" that leaves something inside; of a path, the inside may be empty. */
        for (size_t i = n - 1; i-- > 1 && !open;) {
            if (text.bytes[i] == '(' && (text.bytes[i - 1] == ' ' || text.bytes[i - 1] == '\t')) {
                open = text.bytes + i;
            }
        }
    }
    if (!open) {
        if (span_has(text, "generated stub/JIT")) {
            found.function = (struct span){"STUB", 4};
        }
        return found;
    }
    const char *end = text.bytes + n - 1;
    struct span inside = {open + 1, (size_t)(end - open - 1)};
    found.function = (struct span){text.bytes, (size_t)(open - text.bytes) - 1};
    const char *colon = memrchr(inside.bytes, ':', inside.n);
    if (colon && colon > inside.bytes) {
        struct span number = {colon + 1, (size_t)(end - colon - 1)}, digits;
        struct span rest = number;
        if (take_digits(&rest, true, &digits) && rest.n == 0) {
            found.file = (struct span){inside.bytes, (size_t)(colon - inside.bytes)};
            if (!span_number(number, 10, &found.line) || found.line < 0) {
                found.line = 0;
            }
            return found;
        }
    }
    const char *slash = memrchr(inside.bytes, '/', inside.n);
    found.file = slash ? (struct span){slash + 1, (size_t)(end - slash - 1)} : inside;
    if (inside.n == 0) {
        found.file = (struct span){".", 1};
    }
    return found;
}

static uint32_t java_function(struct profile *p, const struct java_line *line,
                              struct id_table *functions)
{
    string_id name = profile_intern(p, line->function.bytes, line->function.n);
    uint32_t known = id_table_find(functions, name);
    if (known != UINT32_MAX) {
        return known;
    }
    struct profile_function function = {
        .id = p->n_functions + UINT64_C(1),
        .name = name,
        .system_name = name,
        .filename = line->file.n ? profile_intern(p, line->file.bytes, line->file.n) : 0,
    };
    uint32_t added = profile_add_function(p, &function);
    if (id_table_add(functions, name, added) < 0) {
        p->arena.failed = true;
    }
    return added;
}

bool legacy_java_locations(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    struct arena scratch;
    arena_init(&scratch, 0);
    struct id_table by_address, functions;
    bool fine = id_table_init(&by_address, &scratch, 0) && id_table_init(&functions, &scratch, 0);
    for (uint32_t l = 0; l < p->n_locations && fine; l++) {
        fine = id_table_add(&by_address, p->locations[l].address, l) >= 0;
    }
    while (fine && legacy_next(&text) && !p->arena.failed) {
        struct span rest = span_trim(text.line);
        uint64_t address = 0;
        size_t n = 0;
        if (!take_text(&rest, "0x")) {
            continue;
        }
        for (; n < rest.n && rest.bytes[n] && strchr("0123456789abcdefABCDEF", rest.bytes[n]);
             n++) {
            char c = rest.bytes[n];
            if (address >> 60) {
                arena_free(&scratch);
                return legacy_wrong(builder, "an address is too large", text.line) == LEGACY_DONE;
            }
            address = address << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        }
        struct span name = {rest.bytes + n, rest.n - n};
        if (n == 0 || name.n == 0 || span_trim(name).bytes == name.bytes) {
            continue;
        }
        uint32_t location = id_table_find(&by_address, address);
        if (location == UINT32_MAX) {
            continue;
        }
        struct java_line meant = java_line(span_trim(name));
        struct profile_line line = {java_function(p, &meant, &functions), meant.line, 0};
        profile_set_lines(p, location, &line, 1);
        p->locations[location].address = 0;
    }
    fine = fine && !p->arena.failed;
    arena_free(&scratch);
    if (!fine) {
        return profile_error_set(builder->error, PROFILE_ERROR_MEMORY, "out of memory");
    }
    legacy_place_locations(p);
    /* Addresses of a machine that moves its code say nothing. */
    for (uint32_t l = 0; l < p->n_locations; l++) {
        p->locations[l].address = 0;
    }
    return true;
}
