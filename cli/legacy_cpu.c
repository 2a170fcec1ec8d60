/* legacy_cpu.c - gperftools' binary CPU profiles: words of 4 or 8 bytes in either order. */
#include "legacy_input.h"

#include "id_table.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct words {
    const uint8_t *at, *end;
    size_t size; /* 4 or 8 */
    bool big_endian;
};

static bool next_word(struct words *words, uint64_t *word)
{
    if ((size_t)(words->end - words->at) < words->size) {
        words->at = words->end;
        return false;
    }
    *word = 0;
    for (size_t i = 0; i < words->size; i++) {
        size_t from = words->big_endian ? i : words->size - 1 - i;
        *word = *word << 8 | words->at[from];
    }
    words->at += words->size;
    return true;
}

/* 0, 3, kind (1 is Java), period in microseconds, 0. */
static bool read_header(struct words *words, uint64_t *kind, uint64_t *period)
{
    uint64_t zero, three, padding;
    return next_word(words, &zero) && next_word(words, &three) && next_word(words, kind) &&
           next_word(words, period) && next_word(words, &padding) && zero == 0 && three == 3 &&
           *kind <= 1 && *period > 0 && padding == 0;
}

/* Records of count, depth and addresses, until the one that says 0, 1, 0. */
static bool read_samples(struct legacy_builder *builder, struct words *words)
{
    int64_t period = builder->profile->period;
    while (words->at < words->end) {
        uint64_t count, depth, address;
        if (!next_word(words, &count) || !next_word(words, &depth) ||
            depth > (uint64_t)(words->end - words->at) / 4) {
            return false;
        }
        struct legacy_stack *stack = legacy_add_stack(builder);
        stack->values[0] = (int64_t)count;
        stack->values[1] = (int64_t)(count * (uint64_t)period);
        for (uint64_t i = 0; i < depth; i++) {
            if (!next_word(words, &address)) {
                address = 0;
            }
            legacy_add_address(builder, address);
        }
        if (count == 0 && depth == 1 && address == 0) {
            builder->n_stacks--;
            builder->n_addresses--;
            break;
        }
    }
    return true;
}

/* A second frame that (nearly) all stacks share is the signal handler's: it is taken out. */
static void drop_handler_frame(struct legacy_builder *builder)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    struct id_table known;
    size_t n = builder->n_stacks, n_known = 0;
    size_t *counts = memory_array(n, sizeof *counts);
    bool fine = id_table_init(&known, &scratch, 0), found = false;
    uint64_t common = 0;
    for (size_t s = 0; s < n && fine; s++) {
        const struct legacy_stack *stack = &builder->stacks[s];
        if (stack->n < 2) {
            continue;
        }
        uint64_t second = builder->addresses[stack->first + 1];
        int added = id_table_add(&known, second, (uint32_t)n_known);
        fine = added >= 0;
        n_known += added == 1;
        uint32_t index = id_table_find(&known, second);
        if (fine && ++counts[index] >= n - n / 32 && !found) {
            found = true;
            common = second;
        }
    }
    for (size_t s = 0; s < n && found; s++) {
        struct legacy_stack *stack = &builder->stacks[s];
        uint64_t *frames = builder->addresses + stack->first;
        if (stack->n > 1 && frames[1] == common) {
            frames[1] = frames[0];
            stack->first++;
            stack->n--;
        }
    }
    free(counts);
    arena_free(&scratch);
}

enum legacy_result legacy_cpu(struct legacy_builder *builder, struct legacy_text text)
{
    static const struct words orders[] = {
        {.size = 4}, {.size = 4, .big_endian = true}, {.size = 8}, {.size = 8, .big_endian = true}};
    struct profile *p = builder->profile;
    struct words words;
    uint64_t kind = 0, period = 0;
    bool found = false;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0] && !found; i++) {
        words = orders[i];
        words.at = (const uint8_t *)text.at;
        words.end = (const uint8_t *)text.end;
        found = read_header(&words, &kind, &period);
    }
    if (!found) {
        return LEGACY_OTHER;
    }
    p->period_type.type = profile_intern_text(p, "cpu");
    p->period_type.unit = profile_intern_text(p, "nanoseconds");
    p->period = (int64_t)(period * 1000);
    profile_add_sample_type(p, "samples", "count");
    profile_add_sample_type(p, "cpu", "nanoseconds");
    if (!read_samples(builder, &words)) {
        return LEGACY_OTHER;
    }
    text.at = (const char *)words.at;
    if (kind == 1) {
        legacy_build(builder);
        return legacy_java_locations(builder, text) ? LEGACY_DONE : LEGACY_WRONG;
    }
    legacy_adjust(builder, LEGACY_ADJUST_CALLERS);
    drop_handler_frame(builder);
    drop_handler_frame(builder);
    legacy_drop_second_leaf(builder);
    legacy_build(builder);
    legacy_read_maps(&text, p);
    return LEGACY_DONE;
}
