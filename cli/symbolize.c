/* symbolize.c - goes through a profile's mappings and gives its locations lines.
 *
 * symbol_module.c answers for addresses; symbol_lines.c turns answers into a profile's functions
 * and lines.
 */
#include "symbolize.h"

#include "message.h"
#include "perf_map.h"
#include "profile_comments.h"
#include "symbol_lines.h"
#include "symbol_module.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbolizer {
    struct symbolize_options options;
    char *own_symbol_path; /* when the options gave none */
    const char *symbol_path;
    struct symbol_module *modules;
    bool told_unfound;
};

/* What is to be done for one mapping. */
struct mapping_job {
    bool used;
    bool wanted;
    bool complete; /* it has names already: only lines make a difference */
};

bool symbolize_parse(const char *words, struct symbolize_options *options, const char **bad,
                     size_t *bad_length)
{
    static const struct {
        const char *word;
        enum demangle_style style;
    } styles[] = {{"full", DEMANGLE_FULL},
                  {"templates", DEMANGLE_TEMPLATES},
                  {"none", DEMANGLE_NONE},
                  {"default", DEMANGLE_DEFAULT}};
    for (size_t n; *words != 0; words += n + (words[n] == ':')) {
        n = strcspn(words, ":");
        bool known = n == 0;
#define IS(text) (n == sizeof text - 1 && strncasecmp(words, text, n) == 0)
        if (IS("none") || IS("no")) {
            options->mode = SYMBOLIZE_NONE;
            known = true;
        } else if (IS("local")) {
            options->mode = SYMBOLIZE_LOCAL;
            known = true;
        } else if (IS("fastlocal")) {
            options->mode = SYMBOLIZE_FASTLOCAL;
            known = true;
        } else if (IS("force")) {
            options->force = known = true;
        } else if (IS("remote")) {
            known = true;
        } else if (n > 9 && strncasecmp(words, "demangle=", 9) == 0) {
            for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
                if (strlen(styles[i].word) == n - 9 &&
                    strncasecmp(words + 9, styles[i].word, n - 9) == 0) {
                    options->demangle = styles[i].style;
                    options->force |= styles[i].style != DEMANGLE_DEFAULT;
                    known = true;
                }
            }
        }
#undef IS
        if (!known) {
            *bad = words;
            *bad_length = n;
            return false;
        }
    }
    return true;
}

const char *symbolize_search_path(const char *given, char **own)
{
    const char *home = getenv("HOME");
    *own = NULL;
    if (given == NULL || *given == 0) {
        given = getenv("PPROF_BINARY_PATH");
    }
    if (given != NULL && *given != 0) {
        return given;
    }
    if (home == NULL || *home == 0 || asprintf(own, "%s/pprof/binaries", home) < 0) {
        *own = NULL;
        return "";
    }
    return *own;
}

struct symbolizer *symbolizer_open(const struct symbolize_options *options)
{
    struct symbolizer *symbolizer = calloc(1, sizeof *symbolizer);
    if (symbolizer == NULL) {
        return NULL;
    }
    symbolizer->options = *options;
    symbolizer->symbol_path =
        symbolize_search_path(options->symbol_path, &symbolizer->own_symbol_path);
    return symbolizer;
}

void symbolizer_set_pid(struct symbolizer *symbolizer, uint32_t pid)
{
    symbolizer->options.pid = pid;
}

void symbolizer_close(struct symbolizer *symbolizer)
{
    if (symbolizer == NULL) {
        return;
    }
    while (symbolizer->modules != NULL) {
        struct symbol_module *module = symbolizer->modules;
        symbolizer->modules = module->next;
        symbol_module_close(module);
    }
    free(symbolizer->own_symbol_path);
    free(symbolizer);
}

static struct symbol_module *module_of(struct symbolizer *symbolizer, const char *path,
                                       const char *build_id)
{
    struct symbol_module *module = symbolizer->modules;
    for (; module != NULL; module = module->next) {
        if (strcmp(module->path, path) == 0 && strcmp(module->build_id, build_id) == 0) {
            return module;
        }
    }
    struct debug_file_request request = {.path = path,
                                         .build_id = build_id,
                                         .symbol_path = symbolizer->symbol_path,
                                         .root = symbolizer->options.root};
    module = symbol_module_open(&request);
    if (module != NULL) {
        module->next = symbolizer->modules;
        symbolizer->modules = module;
    }
    return module;
}

/* Files that are no files: pprof's list, and our own names for code without one. */
static bool names_a_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    return *base != 0 && *base != '[' && strncmp(base, "linux-vdso", 10) != 0 &&
           strstr(path, "/dev/dri/") == NULL && strncmp(path, "//anon", 6) != 0 &&
           strncmp(path, "/memfd:", 7) != 0 && strstr(path, "://") == NULL;
}

