/* source_load.c - see source_load.h. */
#include "source_load.h"

#include "legacy.h"
#include "memory.h"
#include "merge.h"
#include "merge_types.h"
#include "message.h"
#include "profile_edit.h"
#include "prune.h"
#include "symbolize.h"
#include "heap_source.h"
#include "http_source.h"
#include "record_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Compressed or not; what it expands to has limits of its own. */
static const size_t most_input = (size_t)2 << 30;

bool options_go119(const struct cli_options *options)
{
    return strcmp(options->compat, "go1.19") == 0;
}

static bool decode(const struct byte_buffer *input, struct profile *out,
                   struct profile_error *error)
{
    if (profile_decode(input->bytes, input->length, out, error)) {
        return true;
    }
    if (error->kind != PROFILE_ERROR_UNRECOGNIZED) {
        return false;
    }
    if (!gzip_is(input->bytes, input->length)) {
        return legacy_parse(input->bytes, input->length, out, error);
    }
    struct byte_buffer plain = {.arena = input->arena};
    return gzip_inflate(input->bytes, input->length, most_input, &plain, error) &&
           legacy_parse(plain.bytes, plain.length, out, error);
}

static bool is_pid(const char *source)
{
    size_t n = strlen(source);
    return n > 0 && n < 11 && strspn(source, "0123456789") == n;
}

/* The tables of a process instead of its pid or name. *source is changed to tables then. */
static bool find_process(const char **source, char *tables, size_t room,
                         struct profile_error *error)
{
    if (strcmp(*source, "-") == 0 || strchr(*source, '/') != NULL || access(*source, F_OK) == 0) {
        return true;
    }
    switch (heap_source_find(*source, tables, room)) {
    case HEAP_SOURCE_FOUND:
        *source = tables;
        break;
    case HEAP_SOURCE_AMBIGUOUS:
        return profile_error_set(error, PROFILE_ERROR_IO,
                                 "several profiled processes have that name");
    case HEAP_SOURCE_NONE:
        if (is_pid(*source)) {
            return profile_error_set(error, PROFILE_ERROR_IO,
                                     "no process of that number left heap tables");
        }
    }
    return true;
}

/* -from and -to. */
static bool read_moments(const struct cli_options *options, int64_t *from, int64_t *to,
                         struct profile_error *error)
{
    int64_t now = time(NULL);
    *from = INT64_MIN;
    *to = INT64_MAX;
    const char *bad = *options->from && !record_moment(options->from, now, from) ? options->from
                      : *options->to && !record_moment(options->to, now, to)     ? options->to
                                                                                 : NULL;
    if (bad) {
        return profile_error_set(error, PROFILE_ERROR_IO,
                                 "'%s' is no time, such as 1h (ago), 12:30 or 2026-01-31T12:30",
                                 bad);
    }
    return true;
}

/* A directory of approf record: what was allocated between -from and -to, or with a base the states
 * at both. */
static bool read_directory(const char *directory, const struct cli_options *options,
                           struct profile *base, struct profile *out, struct profile_error *error)
{
    int64_t from, to;
    return read_moments(options, &from, &to, error) &&
           record_read(directory, from, to, base, out, error);
}

static void tell_wait(int64_t seconds)
{
    message_note("Please wait... (%llds)", (long long)seconds);
}

/* What was allocated during -seconds, and what is in use after them. */
static bool read_delta(const char *tables, const struct cli_options *options, struct profile *out,
                       struct profile_error *error)
{
    struct heap_snapshot older, newer;
    if (!heap_source_twice(tables, options->seconds, tell_wait, &older, &newer, error)) {
        return false;
    }
    bool fine = heap_source_delta(&older, &newer, out, error);
    heap_snapshot_free(&older);
    heap_snapshot_free(&newer);
    return fine;
}

static bool make_ready(struct profile *out, const struct cli_options *options,
                       struct profile_error *error)
{
    profile_tidy(out);
    if (options_go119(options)) {
        profile_drop_columns(out);
    }
    /* Reports name the binary of a frame without lines: there is always one, be it unnamed. */
    if (out->n_mappings == 0) {
        uint32_t mapping = profile_add_mapping(out, &(struct profile_mapping){.id = 1});
        for (uint32_t l = 0; l < out->n_locations; l++) {
            out->locations[l].mapping = mapping;
        }
    }
    if (out->arena.failed) {
        profile_free(out);
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    }
    return true;
}

