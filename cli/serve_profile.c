/* serve_profile.c - the pages heap and allocs: a snapshot, or two, as a profile. */
#include "heap_source.h"
#include "memory.h"
#include "serve_work.h"
#include "message.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* gzip's own fastest: clients ask again and again, and mostly over loopback. */
enum { GZIP_LEVEL = 1 };

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

static void answer_profile(const struct serve_pages *pages, struct serve_request *request,
                           const struct tables_entry *process, const struct heap_snapshot *snapshot)
{
    struct profile profile;
    struct profile_error error;
    bool fine = request->has_older ? heap_source_delta(&request->older, snapshot, &profile, &error)
                                   : heap_source_profile(snapshot, &profile, &error);
    if (!fine) {
        serve_answer_error(request, 500, "%s", error.text);
        return;
    }
    profile.default_sample_type =
        request->page == SERVE_ALLOCS ? profile_intern_text(&profile, "alloc_space") : 0;
    if (!serve_symbols_apply(pages->symbols, process, &profile) || profile.arena.failed) {
        serve_answer_error(request, 500, "out of memory");
    } else if (request->text) {
        size_t length;
        char *text = serve_text_page(&profile, snapshot->header->rate, &length);
        serve_answer(request, 200, "text/plain; charset=utf-8", text, length);
    } else {
        answer_bytes(request, &profile);
    }
    profile_free(&profile);
}

void serve_profile_page(const struct serve_pages *pages, struct serve_request *request)
{
    struct tables_entry process;
    char path[PATH_MAX];
    struct heap_snapshot snapshot;
    struct profile_error error;
    bool first = request->tables < 0;
    if (first) {
        if (!serve_process_find(pages, request, &process, path, sizeof path)) {
            return;
        }
        request->tables = heap_source_open(path);
        if (request->tables < 0) {
            serve_answer_error(request, 404, "the process has just ended: %s",
                               message_errno(errno));
            return;
        }
    } else {
        process = request->process; /* which may have ended, and taken the file's name away */
    }
    if (!heap_source_snapshot_of(request->tables, &snapshot, &error)) {
        serve_answer_error(request, 500, "%s", error.text);
        return;
    }
    if (request->seconds > 0 && first) {
        request->older = snapshot;
        request->has_older = true;
        request->process = process;
        request->process.path = NULL;
        request->due_ns = serve_now_ns() + request->seconds * 1000000000;
        return;
    }
    answer_profile(pages, request, &process, &snapshot);
    heap_snapshot_free(&snapshot);
}
