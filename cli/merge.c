/* merge.c - the merge of profiles; units and sample types are made equal in merge_types.c. */
#include "merge.h"

#include "key_table.h"
#include "memory.h"
#include "merge_types.h"

#include <stdio.h>
#include <string.h>

struct merger {
    struct profile *out;
    const struct profile *from;
    struct key_table samples, locations, functions, mappings;
    /* From an index in `from` to one in `out`, KEY_NONE until it is needed. */
    uint32_t *string_map, *location_map, *function_map, *mapping_map;
    uint64_t *mapping_shift; /* of addresses, where a file was loaded elsewhere */
    uint32_t *locations_scratch;
    struct profile_label *labels_scratch;
    uint32_t locations_room, labels_room;
    struct profile_line *lines_scratch;
    uint32_t lines_room;
};

static string_id map_string(struct merger *m, string_id id)
{
    if (m->string_map[id] == KEY_NONE) {
        const struct profile_string *string = &m->from->strings[id];
        m->string_map[id] = profile_intern(m->out, string->bytes, string->length);
    }
    return m->string_map[id];
}

static uint64_t rounded_size(const struct profile_mapping *mapping)
{
    /* Loads of one file differ by less than a page. */
    uint64_t size = mapping->limit - mapping->start + 0xfff;
    return size - size % 0x1000;
}

static bool same_mapping(const struct profile_mapping *a, const struct profile_mapping *b)
{
    string_id a_name = a->build_id ? a->build_id : a->filename;
    string_id b_name = b->build_id ? b->build_id : b->filename;
    return rounded_size(a) == rounded_size(b) && a->offset == b->offset && a_name == b_name &&
           !a->build_id == !b->build_id;
}

static uint32_t map_mapping(struct merger *m, uint32_t index)
{
    if (index == PROFILE_NONE) {
        return PROFILE_NONE;
    }
    if (m->mapping_map[index] != KEY_NONE) {
        return m->mapping_map[index];
    }
    struct profile_mapping mapping = m->from->mappings[index];
    mapping.filename = map_string(m, mapping.filename);
    mapping.build_id = map_string(m, mapping.build_id);
    string_id name = mapping.build_id ? mapping.build_id : mapping.filename;
    uint64_t size = rounded_size(&mapping);
    uint64_t hash = key_hash(key_hash(key_hash(hash_seed() ^ 1, size), mapping.offset), name);
    struct key_cursor at = key_table_at(&m->mappings, hash);
    uint32_t id;
    while ((id = key_table_next(&m->mappings, &at)) != KEY_NONE) {
        const struct profile_mapping *other = &m->out->mappings[id];
        if (same_mapping(other, &mapping)) {
            m->mapping_shift[index] = other->start - mapping.start;
            return m->mapping_map[index] = id;
        }
    }
    mapping.id = m->out->n_mappings + 1;
    id = profile_add_mapping(m->out, &mapping);
    key_table_add(&m->mappings, hash, id);
    return m->mapping_map[index] = id;
}

static uint32_t map_function(struct merger *m, uint32_t index)
{
    if (m->function_map[index] != KEY_NONE) {
        return m->function_map[index];
    }
    struct profile_function function = m->from->functions[index];
    function.name = map_string(m, function.name);
    function.system_name = map_string(m, function.system_name);
    function.filename = map_string(m, function.filename);
    uint64_t hash = key_hash(key_hash(hash_seed() ^ 2, function.name), function.system_name);
    hash = key_hash(key_hash(hash, function.filename), (uint64_t)function.start_line);
    struct key_cursor at = key_table_at(&m->functions, hash);
    uint32_t id;
    while ((id = key_table_next(&m->functions, &at)) != KEY_NONE) {
        const struct profile_function *other = &m->out->functions[id];
        if (other->name == function.name && other->system_name == function.system_name &&
            other->filename == function.filename && other->start_line == function.start_line) {
            return m->function_map[index] = id;
        }
    }
    function.id = m->out->n_functions + 1;
    id = profile_add_function(m->out, &function);
    key_table_add(&m->functions, hash, id);
    return m->function_map[index] = id;
}

/* Of the columns only the outermost line's counts, as in pprof. */
static bool same_lines(const struct profile_line *a, const struct profile_line *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].function != b[i].function || a[i].line != b[i].line) {
            return false;
        }
    }
    return n == 0 || a[n - 1].column == b[n - 1].column;
}