/* A file of that name comes first. */
static bool is_remote(const char *source)
{
    return http_source_is(source) && access(source, F_OK) != 0;
}

static bool fetch(const char *source, const struct cli_options *options, struct byte_buffer *input,
                  struct profile_error *error)
{
    message_note("Fetching profile over HTTP from %s", source);
    if (options->seconds > 0) {
        tell_wait(options->seconds);
    }
    return http_source_get(source, options->seconds, options->timeout, input, error);
}

bool source_load_one(const char *source, const struct cli_options *options, struct profile *out,
                     struct profile_error *error)
{
    char tables[4096];
    bool fine;
    if (!find_process(&source, tables, sizeof tables, error)) {
        return false;
    }
    if (strcmp(source, "-") != 0 && heap_source_is(source)) {
        fine = options->seconds > 0 ? read_delta(source, options, out, error)
                                    : heap_source_read(source, out, error);
    } else if (record_is(source)) {
        fine = read_directory(source, options, NULL, out, error);
    } else {
        struct arena arena;
        arena_init(&arena, 0);
        struct byte_buffer input = {.arena = &arena};
        fine = (is_remote(source) ? fetch(source, options, &input, error)
                                  : file_read(source, most_input, &input, error)) &&
               decode(&input, out, error);
        arena_free(&arena);
    }
    return fine && make_ready(out, options, error);
}

static void hint_for(const struct profile_error *error, const char *source)
{
    switch (error->kind) {
    case PROFILE_ERROR_IO:
        if (strncasecmp(source, "https", 5) == 0 && http_source_is(source)) {
            message_hint("fetch it first: curl -o heap.pb.gz '%s'", source);
        } else if (is_remote(source)) {
            message_hint("approf serve answers at http://127.0.0.1:6060/debug/pprof/heap unless "
                         "it is told otherwise");
        } else if (is_pid(source)) {
            message_hint("start the program with approf run or LD_PRELOAD=libapprof.so; "
                         "approf ps lists what is profiled");
        } else {
            message_hint("name a profile, '-' for standard input, or the PID or the name of a "
                         "profiled process; approf ps lists them");
        }
        break;
    case PROFILE_ERROR_EMPTY:
        message_hint("the program that writes it may still run, or was killed before it wrote");
        break;
    case PROFILE_ERROR_CONCATENATED:
        message_hint("give the profiles as separate files; they are merged");
        break;
    case PROFILE_ERROR_MEMORY:
    case PROFILE_ERROR_TOO_LARGE:
        message_hint("the file claims to be larger than approf will believe");
        break;
    default:
        message_hint("a pprof file (.pb.gz), a legacy profile or heap tables are wanted; the file "
                     "may be cut off or be something else");
    }
}

static void tell_failure(const char *source, const struct profile_error *error)
{
    bool parsing = error->kind == PROFILE_ERROR_UNRECOGNIZED ||
                   error->kind == PROFILE_ERROR_EMPTY || error->kind == PROFILE_ERROR_CONCATENATED;
    message_error("%s: %s%s", source, parsing ? "parsing profile: " : "", error->text);
    hint_for(error, source);
}

/* Whether a single profile goes through the merge too, as in Go 1.19 (pprof-spec 2.3). Where it is
 * about to be merged with a base, once is enough, unless its values are scaled in between. */
static bool merges_alone(const struct profile *profile, const struct cli_options *options)
{
    bool merges_again = *options->base || *options->diff_base;
    return options_go119(options) &&
           !(merges_again && !options->normalize && merge_can_wait(profile));
}

