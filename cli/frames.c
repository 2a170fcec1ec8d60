/* frames.c - see frames.h. */
#include "frames.h"

#include "key_table.h"
#include "paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    struct profile *profile;
    const struct frame_options *options;
    struct frame_table *table;
    struct key_table known;
    uint32_t room;
    string_id *trimmed; /* by function: its file as reports show it */
};

static uint32_t intern_info(struct builder *b, const struct frame_info *info)
{
    uint64_t hash = key_hash(key_hash(hash_seed(), info->name), info->file);
    hash = key_hash(key_hash(hash, info->address), (uint64_t)info->line);
    hash = key_hash(key_hash(hash, info->object), (uint64_t)info->start_line);
    hash = key_hash(hash, (uint64_t)info->column);
    struct key_cursor at = key_table_at(&b->known, hash);
    struct frame_table *table = b->table;
    uint32_t id;
    while ((id = key_table_next(&b->known, &at)) != KEY_NONE) {
        const struct frame_info *other = &table->infos[id];
        if (other->name == info->name && other->file == info->file &&
            other->address == info->address && other->line == info->line &&
            other->object == info->object && other->start_line == info->start_line &&
            other->column == info->column) {
            return id;
        }
    }
    MEMORY_ROOM(table->infos, table->n_infos, b->room);
    table->infos[table->n_infos] = *info;
    key_table_add(&b->known, hash, table->n_infos);
    return table->n_infos++;
}

static string_id object_of(const struct profile *p, const struct profile_location *location)
{
    return location->mapping == PROFILE_NONE ? 0 : p->mappings[location->mapping].filename;
}

static uint32_t info_of_line(struct builder *b, const struct profile_location *location,
                             const struct profile_line *line)
{
    const struct profile *p = b->profile;
    const struct profile_function *function = &p->functions[line->function];
    enum granularity g = b->options->granularity;
    bool has_line = g == GRANULARITY_LINES || g == GRANULARITY_ADDRESSES;
    struct frame_info info = {0};
    if (g != GRANULARITY_FILES) {
        info.name = function->name;
    }
    if (g != GRANULARITY_FUNCTIONS) {
        info.file = b->trimmed[line->function];
    }
    if (has_line) {
        info.line = line->line;
        /* At the granularity of addresses nothing is taken away (pprof-spec 1.3). */
        if (b->options->show_columns || (g == GRANULARITY_ADDRESSES && !b->options->no_inlines)) {
            info.column = line->column;
        }
    }
    if (g == GRANULARITY_ADDRESSES) {
        info.address = location->address;
    }
    if (b->options->object_names || !info.name) {
        info.object = object_of(p, location);
        info.start_line = function->start_line;
    }
    return intern_info(b, &info);
}

static string_id trimmed_file(struct builder *b, string_id file)
{
    const struct profile_string *string = &b->profile->strings[file];
    if (!string->length) {
        return 0;
    }
    const char *trimmed = string->bytes;
    if (b->options->trim_path) {
        trimmed = path_trim(trimmed, b->options->trim_path, b->options->source_path);
    }
    if (!*trimmed) {
        return 0;
    }
    char *clean = path_clean(trimmed);
    string_id id =
        strcmp(clean, string->bytes) == 0 ? file : profile_intern_text(b->profile, clean);
    free(clean);
    return id;
}

static void trim_files(struct builder *b)
{
    struct profile *p = b->profile;
    string_id *of_string = memory_array(p->n_strings, sizeof *of_string);
    uint32_t n = p->n_strings;
    memset(of_string, 0xff, n * sizeof *of_string);
    b->trimmed = memory_array(p->n_functions, sizeof *b->trimmed);
    for (uint32_t f = 0; f < p->n_functions; f++) {
        string_id *trimmed = &of_string[p->functions[f].filename];
        if (*trimmed == PROFILE_NONE) {
            *trimmed = trimmed_file(b, p->functions[f].filename);
        }
        b->trimmed[f] = *trimmed;
    }
    free(of_string);
}