static uint32_t map_location(struct merger *m, uint32_t index)
{
    if (m->location_map[index] != KEY_NONE) {
        return m->location_map[index];
    }
    struct profile_location location = m->from->locations[index];
    uint32_t old_mapping = location.mapping;
    location.mapping = map_mapping(m, old_mapping);
    uint64_t place = location.address;
    if (location.mapping != PROFILE_NONE) {
        location.address += m->mapping_shift[old_mapping];
        place = location.address - m->out->mappings[location.mapping].start;
    }
    if (location.n_lines > m->lines_room) {
        m->lines_room = location.n_lines * 2;
        m->lines_scratch = memory_resize(m->lines_scratch, m->lines_room, sizeof *m->lines_scratch);
    }
    uint64_t hash = key_hash(key_hash(hash_seed() ^ 3, place), location.mapping);
    hash = key_hash(hash, location.is_folded);
    for (uint32_t i = 0; i < location.n_lines; i++) {
        struct profile_line *line = &m->lines_scratch[i];
        *line = m->from->lines[location.first_line + i];
        line->function = map_function(m, line->function);
        hash = key_hash(key_hash(hash, line->function), (uint64_t)line->line);
    }
    struct key_cursor at = key_table_at(&m->locations, hash);
    uint32_t id;
    while ((id = key_table_next(&m->locations, &at)) != KEY_NONE) {
        const struct profile_location *other = &m->out->locations[id];
        uint64_t other_place = other->address;
        if (other->mapping != PROFILE_NONE) {
            other_place -= m->out->mappings[other->mapping].start;
        }
        if (other_place == place && other->mapping == location.mapping &&
            other->is_folded == location.is_folded && other->n_lines == location.n_lines &&
            same_lines(&m->out->lines[other->first_line], m->lines_scratch, location.n_lines)) {
            return m->location_map[index] = id;
        }
    }
    location.id = m->out->n_locations + 1;
    id = profile_add_location(m->out, &location, m->lines_scratch, location.n_lines);
    key_table_add(&m->locations, hash, id);
    return m->location_map[index] = id;
}

/* No locations may be a null pointer. */
static bool same_locations(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_labels(const struct profile_label *a, const struct profile_label *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].key != b[i].key || a[i].str != b[i].str || a[i].num != b[i].num ||
            a[i].num_unit != b[i].num_unit) {
            return false;
        }
    }
    return true;
}

static bool map_sample(struct merger *m, const struct profile_sample *sample, const int64_t *values)
{
    struct profile *out = m->out;
    if (sample->n_locations > m->locations_room) {
        m->locations_room = sample->n_locations * 2;
        m->locations_scratch =
            memory_resize(m->locations_scratch, m->locations_room, sizeof *m->locations_scratch);
    }
    if (sample->n_labels > m->labels_room) {
        m->labels_room = sample->n_labels * 2;
        m->labels_scratch =
            memory_resize(m->labels_scratch, m->labels_room, sizeof *m->labels_scratch);
    }
    uint64_t hash = hash_seed() ^ 4;
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint32_t location = map_location(m, m->from->sample_locations[sample->first_location + i]);
        m->locations_scratch[i] = location;
        hash = key_hash(hash, location);
    }
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        struct profile_label *label = &m->labels_scratch[i];
        *label = m->from->labels[sample->first_label + i];
        label->key = map_string(m, label->key);
        label->str = map_string(m, label->str);
        label->num_unit = map_string(m, label->num_unit);
        hash = key_hash(key_hash(hash, label->key), label->str);
        hash = key_hash(key_hash(hash, (uint64_t)label->num), label->num_unit);
    }
    struct key_cursor at = key_table_at(&m->samples, hash);
    uint32_t id;
    while ((id = key_table_next(&m->samples, &at)) != KEY_NONE) {
        const struct profile_sample *other = &out->samples[id];
        if (other->n_locations == sample->n_locations && other->n_labels == sample->n_labels &&
            same_locations(&out->sample_locations[other->first_location], m->locations_scratch,
                           sample->n_locations) &&
            same_labels(&out->labels[other->first_label], m->labels_scratch, sample->n_labels)) {
            int64_t *sums = &out->values[(size_t)id * out->n_sample_types];
            for (uint32_t v = 0; v < out->n_sample_types; v++) {
                sums[v] = (int64_t)((uint64_t)sums[v] + (uint64_t)values[v]);
            }
            return true;
        }
    }
    id = profile_add_sample(out, m->locations_scratch, sample->n_locations, values,
                            m->labels_scratch, sample->n_labels);
    if (id == PROFILE_NONE) {
        return false;
    }
    key_table_add(&m->samples, hash, id);
    return true;
}

static bool is_zero(const int64_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (values[i]) {
            return false;
        }
    }
    return true;
}

static bool merge_one(struct merger *m, const struct profile *from)
{
    m->from = from;
    m->string_map = memory_resize(m->string_map, from->n_strings, sizeof(uint32_t));
    m->location_map = memory_resize(m->location_map, from->n_locations, sizeof(uint32_t));
    m->function_map = memory_resize(m->function_map, from->n_functions, sizeof(uint32_t));
    m->mapping_map = memory_resize(m->mapping_map, from->n_mappings, sizeof(uint32_t));
    m->mapping_shift = memory_resize(m->mapping_shift, from->n_mappings, sizeof(uint64_t));
    memset(m->string_map, 0xff, from->n_strings * sizeof(uint32_t));
    memset(m->location_map, 0xff, from->n_locations * sizeof(uint32_t));
    memset(m->function_map, 0xff, from->n_functions * sizeof(uint32_t));
    memset(m->mapping_map, 0xff, from->n_mappings * sizeof(uint32_t));
    memset(m->mapping_shift, 0, from->n_mappings * sizeof(uint64_t));
    /* The first mapping is the main program, referred to or not. */
    if (m->out->n_mappings == 0 && from->n_mappings > 0) {
        map_mapping(m, 0);
    }
    for (uint32_t s = 0; s < from->n_samples; s++) {
        const int64_t *values = &from->values[(size_t)s * from->n_sample_types];
        if (!is_zero(values, from->n_sample_types) && !map_sample(m, &from->samples[s], values)) {
            return false;
        }
    }
    return !m->out->arena.failed;
}