/* Sources become one profile. */
static bool load_and_merge(const char *const *sources, int n, const char *what,
                           const struct cli_options *options, struct profile *out)
{
    struct profile *profiles = memory_array((size_t)n, sizeof *profiles);
    struct profile **loaded = memory_array((size_t)n, sizeof *loaded);
    struct profile_error error = {0};
    size_t n_loaded = 0;
    for (int i = 0; i < n; i++) {
        if (source_load_one(sources[i], options, &profiles[n_loaded], &error)) {
            loaded[n_loaded] = &profiles[n_loaded];
            n_loaded++;
        } else {
            tell_failure(sources[i], &error);
        }
    }
    bool fine = n_loaded > 0;
    if (fine && n_loaded < (size_t)n) {
        message_note("Fetched %zu %s profiles out of %d", n_loaded, what, n);
    }
    if (n_loaded == 1 && !merges_alone(&profiles[0], options)) {
        *out = profiles[0];
    } else if (fine) {
        fine = merge_profiles(loaded, n_loaded, options_go119(options) ? MERGE_EXACT_TYPES : 0, out,
                              &error);
        if (!fine) {
            message_error("%s: cannot be merged: %s", sources[n - 1], error.text);
            message_hint("only profiles of one kind can be added up");
        }
        for (size_t i = 0; i < n_loaded; i++) {
            profile_free(&profiles[i]);
        }
    }
    free(loaded);
    free(profiles);
    return fine;
}

/* The same process twice, -seconds apart. */
static bool load_growth(const char *source, const struct cli_options *options, struct profile *base,
                        struct profile *out)
{
    char tables[4096];
    struct profile_error error = {0};
    struct heap_snapshot older, newer;
    const char *path = source;
    if (record_is(source)) {
        if (!read_directory(source, options, base, out, &error)) {
            tell_failure(source, &error);
            return false;
        }
        return make_ready(base, options, &error) && make_ready(out, options, &error);
    }
    bool fine = find_process(&path, tables, sizeof tables, &error);
    if (fine && !heap_source_is(path)) {
        fine = profile_error_set(&error, PROFILE_ERROR_IO,
                                 "not a process: nothing changes in it meanwhile");
    }
    if (fine) {
        fine = heap_source_twice(path, options->seconds, tell_wait, &older, &newer, &error);
    }
    if (fine) {
        fine = heap_source_profile(&older, base, &error) && make_ready(base, options, &error);
        if (fine) {
            fine = heap_source_profile(&newer, out, &error) && make_ready(out, options, &error);
            if (!fine) {
                profile_free(base);
            }
        }
        heap_snapshot_free(&older);
        heap_snapshot_free(&newer);
    }
    if (!fine) {
        tell_failure(source, &error);
    }
    return fine;
}

static void normalize(struct profile *profile, const struct profile *base)
{
    uint32_t n = profile->n_sample_types;
    double *ratios = memory_array(n, sizeof *ratios);
    for (uint32_t t = 0; t < n; t++) {
        uint64_t sum = 0, base_sum = 0;
        for (uint32_t s = 0; s < profile->n_samples; s++) {
            sum += (uint64_t)profile->values[(size_t)s * n + t];
        }
        for (uint32_t s = 0; t < base->n_sample_types && s < base->n_samples; s++) {
            base_sum += (uint64_t)base->values[(size_t)s * base->n_sample_types + t];
        }
        ratios[t] = sum ? (double)(int64_t)base_sum / (double)(int64_t)sum : 0;
    }
    merge_scale(profile, ratios);
    free(ratios);
}

/* source - base, into *profile. */
static bool subtract_base(struct profile *profile, struct profile *base,
                          const struct cli_options *options)
{
    bool go119 = options_go119(options);
    struct profile_error error = {0};
    if (*options->diff_base) {
        profile_set_label(base, "pprof::base", "true");
    }
    struct profile *both[2] = {profile, base};
    unsigned flags = go119 ? MERGE_EXACT_TYPES : 0;
    bool fine = true;
    if (options->normalize) {
        fine = merge_equalize(both, 2, flags, &error);
        if (fine) {
            normalize(profile, base);
        }
    }
    size_t n_values = (size_t)base->n_samples * base->n_sample_types;
    for (size_t v = 0; v < n_values; v++) {
        base->values[v] = (int64_t)(0 - (uint64_t)base->values[v]);
    }
    struct profile difference;
    fine = fine && merge_profiles(both, 2, flags, &difference, &error);
    if (!fine) {
        message_error("%s: cannot be subtracted: %s",
                      *options->diff_base ? options->diff_base : options->base, error.text);
        message_hint("the base must be a profile of the same kind");
        return false;
    }
    profile_free(profile);
    *profile = difference;
    return true;
}

