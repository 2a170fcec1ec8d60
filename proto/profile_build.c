/* profile_build.c - making profiles: growing arrays, interned strings (see profile.h). */
#include "profile.h"

#include "hash.h"

#include <string.h>

/* Makes room for count entries in an array of n used ones; false when it can't. */
static bool reserve(struct arena *arena, void **array, uint32_t n, uint32_t *room, uint32_t count,
                    size_t size)
{
    uint64_t need = (uint64_t)n + count;
    if (need <= *room)
        return true;
    if (need >= PROFILE_NONE) {
        arena->failed = true;
        return false;
    }
    uint64_t want = *room ? 2 * (uint64_t)*room : 16;
    if (want < need)
        want = need;
    if (want >= PROFILE_NONE)
        want = PROFILE_NONE - 1;
    void *grown = arena_grow(arena, *array, *room * size, want * size);
    if (!grown)
        return false;
    *array = grown;
    *room = (uint32_t)want;
    return true;
}

#define RESERVE(profile, name, count)                                          \
    reserve(&(profile)->arena, (void **)&(profile)->name, (profile)->n_##name, \
            &(profile)->room.name, (count), sizeof *(profile)->name)

bool profile_init(struct profile *profile, size_t limit)
{
    *profile = (struct profile){0};
    arena_init(&profile->arena, limit);
    if (profile_intern(profile, "", 0) == 0)
        return true;
    arena_free(&profile->arena);
    return false;
}

void profile_free(struct profile *profile)
{
    arena_free(&profile->arena);
    *profile = (struct profile){0};
}

/* ---- strings ---- */

static void index_insert(uint32_t *index, uint32_t mask, const struct profile_string *string,
                         uint32_t id)
{
    uint32_t at = (uint32_t)hash_bytes(hash_seed(), string->bytes, string->length) & mask;
    while (index[at] != PROFILE_NONE)
        at = (at + 1) & mask;
    index[at] = id;
}

/* Keeps the hash table at most half full. */
static bool index_reserve(struct profile *profile)
{
    uint64_t need = 2 * ((uint64_t)profile->n_strings + 1);
    if (profile->string_index_size >= need)
        return true;
    uint64_t size = 64;
    while (size < 2 * need)
        size *= 2;
    if (size > UINT32_C(1) << 31)
        return profile->arena.failed = true, false;
    uint32_t *index = arena_array(&profile->arena, size, sizeof *index);
    if (!index)
        return false;
    memset(index, 0xff, size * sizeof *index);
    for (uint32_t i = 0; i < profile->n_strings; i++)
        index_insert(index, (uint32_t)size - 1, &profile->strings[i], i);
    profile->string_index = index;
    profile->string_index_size = (uint32_t)size;
    return true;
}

string_id profile_intern(struct profile *profile, const char *bytes, size_t n)
{
    if (n >= UINT32_MAX || !index_reserve(profile)) {
        profile->arena.failed = true;
        return PROFILE_NONE;
    }
    uint32_t mask = profile->string_index_size - 1;
    uint32_t at = (uint32_t)hash_bytes(hash_seed(), bytes, n) & mask;
    for (; profile->string_index[at] != PROFILE_NONE; at = (at + 1) & mask) {
        const struct profile_string *known = &profile->strings[profile->string_index[at]];
        if (known->length == n && memcmp(known->bytes, bytes, n) == 0)
            return profile->string_index[at];
    }
    if (!RESERVE(profile, strings, 1))
        return PROFILE_NONE;
    char *copy = arena_copy(&profile->arena, bytes, n);
    if (!copy)
        return PROFILE_NONE;
    uint32_t id = profile->n_strings++;
    profile->strings[id] = (struct profile_string){.bytes = copy, .length = (uint32_t)n};
    profile->string_index[at] = id;
    return id;
}

string_id profile_intern_text(struct profile *profile, const char *text)
{
    return profile_intern(profile, text, strlen(text));
}

/* ---- everything else ---- */