bool symbolize_mapping_file(const struct profile *profile, const struct profile_mapping *mapping,
                            char path[SYMBOLIZE_PATH_ROOM])
{
    static const char deleted[] = " (deleted)";
    const char *recorded = profile_text(profile, mapping->filename);
    const char *build_id = profile_text(profile, mapping->build_id);
    size_t length = strlen(recorded);
    if (!names_a_file(recorded) || length >= SYMBOLIZE_PATH_ROOM) {
        return false;
    }
    memcpy(path, recorded, length + 1);
    /* A file that was replaced while it ran: what is there now must prove to be the same. */
    if (length > sizeof deleted - 1 && *build_id != 0 &&
        strcmp(path + length - (sizeof deleted - 1), deleted) == 0) {
        path[length - (sizeof deleted - 1)] = 0;
    }
    return true;
}

static void plan(const struct symbolizer *symbolizer, const struct profile *profile,
                 struct mapping_job *jobs)
{
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        if (profile->locations[i].mapping != PROFILE_NONE) {
            jobs[profile->locations[i].mapping].used = true;
        }
    }
    for (uint32_t i = 0; i < profile->n_mappings; i++) {
        const struct profile_mapping *mapping = &profile->mappings[i];
        bool flagged =
            mapping->has_functions || mapping->has_filenames || mapping->has_line_numbers;
        bool done = symbolizer->options.only_unflagged ? flagged : mapping->has_line_numbers;
        jobs[i].complete = flagged && !symbolizer->options.force;
        jobs[i].wanted = jobs[i].used && (symbolizer->options.force || !done) &&
                         names_a_file(profile_text(profile, mapping->filename));
    }
}

/* An address of a mapping that is asked for. */
struct question {
    uint64_t address;
    uint32_t location;
};

static int by_address(const void *a, const void *b)
{
    const struct question *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool has_lines(const struct profile *profile, const struct profile_location *location)
{
    for (uint32_t i = 0; i < location->n_lines; i++) {
        if (profile->lines[location->first_line + i].line != 0) {
            return true;
        }
    }
    return false;
}

/* Questions of all locations of mapping m that the module may answer; grouped beforehand, so that
 * each location is looked at once. */
static uint32_t ask(const struct profile *profile, const struct symbol_module *module, uint32_t m,
                    const uint32_t *locations, uint32_t n, bool complete,
                    struct question *questions)
{
    const struct profile_mapping *mapping = &profile->mappings[m];
    uint32_t n_questions = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_location *location = &profile->locations[locations[i]];
        uint64_t address;
        if ((!complete || !has_lines(profile, location)) &&
            debug_file_address(module->file, mapping->start, mapping->limit, mapping->offset,
                               location->address, &address)) {
            questions[n_questions++] =
                (struct question){.address = address, .location = locations[i]};
        }
    }
    qsort(questions, n_questions, sizeof *questions, by_address);
    return n_questions;
}

static void tell_fault(struct symbolizer *symbolizer, struct symbol_module *module)
{
    if (module->told || symbolizer->options.quiet) {
        return;
    }
    module->told = true;
    if (module->fault == DEBUG_FILE_OTHER_BUILD) {
        message_error("%s: another build than the profiled one (build id %s, not %s), not used",
                      module->path, *module->other_build != 0 ? module->other_build : "missing",
                      module->build_id);
        message_hint("-symbol_path=DIR or PPROF_BINARY_PATH says where the right one is");
    }
}

static bool answer_mapping(struct symbolizer *symbolizer, struct symbol_lines *lines,
                           struct profile *profile, uint32_t m, const uint32_t *locations,
                           uint32_t n, bool complete, struct question *questions,
                           struct symbolize_result *result)
{
    char path[SYMBOLIZE_PATH_ROOM];
    const char *build_id = profile_text(profile, profile->mappings[m].build_id);
    if (!symbolize_mapping_file(profile, &profile->mappings[m], path)) {
        return true;
    }
    struct symbol_module *module = module_of(symbolizer, path, build_id);
    if (module == NULL) {
        return false;
    }
    result->locations += n;
    if (module->file == NULL) {
        tell_fault(symbolizer, module);
        *(module->fault == DEBUG_FILE_OTHER_BUILD ? &result->mismatched : &result->unfound) += 1;
        return true;
    }
    bool want_lines = symbolizer->options.mode == SYMBOLIZE_LOCAL;
    uint32_t n_questions = ask(profile, module, m, locations, n, complete, questions);
    struct terminal_progress progress;
    bool sound = true;
    terminal_progress_begin(&progress, path, symbolizer->options.quiet);
    for (uint32_t i = 0; i < n_questions && sound; i++) {
        const struct code_answer *answer =
            symbol_module_find(module, questions[i].address, want_lines);
        sound = answer != NULL &&
                symbol_lines_set(lines, questions[i].location, answer, complete, result);
        if (i % 64 == 0) {
            terminal_progress_at(&progress, i, n_questions);
        }
    }
    terminal_progress_end(&progress);
    return sound;
}