/* Where the files of a process are, if the only source is one with other mounts than ours. */
static void find_root(const char *const *sources, int n, struct symbolize_options *how, char *root,
                      size_t room)
{
    char tables[4096];
    const char *source = sources[0];
    struct profile_error error;
    if (n == 1 && find_process(&source, tables, sizeof tables, &error) && source == tables &&
        heap_source_foreign(source, &how->pid, root, room)) {
        how->root = root;
    }
}

static bool symbolize(struct profile *profile, const struct cli_options *options,
                      const char *const *sources, int n)
{
    char root[64];
    struct symbolize_options how = {0};
    const char *bad;
    size_t bad_length;
    if (!symbolize_parse(options->symbolize, &how, &bad, &bad_length)) {
        message_error("-symbolize: '%.*s' is not a mode", (int)bad_length, bad);
        message_hint("modes are none, local, fastlocal, remote, force, demangle=...");
        return false;
    }
    how.compat_go119 = options_go119(options);
    if (*options->symbol_path) {
        how.symbol_path = options->symbol_path;
    }
    if (how.mode != SYMBOLIZE_NONE) {
        find_root(sources, n, &how, root, sizeof root);
    }
    if (!symbolize_profile(profile, &how, NULL)) {
        message_error("out of memory");
        return false;
    }
    return true;
}

/* pprof's command line may name the program in front of its profiles. */
static bool is_program(const char *path)
{
    char magic[4] = "";
    struct stat status;
    /* Nothing may be read from a pipe here: it would be missing from the profile. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    FILE *file = fopen(path, "re");
    bool is = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
              memcmp(magic, "\177ELF", 4) == 0;
    if (file) {
        fclose(file);
    }
    return is;
}

bool sources_load(const char *const *sources, int n, const struct cli_options *options,
                  struct profile *out)
{
    const char *program = n > 1 && is_program(sources[0]) ? sources[0] : NULL;
    if (program) {
        sources++;
        n--;
    }
    if (n == 0) {
        message_error("no profile source specified");
        message_hint("name a profile, '-' for standard input, or the PID of a profiled process");
        return false;
    }
    if (*options->base && *options->diff_base) {
        message_error("-base and -diff_base flags cannot both be specified");
        message_hint("-diff_base gives percentages of the base, -base of what is left");
        return false;
    }
    const char *base_source = *options->diff_base ? options->diff_base : options->base;
    if (options->normalize && !*base_source) {
        message_error("-normalize: must have base profile to normalize by");
        message_hint("add -base=PROFILE or -diff_base=PROFILE");
        return false;
    }
    struct profile base;
    bool growth = *base_source && n == 1 && (options->seconds > 0 || *options->from) &&
                  strcmp(base_source, sources[0]) == 0;
    if (!(growth ? load_growth(sources[0], options, &base, out)
                 : load_and_merge(sources, n, "source", options, out))) {
        return false;
    }
    if (*base_source) {
        bool fine = growth || load_and_merge(&base_source, 1, "base", options, &base);
        if (fine) {
            fine = subtract_base(out, &base, options);
            profile_free(&base);
        }
        if (!fine) {
            profile_free(out);
            return false;
        }
    }
    if (program && out->n_mappings > 0) {
        out->mappings[0].filename = profile_intern_text(out, program);
    }
    if (!symbolize(out, options, sources, n)) {
        profile_free(out);
        return false;
    }
    profile_tidy(out);
    if (options->all_frames) {
        out->drop_frames = out->keep_frames = 0;
    }
    prune_uninteresting(out);
    if (*options->buildid && out->n_mappings > 0 &&
        (!out->mappings[0].build_id || options_go119(options))) {
        out->mappings[0].build_id = profile_intern_text(out, options->buildid);
    }
    if (*options->add_comment) {
        profile_add_comment(out, options->add_comment);
    }
    return true;
}
