/* legacy_input.c - lines, numbers and stacks of legacy formats; see legacy_input.h. Memory maps are
 * in legacy_maps.c. */
#include "legacy_input.h"

#include "id_table.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool legacy_next(struct legacy_text *text)
{
    if (text->at >= text->end) {
        text->line = (struct span){text->end, 0};
        return false;
    }
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    const char *end = newline ? newline : text->end;
    text->line = (struct span){text->at, (size_t)(end - text->at)};
    if (text->line.n && text->line.bytes[text->line.n - 1] == '\r') {
        text->line.n--;
    }
    text->at = newline ? newline + 1 : text->end;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct span span_trim(struct span span)
{
    while (span.n && is_space(span.bytes[0])) {
        span.bytes++;
        span.n--;
    }
    while (span.n && is_space(span.bytes[span.n - 1])) {
        span.n--;
    }
    return span;
}

bool span_starts(struct span span, const char *prefix)
{
    size_t n = strlen(prefix);
    return span.n >= n && memcmp(span.bytes, prefix, n) == 0;
}

bool span_is(struct span span, const char *text)
{
    return span.n == strlen(text) && span_starts(span, text);
}

bool span_has(struct span span, const char *text)
{
    return memmem(span.bytes, span.n, text, strlen(text)) != NULL;
}

bool span_blank(struct span span)
{
    return span_trim(span).n == 0;
}

bool span_comment(struct span span)
{
    span = span_trim(span);
    return span.n == 0 || span.bytes[0] == '#';
}

bool take_text(struct span *at, const char *text)
{
    if (!span_starts(*at, text)) {
        return false;
    }
    size_t n = strlen(text);
    at->bytes += n;
    at->n -= n;
    return true;
}

bool take_spaces(struct span *at)
{
    while (at->n && at->bytes[0] == ' ') {
        at->bytes++;
        at->n--;
    }
    return true;
}

bool take_digits(struct span *at, bool may_be_negative, struct span *digits)
{
    struct span rest = *at;
    if (may_be_negative) {
        take_text(&rest, "-");
    }
    size_t n = 0;
    while (n < rest.n && is_digit(rest.bytes[n])) {
        n++;
    }
    if (n == 0) {
        return false;
    }
    *digits = (struct span){at->bytes, (size_t)(rest.bytes - at->bytes) + n};
    *at = (struct span){rest.bytes + n, rest.n - n};
    return true;
}

bool span_number(struct span span, int base, int64_t *value)
{
    bool negative = take_text(&span, "-");
    if (!negative) {
        take_text(&span, "+");
    }
    if (base == 0) {
        base = take_text(&span, "0x") || take_text(&span, "0X") ? 16
               : span.n > 1 && span.bytes[0] == '0'             ? 8
                                                                : 10;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < span.n; i++) {
        char c = span.bytes[i];
        int digit = is_digit(c)                          ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : 99;
        if (digit >= base || __builtin_mul_overflow(number, (uint64_t)base, &number) ||
            __builtin_add_overflow(number, (uint64_t)digit, &number)) {
            return false;
        }
    }
    if (span.n == 0 || number > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    *value = (int64_t)(negative ? 0 - number : number);
    return true;
}

bool take_heap_figures(struct span *at, bool may_be_negative, struct span figures[4])
{
    struct span from = *at;
    while (from.n) {
        struct span rest = from;
        if (!is_digit(from.bytes[0]) && !(may_be_negative && from.bytes[0] == '-')) {
            from.bytes++;
            from.n--;
            continue;
        }
        if (!take_digits(&rest, may_be_negative, &figures[0])) {
            from.bytes++;
            from.n--;
            continue;
        }
        struct span behind = rest; /* no figure inside these digits can do better */
        if (take_text(&rest, ":") && take_spaces(&rest) &&
            take_digits(&rest, may_be_negative, &figures[1]) && take_spaces(&rest) &&
            take_text(&rest, "[") && take_spaces(&rest) && take_digits(&rest, false, &figures[2]) &&
            take_text(&rest, ":") && take_spaces(&rest) && take_digits(&rest, false, &figures[3]) &&
            take_spaces(&rest) && take_text(&rest, "]")) {
            *at = rest;
            return true;
        }
        from = behind;
    }
    return false;
}

/* ---- stacks ---- */

void legacy_builder_free(struct legacy_builder *builder)
{
    free(builder->addresses);
    free(builder->stacks);
    builder->addresses = NULL;
    builder->stacks = NULL;
    builder->n_addresses = builder->addresses_room = 0;
    builder->n_stacks = builder->stacks_room = 0;
}

struct legacy_stack *legacy_add_stack(struct legacy_builder *builder)
{
    MEMORY_ROOM(builder->stacks, builder->n_stacks, builder->stacks_room);
    struct legacy_stack *stack = &builder->stacks[builder->n_stacks++];
    *stack = (struct legacy_stack){.first = builder->n_addresses};
    return stack;
}

void legacy_add_address(struct legacy_builder *builder, uint64_t address)
{
    MEMORY_ROOM(builder->addresses, builder->n_addresses, builder->addresses_room);
    builder->addresses[builder->n_addresses++] = address;
    builder->stacks[builder->n_stacks - 1].n++;
}

bool legacy_add_addresses(struct legacy_builder *builder, struct span text)
{
    size_t i = 0;
    while (i + 2 < text.n) {
        if (text.bytes[i] != '0' || text.bytes[i + 1] != 'x') {
            i++;
            continue;
        }
        size_t from = i += 2;
        uint64_t address = 0;
        for (; i < text.n; i++) {
            char c = text.bytes[i];
            if (!is_digit(c) && !(c >= 'a' && c <= 'f')) {
                break;
            }
            if (address >> 60) {
                return false;
            }
            address = address << 4 | (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
        }
        if (i > from) {
            legacy_add_address(builder, address);
        }
    }
    return true;
}

void legacy_adjust(struct legacy_builder *builder, enum legacy_adjust adjust)
{
    for (size_t s = 0; s < builder->n_stacks && adjust != LEGACY_ADJUST_NONE; s++) {
        const struct legacy_stack *stack = &builder->stacks[s];
        for (uint32_t i = adjust == LEGACY_ADJUST_CALLERS; i < stack->n; i++) {
            builder->addresses[stack->first + i]--;
        }
    }
}

void legacy_drop_second_leaf(struct legacy_builder *builder)
{
    for (size_t s = 0; s < builder->n_stacks; s++) {
        struct legacy_stack *stack = &builder->stacks[s];
        if (stack->n < 2) {
            continue; /* there may be no addresses at all */
        }
        uint64_t *frames = builder->addresses + stack->first;
        if (frames[0] == frames[1] + 1) {
            frames[1] = frames[0];
            stack->first++;
            stack->n--;
        }
    }
}

void legacy_build(struct legacy_builder *builder)
{
    struct profile *p = builder->profile;
    struct arena scratch;
    arena_init(&scratch, 0);
    struct id_table known;
    if (!id_table_init(&known, &scratch, 0)) {
        p->arena.failed = true;
        return;
    }
    uint32_t deepest = 0;
    for (size_t s = 0; s < builder->n_stacks; s++) {
        deepest = builder->stacks[s].n > deepest ? builder->stacks[s].n : deepest;
    }
    uint32_t *frames = memory_array(deepest, sizeof *frames);
    string_id bytes = profile_intern_text(p, "bytes");
    for (size_t s = 0; s < builder->n_stacks && !p->arena.failed; s++) {
        const struct legacy_stack *stack = &builder->stacks[s];
        for (uint32_t i = 0; i < stack->n; i++) {
            uint64_t address = builder->addresses[stack->first + i];
            frames[i] = id_table_find(&known, address);
            if (frames[i] != UINT32_MAX) {
                continue;
            }
            struct profile_location location = {
                .id = p->n_locations + UINT64_C(1),
                .address = address,
                .mapping = PROFILE_NONE,
            };
            frames[i] = profile_add_location(p, &location, NULL, 0);
            if (id_table_add(&known, address, frames[i]) < 0) {
                p->arena.failed = true;
            }
        }
        struct profile_label label = {.key = bytes, .num = stack->bytes};
        profile_add_sample(p, frames, stack->n, stack->values, &label, stack->has_bytes);
    }
    free(frames);
    arena_free(&scratch);
}

/* What Go makes of a double on amd64. */
static int64_t whole(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

void legacy_unsample(int64_t *count, int64_t *size, int64_t rate)
{
    if (*count == 0 || *size == 0) {
        *count = *size = 0;
    } else if (rate > 1) {
        double mean = (double)*size / (double)*count;
        double scale = 1 / (1 - exp(-mean / (double)rate));
        *count = whole((double)*count * scale);
        *size = whole((double)*size * scale);
    }
}

enum legacy_result legacy_wrong(struct legacy_builder *builder, const char *what, struct span line)
{
    profile_error_set(builder->error, PROFILE_ERROR_MALFORMED, "parsing profile: %s: %.*s", what,
                      (int)(line.n < 100 ? line.n : 100), line.bytes);
    return LEGACY_WRONG;
}