uint32_t profile_add_sample_type(struct profile *profile, const char *type, const char *unit)
{
    string_id type_id = profile_intern_text(profile, type);
    string_id unit_id = profile_intern_text(profile, unit);
    if (type_id == PROFILE_NONE || unit_id == PROFILE_NONE || !RESERVE(profile, sample_types, 1))
        return PROFILE_NONE;
    profile->sample_types[profile->n_sample_types] =
        (struct profile_value_type){.type = type_id, .unit = unit_id};
    return profile->n_sample_types++;
}

uint32_t profile_add_comment(struct profile *profile, const char *text)
{
    string_id id = profile_intern_text(profile, text);
    if (id == PROFILE_NONE || !RESERVE(profile, comments, 1))
        return PROFILE_NONE;
    profile->comments[profile->n_comments] = id;
    return profile->n_comments++;
}

uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping)
{
    if (!RESERVE(profile, mappings, 1))
        return PROFILE_NONE;
    profile->mappings[profile->n_mappings] = *mapping;
    return profile->n_mappings++;
}

uint32_t profile_add_function(struct profile *profile, const struct profile_function *function)
{
    if (!RESERVE(profile, functions, 1))
        return PROFILE_NONE;
    profile->functions[profile->n_functions] = *function;
    return profile->n_functions++;
}

bool profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                       uint32_t n_lines)
{
    if (!RESERVE(profile, lines, n_lines))
        return false;
    profile->locations[location].first_line = profile->n_lines;
    profile->locations[location].n_lines = n_lines;
    if (n_lines)
        memcpy(profile->lines + profile->n_lines, lines, n_lines * sizeof *lines);
    profile->n_lines += n_lines;
    return true;
}

uint32_t profile_add_location(struct profile *profile, const struct profile_location *location,
                              const struct profile_line *lines, uint32_t n_lines)
{
    if (!RESERVE(profile, locations, 1))
        return PROFILE_NONE;
    profile->locations[profile->n_locations] = *location;
    if (!profile_set_lines(profile, profile->n_locations, lines, n_lines))
        return PROFILE_NONE;
    return profile->n_locations++;
}

/* values[] grows with samples[]: its room is room.samples * n_sample_types. */
static bool reserve_samples(struct profile *profile, uint32_t count)
{
    uint32_t old_room = profile->room.samples;
    if (!RESERVE(profile, samples, count))
        return false;
    if (profile->room.samples == old_room && profile->values)
        return true;
    size_t row = profile->n_sample_types * sizeof *profile->values;
    size_t old_size, new_size;
    if (__builtin_mul_overflow(old_room, row, &old_size) ||
        __builtin_mul_overflow(profile->room.samples, row, &new_size)) {
        profile->arena.failed = true;
    } else {
        int64_t *grown = arena_grow(&profile->arena, profile->values, old_size, new_size);
        if (grown) {
            profile->values = grown;
            return true;
        }
    }
    profile->room.samples = old_room; /* so that both arrays are tried again together */
    return false;
}

bool profile_reserve_samples(struct profile *profile, uint32_t samples, uint32_t locations,
                             uint32_t labels)
{
    return reserve_samples(profile, samples) && RESERVE(profile, sample_locations, locations) &&
           RESERVE(profile, labels, labels);
}

uint32_t profile_add_sample(struct profile *profile, const uint32_t *locations,
                            uint32_t n_locations, const int64_t *values,
                            const struct profile_label *labels, uint32_t n_labels)
{
    if (!reserve_samples(profile, 1) || !RESERVE(profile, sample_locations, n_locations) ||
        !RESERVE(profile, labels, n_labels))
        return PROFILE_NONE;
    uint32_t id = profile->n_samples++;
    profile->samples[id] = (struct profile_sample){.first_location = profile->n_sample_locations,
                                                   .n_locations = n_locations,
                                                   .first_label = profile->n_labels,
                                                   .n_labels = n_labels};
    if (n_locations)
        memcpy(profile->sample_locations + profile->n_sample_locations, locations,
               n_locations * sizeof *locations);
    profile->n_sample_locations += n_locations;
    if (n_labels)
        memcpy(profile->labels + profile->n_labels, labels, n_labels * sizeof *labels);
    profile->n_labels += n_labels;
    size_t row = profile->n_sample_types;
    if (row)
        memcpy(profile->values + id * row, values, row * sizeof *values);
    return id;
}
