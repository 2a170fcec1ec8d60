/* tag_frames.c - see tag_frames.h. */
#include "tag_frames.h"

#include "key_table.h"
#include "message.h"
#include "units.h"

#include <stdio.h>
#include <string.h>

struct key_list {
    string_id *ids;
    uint32_t n;
    bool matched;
};

struct tag_frames {
    struct profile *profile;
    struct key_table table;
    uint32_t *locations; /* made here: indices into profile->locations */
    uint32_t n_locations, room;
    uint64_t next_location_id, next_function_id;
};

static void split_keys(struct profile *profile, const char *keys, struct key_list *list)
{
    size_t room = 0;
    for (const char *at = keys; *at;) {
        size_t n = strcspn(at, ",");
        if (n > 0) {
            MEMORY_ROOM(list->ids, list->n, room);
            list->ids[list->n++] = profile_intern(profile, at, n);
        }
        at += n + (at[n] == ',');
    }
}

/* One location for each pair of text and key. */
static uint32_t intern_location(struct tag_frames *frames, string_id name, string_id key)
{
    struct profile *p = frames->profile;
    uint64_t hash = key_hash(key_hash(hash_seed(), name), key);
    struct key_cursor at = key_table_at(&frames->table, hash);
    uint32_t i;
    while ((i = key_table_next(&frames->table, &at)) != KEY_NONE) {
        const struct profile_line *line = &p->lines[p->locations[frames->locations[i]].first_line];
        const struct profile_function *function = &p->functions[line->function];
        if (function->name == name && function->filename == key) {
            return frames->locations[i];
        }
    }
    struct profile_function function = {
        .id = frames->next_function_id++, .name = name, .filename = key};
    struct profile_location location = {.id = frames->next_location_id++, .mapping = PROFILE_NONE};
    struct profile_line line = {.function = profile_add_function(p, &function)};
    uint32_t id = profile_add_location(p, &location, &line, 1);
    MEMORY_ROOM(frames->locations, frames->n_locations, frames->room);
    frames->locations[frames->n_locations] = id;
    key_table_add(&frames->table, hash, frames->n_locations++);
    return id;
}

static uint32_t location_of(struct tag_frames *frames, const struct profile_sample *sample,
                            string_id key, const char *unit, bool *matched)
{
    const struct profile *p = frames->profile;
    const struct profile_label *labels = p->labels + sample->first_label;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        return PROFILE_NONE;
    }
    bool any = false, has_units = false;
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        has_units |= labels[i].key == key && !labels[i].str && labels[i].num_unit;
    }
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        char figure[UNIT_TEXT_ROOM];
        if (labels[i].key != key) {
            continue;
        }
        if (any) {
            fputc(',', out);
        }
        any = true;
        if (labels[i].str) {
            fwrite(profile_text(p, labels[i].str), 1, p->strings[labels[i].str].length, out);
        } else {
            fputs(unit_label(figure, sizeof figure, labels[i].num,
                             has_units ? profile_text(p, labels[i].num_unit) : "",
                             has_units ? unit : ""),
                  out);
        }
    }
    fclose(out);
    *matched |= any;
    string_id name = profile_intern(frames->profile, text, length);
    free(text);
    return intern_location(frames, name, key);
}

bool tag_frames_add(struct profile *profile, const char *root_keys, const char *leaf_keys,
                    const char *unit)
{
    struct key_list roots = {0}, leaves = {0};
    struct tag_frames frames = {.profile = profile};
    split_keys(profile, root_keys, &roots);
    split_keys(profile, leaf_keys, &leaves);
    if (roots.n + leaves.n > 0) {
        for (uint32_t l = 0; l < profile->n_locations; l++) {
            if (profile->locations[l].id >= frames.next_location_id) {
                frames.next_location_id = profile->locations[l].id + 1;
            }
        }
        for (uint32_t f = 0; f < profile->n_functions; f++) {
            if (profile->functions[f].id >= frames.next_function_id) {
                frames.next_function_id = profile->functions[f].id + 1;
            }
        }
        size_t total = profile->n_sample_locations;
        total += (size_t)profile->n_samples * (roots.n + leaves.n);
        uint32_t *stacks = NULL;
        if (total <= UINT32_MAX) {
            stacks = arena_array(&profile->arena, total, sizeof *stacks);
        }
        if (!stacks) {
            profile->arena.failed = true;
        }
        uint32_t n = 0;
        for (uint32_t s = 0; stacks && s < profile->n_samples; s++) {
            struct profile_sample *sample = &profile->samples[s];
            uint32_t first = n, root = n + leaves.n + sample->n_locations;
            /* Roots before leaves: the order in which pprof numbers the new locations. */
            for (uint32_t k = roots.n; k-- > 0;) {
                stacks[root++] = location_of(&frames, sample, roots.ids[k], unit, &roots.matched);
            }
            for (uint32_t k = leaves.n; k-- > 0;) {
                stacks[n++] = location_of(&frames, sample, leaves.ids[k], unit, &leaves.matched);
            }
            memcpy(stacks + n, profile->sample_locations + sample->first_location,
                   sample->n_locations * sizeof *stacks);
            n = root;
            sample->first_location = first;
            sample->n_locations = n - first;
        }
        if (stacks) {
            profile->sample_locations = stacks;
            profile->n_sample_locations = n;
            profile->room.sample_locations = (uint32_t)total;
        }
    }
    if (*root_keys && !roots.matched) {
        message_note("TagRoot expression matched no samples");
    }
    if (*leaf_keys && !leaves.matched) {
        message_note("TagLeaf expression matched no samples");
    }
    key_table_free(&frames.table);
    free(frames.locations);
    free(roots.ids);
    free(leaves.ids);
    return !profile->arena.failed;
}
