/* proto_test.h - what the tests of proto/ share: checks, seeded numbers, profiles to compare.
 *
 * Single-threaded test programs include it once.
 */
#ifndef APPROF_PROTO_TEST_H
#define APPROF_PROTO_TEST_H

#include "profile_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures __attribute__((unused));

#define CHECK(condition, ...)                                      \
    do {                                                           \
        if (!(condition)) {                                        \
            check_failures++;                                      \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            printf(__VA_ARGS__);                                   \
            printf("\n");                                          \
        }                                                          \
    } while (0)

static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Below n; 0 for n == 0. */
static inline uint64_t test_below(uint64_t *state, uint64_t n)
{
    return n ? test_random(state) % n : 0;
}

/* A number of any magnitude, often 0, sometimes negative. */
static inline int64_t test_any(uint64_t *state)
{
    uint64_t bits = test_random(state);
    return test_below(state, 4) ? (int64_t)(bits >> test_below(state, 64)) : 0;
}

static inline string_id test_text(struct profile *p, uint64_t *state)
{
    char bytes[12];
    size_t n = test_below(state, sizeof bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)test_random(state); /* any byte, NUL too: no UTF-8 is asked for */
    return profile_intern(p, bytes, n);
}

/* A valid profile with a bit of everything. */
static inline void test_profile(struct profile *p, uint64_t seed)
{
    uint64_t state = seed, *s = &state;
    profile_init(p, 0);
    uint32_t types = (uint32_t)test_below(s, 5);
    for (uint32_t i = 0; i < types; i++) {
        char name[16];
        snprintf(name, sizeof name, "type%u", i);
        profile_add_sample_type(p, name, i % 2 ? "count" : "bytes");
    }
    for (uint64_t i = test_below(s, 4); i; i--)
        profile_add_comment(p, i % 2 ? "# a comment" : "another");
    uint32_t mappings = (uint32_t)test_below(s, 4), functions = (uint32_t)test_below(s, 9);
    for (uint32_t i = 0; i < mappings; i++) {
        struct profile_mapping m = {.id = i + 1,
                                    .start = test_random(s),
                                    .limit = test_random(s),
                                    .offset = (uint64_t)test_any(s),
                                    .filename = test_text(p, s),
                                    .build_id = test_text(p, s),
                                    .has_functions = test_below(s, 2),
                                    .has_filenames = test_below(s, 2),
                                    .has_line_numbers = test_below(s, 2),
                                    .has_inline_frames = test_below(s, 2)};
        profile_add_mapping(p, &m);
    }
    for (uint32_t i = 0; i < functions; i++) {
        struct profile_function f = {.id = i + 1,
                                     .name = test_text(p, s),
                                     .system_name = test_text(p, s),
                                     .filename = test_text(p, s),
                                     .start_line = test_any(s)};
        profile_add_function(p, &f);
    }
    uint32_t locations = (uint32_t)test_below(s, 20);
    for (uint32_t i = 0; i < locations; i++) {
        struct profile_location l = {.id = i + 1,
                                     .address = (uint64_t)test_any(s),
                                     .mapping = mappings && test_below(s, 3)
                                                    ? (uint32_t)test_below(s, mappings)
                                                    : PROFILE_NONE,
                                     .is_folded = test_below(s, 2)};
        struct profile_line lines[3];
        uint32_t n = functions ? (uint32_t)test_below(s, 4) : 0;
        for (uint32_t k = 0; k < n; k++)
            lines[k] = (struct profile_line){.function = (uint32_t)test_below(s, functions),
                                             .line = test_any(s),
                                             .column = test_any(s)};
        profile_add_location(p, &l, lines, n);
    }
    for (uint64_t i = types ? test_below(s, 40) : 0; i; i--) {
        uint32_t stack[40];
        uint32_t n = locations ? (uint32_t)test_below(s, 40) : 0;
        for (uint32_t k = 0; k < n; k++)
            stack[k] = (uint32_t)test_below(s, locations);
        int64_t values[5];
        for (uint32_t k = 0; k < types; k++)
            values[k] = test_any(s);
        struct profile_label labels[4];
        uint32_t n_labels = (uint32_t)test_below(s, 5);
        for (uint32_t k = 0; k < n_labels; k++) {
            labels[k] = (struct profile_label){.key = test_text(p, s)};
            if (test_below(s, 2) && (labels[k].str = test_text(p, s)))
                continue;
            labels[k].num = (int64_t)(test_random(s) | 1); /* 0 without a unit would be dropped */
            labels[k].num_unit = test_text(p, s);
        }
        profile_add_sample(p, stack, n, values, labels, n_labels);
    }
    p->period_type = (struct profile_value_type){test_text(p, s), test_text(p, s)};
    p->period = test_any(s);
    p->time_nanos = test_any(s);
    p->duration_nanos = test_any(s);
    p->drop_frames = test_text(p, s);
    p->keep_frames = test_text(p, s);
    p->default_sample_type = test_text(p, s);
    p->doc_url = test_text(p, s);
}

