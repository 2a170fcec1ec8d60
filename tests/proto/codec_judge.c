/* test: link=proto time=180 quick */
/* codec_judge.c - our decoder against protobuf-c's unpacker: the same message, entry by entry, in
 * the kept inputs that ours accepts and in random profiles.
 *
 * protobuf-c knows nothing of pprof's rules, so that it says less about what is to be refused; what
 * both accept must be the same.
 */
#include "proto_test.h"

#include "profile.pb-c.h"

#include <dirent.h>

static void *judge_alloc(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void judge_free(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

static const Approf__Pb__Profile *judge;
static const struct profile *ours;
static const char *subject;

static bool text_is(string_id id, int64_t index)
{
    const ProtobufCBinaryData *want = &judge->string_table[index];
    return ours->strings[id].length == want->len &&
           (!want->len || memcmp(ours->strings[id].bytes, want->data, want->len) == 0);
}
static bool is_empty(int64_t index)
{
    return judge->string_table[index].len == 0;
}
#define TEXT(id, index) CHECK(text_is(id, index), "%s", subject)
#define SAME(a, b)      CHECK((a) == (b), "%s", subject)

static void compare_sample(uint32_t i)
{
    const Approf__Pb__Sample *want = judge->sample[i];
    const struct profile_sample *sample = &ours->samples[i];
    SAME(sample->n_locations, want->n_location_id);
    for (uint32_t k = 0; k < sample->n_locations && k < want->n_location_id; k++) {
        uint32_t location = ours->sample_locations[sample->first_location + k];
        SAME(ours->locations[location].id, want->location_id[k]);
    }
    SAME(ours->n_sample_types, want->n_value);
    for (uint32_t k = 0; k < ours->n_sample_types && k < want->n_value; k++)
        SAME(ours->values[(size_t)i * ours->n_sample_types + k], want->value[k]);
    uint32_t label = sample->first_label;
    for (size_t k = 0; k < want->n_label; k++) {
        const Approf__Pb__Label *l = want->label[k];
        /* What says nothing is dropped, also by the index of another empty string. */
        if (l->str ? is_empty(l->str) : !l->num && is_empty(l->num_unit))
            continue;
        CHECK(label < sample->first_label + sample->n_labels, "%s", subject);
        const struct profile_label *got = &ours->labels[label++];
        TEXT(got->key, l->key);
        TEXT(got->str, l->str);
        SAME(got->num, l->str ? 0 : l->num);
        TEXT(got->num_unit, l->str ? 0 : l->num_unit);
    }
    SAME(label, sample->first_label + sample->n_labels);
}

static void compare_location(uint32_t i)
{
    const Approf__Pb__Location *want = judge->location[i];
    const struct profile_location *got = &ours->locations[i];
    SAME(got->id, want->id);
    SAME(got->address, want->address);
    SAME(got->is_folded, want->is_folded);
    if (got->mapping != PROFILE_NONE)
        SAME(ours->mappings[got->mapping].id, want->mapping_id);
    SAME(got->n_lines, want->n_line);
    for (uint32_t k = 0; k < got->n_lines && k < want->n_line; k++) {
        const struct profile_line *line = &ours->lines[got->first_line + k];
        SAME(ours->functions[line->function].id, want->line[k]->function_id);
        SAME(line->line, want->line[k]->line);
        SAME(line->column, want->line[k]->column);
    }
}

static void compare_rest(void)
{
    SAME(ours->n_sample_types, judge->n_sample_type);
    for (uint32_t i = 0; i < ours->n_sample_types; i++) {
        TEXT(ours->sample_types[i].type, judge->sample_type[i]->type);
        TEXT(ours->sample_types[i].unit, judge->sample_type[i]->unit);
    }
    SAME(ours->n_mappings, judge->n_mapping);
    for (uint32_t i = 0; i < ours->n_mappings; i++) {
        const struct profile_mapping *got = &ours->mappings[i];
        const Approf__Pb__Mapping *want = judge->mapping[i];
        SAME(got->id, want->id);
        SAME(got->start, want->memory_start);
        SAME(got->limit, want->memory_limit);
        SAME(got->offset, want->file_offset);
        TEXT(got->filename, want->filename);
        TEXT(got->build_id, want->build_id);
        SAME(got->has_functions, want->has_functions);
        SAME(got->has_filenames, want->has_filenames);
        SAME(got->has_line_numbers, want->has_line_numbers);
        SAME(got->has_inline_frames, want->has_inline_frames);
    }
    SAME(ours->n_functions, judge->n_function);
    for (uint32_t i = 0; i < ours->n_functions; i++) {
        const struct profile_function *got = &ours->functions[i];
        const Approf__Pb__Function *want = judge->function[i];
        SAME(got->id, want->id);
        TEXT(got->name, want->name);
        TEXT(got->system_name, want->system_name);
        TEXT(got->filename, want->filename);
        SAME(got->start_line, want->start_line);
    }
    SAME(ours->n_comments, judge->n_comment);
    for (uint32_t i = 0; i < ours->n_comments; i++)
        TEXT(ours->comments[i], judge->comment[i]);
    TEXT(ours->drop_frames, judge->drop_frames);
    TEXT(ours->keep_frames, judge->keep_frames);
    TEXT(ours->default_sample_type, judge->default_sample_type);
    TEXT(ours->doc_url, judge->doc_url);
    SAME(ours->time_nanos, judge->time_nanos);
    SAME(ours->duration_nanos, judge->duration_nanos);
    SAME(ours->period, judge->period);
    TEXT(ours->period_type.type, judge->period_type ? judge->period_type->type : 0);
    TEXT(ours->period_type.unit, judge->period_type ? judge->period_type->unit : 0);
}

/* Returns whether ours accepted the bytes. */
static bool compare(const void *bytes, size_t n, const char *name)
{
    struct profile p;
    struct profile_error error;
    if (!profile_decode(bytes, n, &p, &error))
        return false;
    struct arena arena;
    arena_init(&arena, 0);
    ProtobufCAllocator allocator = {judge_alloc, judge_free, &arena};
    struct byte_buffer raw = {.arena = &arena};
    if (gzip_is(bytes, n)) {
        CHECK(gzip_inflate(bytes, n, 1 << 28, &raw, &error), "%s", name);
        bytes = raw.bytes;
        n = raw.length;
    }
    judge = approf__pb__profile__unpack(&allocator, n, bytes);
    ours = &p;
    subject = name;
    /* Of field numbers beyond 2^29 pprof says nothing, protobuf-c refuses them; fuzzers find them.
     */
    CHECK(judge != NULL || strstr(name, "/found-"), "%s: protobuf-c refuses it", name);
    if (judge) {
        compare_rest();
        SAME(p.n_samples, judge->n_sample);
        for (uint32_t i = 0; i < p.n_samples && i < judge->n_sample; i++)
            compare_sample(i);
        SAME(p.n_locations, judge->n_location);
        for (uint32_t i = 0; i < p.n_locations && i < judge->n_location; i++)
            compare_location(i);
    }
    arena_free(&arena);
    profile_free(&p);
    return judge != NULL;
}

static int compare_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[8192];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct arena arena;
        arena_init(&arena, 0);
        struct byte_buffer bytes = {.arena = &arena};
        struct profile_error error;
        if (file_read(path, 64 << 20, &bytes, &error))
            n += compare(bytes.bytes, bytes.length, path);
        else if (error.kind == PROFILE_ERROR_IO && strstr(error.text, "directory"))
            n += compare_folder(path);
        arena_free(&arena);
    }
    if (dir)
        closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    for (uint64_t seed = 1000; seed < 1200; seed++) {
        struct profile p;
        struct arena arena;
        arena_init(&arena, 0);
        struct byte_buffer bytes = {.arena = &arena};
        test_profile(&p, seed);
        CHECK(profile_encode(&p, &bytes) && compare(bytes.bytes, bytes.length, "random"),
              "seed %lu", (unsigned long)seed);
        profile_free(&p);
        arena_free(&arena);
    }
    char folder[4096];
    const char *top = getenv("TOP");
    snprintf(folder, sizeof folder, "%s/tests/fuzz/regress/decode", top ? top : ".");
    int n = 0;
    for (int i = 1; i < argc; i++) /* by hand: folders of profiles */
        n += compare_folder(argv[i]);
    n += compare_folder(folder);
    printf("%d profiles compared\n", n);
    CHECK(n >= 10, "too few profiles in %s", folder);
    return check_failures != 0;
}