bool frames_build(struct profile *profile, const struct frame_options *options,
                  struct frame_table *table)
{
    *table = (struct frame_table){.profile = profile};
    size_t total = 0;
    for (uint32_t l = 0; l < profile->n_locations; l++) {
        total += profile->locations[l].n_lines ? profile->locations[l].n_lines : 1;
    }
    if (total > UINT32_MAX / 2) {
        return false;
    }
    struct builder b = {.profile = profile, .options = options, .table = table};
    trim_files(&b);
    table->first = memory_array((size_t)profile->n_locations + 1, sizeof *table->first);
    table->frames = memory_array(total, sizeof *table->frames);
    uint32_t n = 0;
    for (uint32_t l = 0; l < profile->n_locations; l++) {
        const struct profile_location *location = &profile->locations[l];
        table->first[l] = n;
        uint32_t bottom = options->no_inlines && location->n_lines ? location->n_lines - 1 : 0;
        for (uint32_t i = location->n_lines; i-- > bottom;) {
            uint32_t info = info_of_line(&b, location, &profile->lines[location->first_line + i]);
            table->frames[n++] = info << 1 | (i != location->n_lines - 1);
        }
        if (location->n_lines == 0) {
            struct frame_info info = {.object = object_of(profile, location)};
            if (options->granularity == GRANULARITY_ADDRESSES) {
                info.address = location->address;
            }
            table->frames[n++] = intern_info(&b, &info) << 1;
        }
    }
    table->first[profile->n_locations] = n;
    table->may_be_inlined = memory_array(table->n_infos, sizeof *table->may_be_inlined);
    for (uint32_t f = 0; f < n; f++) {
        if (FRAME_INLINED(table->frames[f])) {
            table->may_be_inlined[FRAME_INFO(table->frames[f])] = true;
        }
    }
    table->names = memory_array(table->n_infos, sizeof *table->names);
    key_table_free(&b.known);
    free(b.trimmed);
    return true;
}

void frames_free(struct frame_table *table)
{
    for (uint32_t i = 0; table->names && i < table->n_infos; i++) {
        free(table->names[i]);
    }
    free(table->names);
    free(table->infos);
    free(table->first);
    free(table->frames);
    free(table->may_be_inlined);
    *table = (struct frame_table){0};
}

const char *frame_name(struct frame_table *table, uint32_t id)
{
    if (table->names[id]) {
        return table->names[id];
    }
    const struct profile *p = table->profile;
    const struct frame_info *info = &table->infos[id];
    const char *name = profile_text(p, info->name), *file = profile_text(p, info->file);
    char address[24] = "", place[48] = "";
    const char *before = "", *between = "", *end = "", *close = "";
    if (info->address) {
        snprintf(address, sizeof address, "%016" PRIx64, info->address);
        before = " ";
    }
    if (info->line) {
        if (info->column) {
            snprintf(place, sizeof place, ":%" PRId64 ":%" PRId64, info->line, info->column);
        } else {
            snprintf(place, sizeof place, ":%" PRId64, info->line);
        }
        end = file;
    } else if (*file) {
        end = file;
    } else if (!*name) {
        const char *object = profile_text(p, info->object);
        end = *object ? path_base(object) : "<unknown>";
        between = *object ? "[" : "";
        close = *object ? "]" : "";
        return table->names[id] = memory_print("%s%s%s%s%s", address, before, between, end, close);
    }
    between = *name && (*end || *place) ? " " : "";
    return table->names[id] =
               memory_print("%s%s%s%s%s%s", address, before, name, between, end, place);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The last part of an identity's text, behind which a brace closes. */
static int compare_last(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    unsigned char x = *a ? (unsigned char)*a : '}', y = *b ? (unsigned char)*b : '}';
    return *a == *b ? 0 : x != y ? (x > y) - (x < y) : *a ? 1 : -1;
}

int frame_compare(const struct frame_table *table, uint32_t a, uint32_t b)
{
    const struct profile *p = table->profile;
    const struct frame_info *x = &table->infos[a], *y = &table->infos[b];
    /* pprof compares the identities' texts, in which numbers are decimal. */
    char left[128], right[128];
    int order = strcmp(profile_text(p, x->name), profile_text(p, y->name));
    if (!order && x->address != y->address) {
        snprintf(left, sizeof left, "%" PRIu64 " ", x->address);
        snprintf(right, sizeof right, "%" PRIu64 " ", y->address);
        order = strcmp(left, right);
    }
    if (!order) {
        order = strcmp(profile_text(p, x->file), profile_text(p, y->file));
    }
    if (!order) {
        snprintf(left, sizeof left, "%" PRId64 " %" PRId64 " ", x->start_line, x->line);
        snprintf(right, sizeof right, "%" PRId64 " %" PRId64 " ", y->start_line, y->line);
        order = strcmp(left, right);
    }
    if (!order) {
        order = compare_numbers(x->column, y->column);
    }
    return order ? order : compare_last(profile_text(p, x->object), profile_text(p, y->object));
}
