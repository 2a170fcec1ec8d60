/* profile_edit.c - see profile_edit.h. */
#include "profile_edit.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_strings(const struct profile_string *a, const struct profile_string *b)
{
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->bytes, b->bytes, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* String labels first, then by key. */
static bool label_after(const struct profile *p, const struct profile_label *a,
                        const struct profile_label *b)
{
    if (!a->str != !b->str) {
        return !a->str;
    }
    return a->key != b->key && compare_strings(&p->strings[a->key], &p->strings[b->key]) > 0;
}

static void sort_labels(struct profile *profile)
{
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        struct profile_label *labels = profile->labels + profile->samples[s].first_label;
        /* Few and mostly in order. Insertion keeps equal keys in place; a hostile sample with very
         * many labels would make it slow, so those go through a merge sort. */
        uint32_t n = profile->samples[s].n_labels;
        if (n <= 64) {
            for (uint32_t i = 1; i < n; i++) {
                struct profile_label label = labels[i];
                uint32_t k = i;
                while (k > 0 && label_after(profile, &labels[k - 1], &label)) {
                    labels[k] = labels[k - 1];
                    k--;
                }
                labels[k] = label;
            }
            continue;
        }
        struct profile_label *other = memory_array(n, sizeof *other);
        struct profile_label *from = labels, *to = other;
        for (uint32_t width = 1; width<n; width = width> n / 2 ? n : width * 2) {
            for (uint32_t low = 0; low < n; low += 2 * width) {
                uint32_t middle = n - low > width ? low + width : n;
                uint32_t high = n - middle > width ? middle + width : n;
                uint32_t a = low, b = middle;
                for (uint32_t k = low; k < high; k++) {
                    bool right =
                        a >= middle || (b < high && label_after(profile, &from[a], &from[b]));
                    to[k] = right ? from[b++] : from[a++];
                }
                if (n - low <= 2 * width) {
                    break;
                }
            }
            struct profile_label *swap = from;
            from = to;
            to = swap;
        }
        if (from != labels) {
            memcpy(labels, from, n * sizeof *labels);
        }
        free(other);
    }
}

static void map_id(const string_id *map, string_id *id)
{
    *id = map[*id];
}

static void unify_strings(struct profile *p)
{
    string_id *map = memory_array(p->n_strings, sizeof *map);
    bool same = true;
    uint32_t n = p->n_strings;
    for (uint32_t s = 0; s < n; s++) {
        map[s] = profile_intern(p, p->strings[s].bytes, p->strings[s].length);
        same &= map[s] == s;
    }
    if (!same) {
        for (uint32_t i = 0; i < p->n_sample_types; i++) {
            map_id(map, &p->sample_types[i].type);
            map_id(map, &p->sample_types[i].unit);
        }
        map_id(map, &p->period_type.type);
        map_id(map, &p->period_type.unit);
        map_id(map, &p->drop_frames);
        map_id(map, &p->keep_frames);
        map_id(map, &p->default_sample_type);
        map_id(map, &p->doc_url);
        for (uint32_t i = 0; i < p->n_comments; i++) {
            map_id(map, &p->comments[i]);
        }
        for (uint32_t i = 0; i < p->n_labels; i++) {
            map_id(map, &p->labels[i].key);
            map_id(map, &p->labels[i].str);
            map_id(map, &p->labels[i].num_unit);
        }
        for (uint32_t i = 0; i < p->n_mappings; i++) {
            map_id(map, &p->mappings[i].filename);
            map_id(map, &p->mappings[i].build_id);
        }
        for (uint32_t i = 0; i < p->n_functions; i++) {
            map_id(map, &p->functions[i].name);
            map_id(map, &p->functions[i].system_name);
            map_id(map, &p->functions[i].filename);
        }
    }
    free(map);
}

void profile_tidy(struct profile *profile)
{
    unify_strings(profile);
    sort_labels(profile);
}

static bool copy_array(struct arena *arena, void *field, const void *from, size_t n, size_t size)
{
    void *to = arena_array(arena, n, size);
    if (to && n) {
        memcpy(to, from, n * size);
    }
    memcpy(field, &to, sizeof to);
    return to != NULL;
}

#define COPY(name, count) \
    copy_array(&to->arena, &to->name, from->name, from->count, sizeof *from->name)

bool profile_clone(const struct profile *from, struct profile *to)
{
    *to = *from;
    arena_init(&to->arena, 0);
    to->string_index = NULL;
    to->string_index_size = 0;
    memset(&to->room, 0, sizeof to->room);
    size_t n_values = (size_t)from->n_samples * from->n_sample_types;
    if (COPY(sample_types, n_sample_types) && COPY(comments, n_comments) &&
        COPY(samples, n_samples) && COPY(sample_locations, n_sample_locations) &&
        COPY(labels, n_labels) && COPY(mappings, n_mappings) && COPY(locations, n_locations) &&
        COPY(lines, n_lines) && COPY(functions, n_functions) && COPY(strings, n_strings) &&
        copy_array(&to->arena, &to->values, from->values, n_values, sizeof *from->values)) {
        to->room.sample_types = to->n_sample_types;
        to->room.comments = to->n_comments;
        to->room.samples = to->n_samples;
        to->room.sample_locations = to->n_sample_locations;
        to->room.labels = to->n_labels;
        to->room.mappings = to->n_mappings;
        to->room.locations = to->n_locations;
        to->room.lines = to->n_lines;
        to->room.functions = to->n_functions;
        to->room.strings = to->n_strings;
        return true;
    }
    arena_free(&to->arena);
    return false;
}

string_id profile_find_text(const struct profile *profile, const char *text)
{
    size_t n = strlen(text);
    for (uint32_t s = 0; s < profile->n_strings; s++) {
        if (profile->strings[s].length == n && memcmp(profile->strings[s].bytes, text, n) == 0) {
            return s;
        }
    }
    return PROFILE_NONE;
}

void profile_remove_label(struct profile *profile, const char *key)
{
    string_id id = profile_find_text(profile, key);
    for (uint32_t s = 0; id != PROFILE_NONE && s < profile->n_samples; s++) {
        struct profile_sample *sample = &profile->samples[s];
        struct profile_label *labels = profile->labels + sample->first_label;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < sample->n_labels; i++) {
            if (labels[i].key != id || !labels[i].str) {
                labels[kept++] = labels[i];
            }
        }
        sample->n_labels = kept;
    }
}

void profile_set_label(struct profile *profile, const char *key, const char *value)
{
    profile_remove_label(profile, key);
    struct profile_label label = {.key = profile_intern_text(profile, key),
                                  .str = profile_intern_text(profile, value)};
    uint32_t room = profile->n_labels + profile->n_samples, n = 0;
    struct profile_label *labels = arena_array(&profile->arena, room, sizeof *labels);
    if (!labels || label.key == PROFILE_NONE || label.str == PROFILE_NONE) {
        return; /* arena.failed tells */
    }
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        struct profile_sample *sample = &profile->samples[s];
        uint32_t first = n;
        memcpy(labels + n, profile->labels + sample->first_label,
               sample->n_labels * sizeof *labels);
        n += sample->n_labels;
        labels[n++] = label;
        sample->first_label = first;
        sample->n_labels++;
    }
    profile->labels = labels;
    profile->n_labels = n;
    profile->room.labels = room;
    sort_labels(profile);
}

void profile_drop_columns(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->n_lines; i++) {
        profile->lines[i].column = 0;
    }
}
