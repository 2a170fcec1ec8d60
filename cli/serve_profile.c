/* serve_profile.c - the pages heap and allocs: a snapshot, or two, as a profile; of several
 * processes the sum. */
#include "heap_source.h"
#include "memory.h"
#include "merge.h"
#include "serve_work.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* gzip's own fastest: clients ask again and again, and mostly over loopback. */
enum { GZIP_LEVEL = 1, MOST_PARTS = 64 };

static void answer_bytes(struct serve_request *request, const struct profile *profile)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer plain = {.arena = &arena}, packed = {.arena = &arena};
    if (profile_encode(profile, &plain) &&
        gzip_deflate(plain.bytes, plain.length, GZIP_LEVEL, &packed)) {
        char *bytes = memory_array(packed.length + 1, 1);
        memcpy(bytes, packed.bytes, packed.length);
        serve_answer(request, 200, "application/octet-stream", bytes, packed.length);
        static const char *const names[2][2] = {{"heap", "heap-delta"}, {"allocs", "allocs-delta"}};
        request->answer.filename = names[request->page == SERVE_ALLOCS][request->seconds > 0];
    } else {
        serve_answer_error(request, 500, "out of memory");
    }
    arena_free(&arena);
}

/* ---- one process, or several ---- */

/* Opens what the request is about. False after an answer. */
static bool open_parts(const struct serve_pages *pages, struct serve_request *request)
{
    struct tables_list list;
    int error = 0;
    if (!serve_process_choose(pages, request, &list)) {
        return false;
    }
    if (list.n > MOST_PARTS) {
        serve_answer_error(request, 404,
                           "%zu processes are profiled, more than can be added up: ask for one at "
                           "/PID/debug/pprof/, / lists them",
                           list.n);
        tables_list_free(&list);
        return false;
    }
    request->parts = memory_array(list.n, sizeof *request->parts);
    for (size_t i = 0; i < list.n; i++) {
        int tables = heap_source_open(list.entries[i].path);
        if (tables < 0) {
            error = errno; /* it has just ended */
            continue;
        }
        struct serve_part *part = &request->parts[request->n_parts++];
        *part = (struct serve_part){.tables = tables, .process = list.entries[i]};
        part->process.path = NULL;
    }
    tables_list_free(&list);
    if (request->n_parts == 0) {
        serve_answer_error(request, 404, "the process has just ended: %s", strerror(error));
    }
    return request->n_parts > 0;
}

/* What a child has inherited is its parent's already, where both are shown. */
static void leave_out_inherited(struct profile *profile)
{
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        const struct profile_sample *sample = &profile->samples[s];
        for (uint32_t l = 0; l < sample->n_labels; l++) {
            const struct profile_label *label = &profile->labels[sample->first_label + l];
            if (strcmp(profile_text(profile, label->key), "inherited") == 0) {
                memset(&profile->values[(size_t)s * profile->n_sample_types], 0,
                       profile->n_sample_types * sizeof *profile->values);
            }
        }
    }
}

/* The symbolized profile of one part. */
static bool make_part(const struct serve_pages *pages, struct serve_request *request,
                      struct serve_part *part, struct profile *profile, uint64_t *rate,
                      struct profile_error *error)
{
    struct heap_snapshot snapshot;
    if (!heap_source_snapshot_of(part->tables, &snapshot, error)) {
        return false;
    }
    *rate = snapshot.header->rate;
    if (!part->process.alive && !part->has_older) {
        heap_source_ended(&snapshot, part->process.last_ns);
    }
    bool fine = part->has_older ? heap_source_delta(&part->older, &snapshot, profile, error)
                                : heap_source_profile(&snapshot, profile, error);
    heap_snapshot_free(&snapshot);
    if (!fine) {
        return false;
    }
    bool several = request->n_parts > 1;
    fine = several ? serve_symbols_apply_shared(pages->symbols, &part->process, profile)
                   : serve_symbols_apply(pages->symbols, &part->process, profile);
    if (!fine || profile->arena.failed) {
        profile_free(profile);
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    }
    if (several) {
        leave_out_inherited(profile);
    }
    return true;
}

/* The sum of all parts; what can't be read is left out unless there is nothing else. */
static bool make_profile(const struct serve_pages *pages, struct serve_request *request,
                         struct profile *out, uint64_t *rate, struct profile_error *error)
{
    if (request->n_parts == 1) {
        return make_part(pages, request, &request->parts[0], out, rate, error);
    }
    struct profile *profiles = memory_array(request->n_parts, sizeof *profiles);
    struct profile **list = memory_array(request->n_parts, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < request->n_parts; i++) {
        if (make_part(pages, request, &request->parts[i], &profiles[n], rate, error)) {
            list[n] = &profiles[n];
            n++;
        }
    }
    bool fine = n > 0 && merge_profiles(list, n, 0, out, error);
    if (fine) {
        char *comment = memory_print("# approf: %zu processes together", n);
        profile_add_comment(out, comment);
        free(comment);
    }
    for (size_t i = 0; i < n; i++) {
        profile_free(&profiles[i]);
    }
    free(list);
    free(profiles);
    return fine;
}

static void answer_profile(const struct serve_pages *pages, struct serve_request *request)
{
    struct profile profile;
    struct profile_error error;
    uint64_t rate = 0;
    if (!make_profile(pages, request, &profile, &rate, &error)) {
        serve_answer_error(request, 500, "%s", error.text);
        return;
    }
    profile.default_sample_type =
        request->page == SERVE_ALLOCS ? profile_intern_text(&profile, "alloc_space") : 0;
    if (profile.arena.failed) {
        serve_answer_error(request, 500, "out of memory");
    } else if (request->text) {
        size_t length;
        char *text = serve_text_page(&profile, rate, &length);
        serve_answer(request, 200, "text/plain; charset=utf-8", text, length);
    } else {
        answer_bytes(request, &profile);
    }
    profile_free(&profile);
}

/* The first snapshots of seconds=N; parts that can't be read go. */
static bool take_older(struct serve_request *request)
{
    struct profile_error error;
    size_t kept = 0;
    for (size_t i = 0; i < request->n_parts; i++) {
        struct serve_part *part = &request->parts[i];
        part->has_older = heap_source_snapshot_of(part->tables, &part->older, &error);
        if (part->has_older) {
            request->parts[kept++] = *part;
        } else {
            close(part->tables);
        }
    }
    request->n_parts = kept;
    if (kept == 0) {
        serve_answer_error(request, 500, "%s", error.text);
    }
    return kept > 0;
}

void serve_profile_page(const struct serve_pages *pages, struct serve_request *request)
{
    bool first = request->parts == NULL;
    if (first && !open_parts(pages, request)) {
        return;
    }
    if (first && request->seconds > 0) {
        if (take_older(request)) {
            request->due_ns = serve_now_ns() + request->seconds * 1000000000;
        }
        return;
    }
    answer_profile(pages, request);
}