static inline bool same_text(const struct profile *a, string_id i, const struct profile *b,
                             string_id k)
{
    return a->strings[i].length == b->strings[k].length &&
           memcmp(a->strings[i].bytes, b->strings[k].bytes, a->strings[i].length) == 0;
}

/* NULL when two profiles say the same (ids and string indices apart), else what differs. */
static inline const char *profile_difference(const struct profile *a, const struct profile *b)
{
#define SAME_NUMBER(x) \
    if (a->x != b->x)  \
    return #x
#define SAME_TEXT(x)                  \
    if (!same_text(a, a->x, b, b->x)) \
    return #x
    SAME_NUMBER(n_sample_types);
    SAME_NUMBER(n_comments);
    SAME_NUMBER(n_samples);
    SAME_NUMBER(n_mappings);
    SAME_NUMBER(n_functions);
    SAME_NUMBER(n_locations);
    SAME_NUMBER(period);
    SAME_NUMBER(time_nanos);
    SAME_NUMBER(duration_nanos);
    SAME_TEXT(period_type.type);
    SAME_TEXT(period_type.unit);
    SAME_TEXT(drop_frames);
    SAME_TEXT(keep_frames);
    SAME_TEXT(default_sample_type);
    SAME_TEXT(doc_url);
    for (uint32_t i = 0; i < a->n_sample_types; i++) {
        SAME_TEXT(sample_types[i].type);
        SAME_TEXT(sample_types[i].unit);
    }
    for (uint32_t i = 0; i < a->n_comments; i++)
        SAME_TEXT(comments[i]);
    for (uint32_t i = 0; i < a->n_mappings; i++) {
        SAME_NUMBER(mappings[i].start);
        SAME_NUMBER(mappings[i].limit);
        SAME_NUMBER(mappings[i].offset);
        SAME_NUMBER(mappings[i].has_functions);
        SAME_NUMBER(mappings[i].has_filenames);
        SAME_NUMBER(mappings[i].has_line_numbers);
        SAME_NUMBER(mappings[i].has_inline_frames);
        SAME_TEXT(mappings[i].filename);
        SAME_TEXT(mappings[i].build_id);
    }
    for (uint32_t i = 0; i < a->n_functions; i++) {
        SAME_NUMBER(functions[i].start_line);
        SAME_TEXT(functions[i].name);
        SAME_TEXT(functions[i].system_name);
        SAME_TEXT(functions[i].filename);
    }
    for (uint32_t i = 0; i < a->n_locations; i++) {
        SAME_NUMBER(locations[i].address);
        SAME_NUMBER(locations[i].mapping);
        SAME_NUMBER(locations[i].is_folded);
        SAME_NUMBER(locations[i].n_lines);
        for (uint32_t k = 0; k < a->locations[i].n_lines; k++) {
            const struct profile_line *x = &a->lines[a->locations[i].first_line + k];
            const struct profile_line *y = &b->lines[b->locations[i].first_line + k];
            if (x->function != y->function || x->line != y->line || x->column != y->column)
                return "a line";
        }
    }
    for (uint32_t i = 0; i < a->n_samples; i++) {
        SAME_NUMBER(samples[i].n_locations);
        SAME_NUMBER(samples[i].n_labels);
        for (uint32_t k = 0; k < a->n_sample_types; k++)
            SAME_NUMBER(values[(size_t)i * a->n_sample_types + k]);
        for (uint32_t k = 0; k < a->samples[i].n_locations; k++)
            if (a->sample_locations[a->samples[i].first_location + k] !=
                b->sample_locations[b->samples[i].first_location + k])
                return "a sample's location";
        for (uint32_t k = 0; k < a->samples[i].n_labels; k++) {
            const struct profile_label *x = &a->labels[a->samples[i].first_label + k];
            const struct profile_label *y = &b->labels[b->samples[i].first_label + k];
            if (!same_text(a, x->key, b, y->key) || !same_text(a, x->str, b, y->str) ||
                !same_text(a, x->num_unit, b, y->num_unit) || x->num != y->num)
                return "a label";
        }
    }
#undef SAME_NUMBER
#undef SAME_TEXT
    return NULL;
}