/* Names of code that lies in no file. */
static bool answer_perf_map(struct symbolizer *symbolizer, struct symbol_lines *lines,
                            struct profile *profile, struct symbolize_result *result)
{
    struct perf_map map = {0};
    struct profile_facts facts;
    bool tried = false, sound = true;
    uint32_t pid = symbolizer->options.pid;
    if (pid == 0 && profile_facts_read(profile, &facts)) {
        pid = facts.pid <= INT32_MAX ? (uint32_t)facts.pid : 0;
    }
    if (pid == 0) {
        return true;
    }
    for (uint32_t i = 0; i < profile->n_locations && sound; i++) {
        const struct profile_location *location = &profile->locations[i];
        if (location->n_lines > 0 ||
            (location->mapping != PROFILE_NONE &&
             names_a_file(profile_text(profile, profile->mappings[location->mapping].filename)))) {
            continue;
        }
        if (!tried) {
            tried = true;
            if (!perf_map_load(&map, pid, symbolizer->options.root)) {
                return true;
            }
        }
        const char *name = perf_map_find(&map, location->address);
        sound = name == NULL || symbol_lines_set_name(lines, i, name, result);
    }
    perf_map_free(&map);
    return sound;
}

/* Location indices by mapping: order[first[m]] .. order[first[m + 1] - 1]. */
static void group_locations(const struct profile *profile, uint32_t *order, uint32_t *first)
{
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        if (profile->locations[i].mapping != PROFILE_NONE) {
            first[profile->locations[i].mapping + 2]++;
        }
    }
    for (uint32_t m = 1; m <= profile->n_mappings; m++) {
        first[m + 1] += first[m];
    }
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        if (profile->locations[i].mapping != PROFILE_NONE) {
            order[first[profile->locations[i].mapping + 1]++] = i;
        }
    }
}

static void tell_unfound(struct symbolizer *symbolizer, const struct symbolize_result *result)
{
    if (result->unfound == 0 || symbolizer->options.quiet || symbolizer->told_unfound) {
        return;
    }
    symbolizer->told_unfound = true;
    const char *example = "";
    for (const struct symbol_module *m = symbolizer->modules; m != NULL; m = m->next) {
        if (m->file == NULL && m->fault == DEBUG_FILE_ABSENT) {
            example = m->path;
        }
    }
    if (result->unfound == 1) {
        message_error("%s: not here, so its lines stay unknown", example);
    } else {
        message_error("%u binaries are not here, so their lines stay unknown; one is %s",
                      result->unfound, example);
    }
    message_hint("-symbol_path=DIR or PPROF_BINARY_PATH says where they are");
}

static bool apply_local(struct symbolizer *symbolizer, struct profile *profile,
                        struct symbolize_result *result)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    uint32_t n = profile->n_locations, n_mappings = profile->n_mappings;
    struct mapping_job *jobs = arena_array(&scratch, n_mappings, sizeof *jobs);
    uint32_t *order = arena_array(&scratch, n, sizeof *order);
    uint32_t *first = arena_array(&scratch, (size_t)n_mappings + 2, sizeof *first);
    struct question *questions = arena_array(&scratch, n, sizeof *questions);
    struct symbol_lines *lines = symbol_lines_open(profile, symbolizer->options.demangle);
    bool sound = !scratch.failed && lines != NULL;
    if (sound) {
        plan(symbolizer, profile, jobs);
        group_locations(profile, order, first);
    }
    for (uint32_t m = 0; m < n_mappings && sound; m++) {
        if (jobs[m].wanted) {
            sound = answer_mapping(symbolizer, lines, profile, m, order + first[m],
                                   first[m + 1] - first[m], jobs[m].complete, questions, result);
        }
    }
    if (sound) {
        sound = answer_perf_map(symbolizer, lines, profile, result);
    }
    sound = symbol_lines_close(lines) && sound;
    arena_free(&scratch);
    tell_unfound(symbolizer, result);
    return sound;
}

bool symbolizer_apply(struct symbolizer *symbolizer, struct profile *profile,
                      struct symbolize_result *result)
{
    struct symbolize_result own;
    if (result == NULL) {
        result = &own;
    }
    *result = (struct symbolize_result){0};
    const struct symbolize_options *options = &symbolizer->options;
    if (options->mode == SYMBOLIZE_NONE) {
        return true;
    }
    enum demangle_style style = options->demangle;
    if (style == DEMANGLE_NONE && options->compat_go119) {
        style = DEMANGLE_FULL;
    }
    return apply_local(symbolizer, profile, result) &&
           demangle_profile(profile, style, options->force);
}

bool symbolize_profile(struct profile *profile, const struct symbolize_options *options,
                       struct symbolize_result *result)
{
    struct symbolizer *symbolizer = symbolizer_open(options);
    bool sound = symbolizer != NULL && symbolizer_apply(symbolizer, profile, result);
    symbolizer_close(symbolizer);
    return sound;
}