static void merge_comments(const struct profile *from, struct profile *out)
{
    for (uint32_t c = 0; c < from->n_comments; c++) {
        const struct profile_string *text = &from->strings[from->comments[c]];
        string_id id = profile_intern(out, text->bytes, text->length);
        bool known = false;
        for (uint32_t k = 0; k < out->n_comments; k++) {
            known |= out->comments[k] == id;
        }
        if (!known) {
            profile_add_comment(out, text->bytes);
        }
    }
}

static string_id carry(const struct profile *from, string_id id, struct profile *out)
{
    return profile_intern(out, from->strings[id].bytes, from->strings[id].length);
}

static void merge_headers(struct profile *const *profiles, size_t n, struct profile *out)
{
    const struct profile *first = profiles[0];
    for (uint32_t t = 0; t < first->n_sample_types; t++) {
        profile_add_sample_type(out, profile_text(first, first->sample_types[t].type),
                                profile_text(first, first->sample_types[t].unit));
    }
    out->period_type.type = carry(first, first->period_type.type, out);
    out->period_type.unit = carry(first, first->period_type.unit, out);
    out->drop_frames = carry(first, first->drop_frames, out);
    out->keep_frames = carry(first, first->keep_frames, out);
    for (size_t i = 0; i < n; i++) {
        const struct profile *from = profiles[i];
        if (out->time_nanos == 0 || from->time_nanos < out->time_nanos) {
            out->time_nanos = from->time_nanos;
        }
        out->duration_nanos =
            (int64_t)((uint64_t)out->duration_nanos + (uint64_t)from->duration_nanos);
        if (out->period == 0 || out->period < from->period) {
            out->period = from->period;
        }
        merge_comments(from, out);
        if (!out->default_sample_type) {
            out->default_sample_type = carry(from, from->default_sample_type, out);
        }
        if (!out->doc_url) {
            out->doc_url = carry(from, from->doc_url, out);
        }
    }
}

static bool has_zero_sample(const struct profile *profile)
{
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        if (is_zero(&profile->values[(size_t)s * profile->n_sample_types],
                    profile->n_sample_types)) {
            return true;
        }
    }
    return false;
}

static bool merge_equal(struct profile *const *profiles, size_t n, struct profile *out,
                        struct profile_error *error)
{
    struct merger m = {.out = out};
    bool fine = profile_init(out, 0);
    if (fine) {
        merge_headers(profiles, n, out);
        for (size_t i = 0; fine && i < n; i++) {
            fine = merge_one(&m, profiles[i]);
        }
        if (!fine || out->arena.failed) {
            profile_free(out);
            fine = false;
        }
    }
    if (!fine) {
        snprintf(error->text, sizeof error->text, "out of memory");
    }
    key_table_free(&m.samples);
    key_table_free(&m.locations);
    key_table_free(&m.functions);
    key_table_free(&m.mappings);
    free(m.string_map);
    free(m.location_map);
    free(m.function_map);
    free(m.mapping_map);
    free(m.mapping_shift);
    free(m.locations_scratch);
    free(m.labels_scratch);
    free(m.lines_scratch);
    return fine;
}

bool merge_profiles(struct profile *const *profiles, size_t n, unsigned flags, struct profile *out,
                    struct profile_error *error)
{
    if (n > 1 && !merge_equalize(profiles, n, flags, error)) {
        return false;
    }
    if (!merge_equal(profiles, n, out, error)) {
        return false;
    }
    /* Sums that came out as zero leave entries behind that only they referred to. */
    while (has_zero_sample(out)) {
        struct profile again, *only[1] = {out};
        if (!merge_equal(only, 1, &again, error)) {
            profile_free(out);
            return false;
        }
        profile_free(out);
        *out = again;
    }
    return true;
}

static bool has_same_mappings(const struct profile *profile)
{
    enum { MANY = 1000 };
    if (profile->n_mappings > MANY) {
        return true; /* not worth finding out */
    }
    for (uint32_t i = 0; i < profile->n_mappings; i++) {
        for (uint32_t k = i + 1; k < profile->n_mappings; k++) {
            if (same_mapping(&profile->mappings[i], &profile->mappings[k])) {
                return true;
            }
        }
    }
    return false;
}

bool merge_can_wait(const struct profile *profile)
{
    size_t n = (size_t)profile->n_samples * profile->n_sample_types;
    int64_t sum = 0;
    for (size_t v = 0; v < n; v++) {
        if (profile->values[v] < 0 || __builtin_add_overflow(sum, profile->values[v], &sum)) {
            return false;
        }
    }
    return !has_same_mappings(profile);
}