/* NULL when every index of a profile is in range, as everything that reads profiles relies on. */
static inline const char *profile_out_of_range(const struct profile *p)
{
#define TEXT_OK(x)           \
    if ((x) >= p->n_strings) \
    return #x
    if (!p->n_strings || p->strings[0].length)
        return "strings[0]";
    TEXT_OK(p->period_type.type);
    TEXT_OK(p->period_type.unit);
    TEXT_OK(p->drop_frames);
    TEXT_OK(p->keep_frames);
    TEXT_OK(p->default_sample_type);
    TEXT_OK(p->doc_url);
    for (uint32_t i = 0; i < p->n_strings; i++)
        if (p->strings[i].bytes[p->strings[i].length])
            return "a string without an end";
    for (uint32_t i = 0; i < p->n_sample_types; i++) {
        TEXT_OK(p->sample_types[i].type);
        TEXT_OK(p->sample_types[i].unit);
    }
    for (uint32_t i = 0; i < p->n_comments; i++)
        TEXT_OK(p->comments[i]);
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        TEXT_OK(p->mappings[i].filename);
        TEXT_OK(p->mappings[i].build_id);
    }
    for (uint32_t i = 0; i < p->n_functions; i++) {
        TEXT_OK(p->functions[i].name);
        TEXT_OK(p->functions[i].system_name);
        TEXT_OK(p->functions[i].filename);
    }
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *l = &p->locations[i];
        if (l->mapping != PROFILE_NONE && l->mapping >= p->n_mappings)
            return "a mapping";
        if ((uint64_t)l->first_line + l->n_lines > p->n_lines)
            return "lines";
        for (uint32_t k = 0; k < l->n_lines; k++)
            if (p->lines[l->first_line + k].function >= p->n_functions)
                return "a function";
    }
    for (uint32_t i = 0; i < p->n_samples; i++) {
        const struct profile_sample *s = &p->samples[i];
        if ((uint64_t)s->first_location + s->n_locations > p->n_sample_locations ||
            (uint64_t)s->first_label + s->n_labels > p->n_labels)
            return "a sample's parts";
        for (uint32_t k = 0; k < s->n_locations; k++)
            if (p->sample_locations[s->first_location + k] >= p->n_locations)
                return "a location";
        for (uint32_t k = 0; k < s->n_labels; k++) {
            TEXT_OK(p->labels[s->first_label + k].key);
            TEXT_OK(p->labels[s->first_label + k].str);
            TEXT_OK(p->labels[s->first_label + k].num_unit);
        }
        for (uint32_t k = 0; k < p->n_sample_types; k++) { /* for the sanitizer to look at */
            volatile int64_t value = p->values[(size_t)i * p->n_sample_types + k];
            (void)value;
        }
    }
#undef TEXT_OK
    return NULL;
}

#endif
