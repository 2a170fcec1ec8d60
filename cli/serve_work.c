/* serve_work.c - see serve_work.h. */
#include "serve_work.h"

#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    MOST_WAITING = 200,
    MOST_DELTAS = 32, /* of those: with seconds=N; each keeps a snapshot */
};

struct serve_work {
    struct serve_pages pages;
    struct serve_work_calls calls;
    pthread_t thread;
    pthread_mutex_t lock; /* of the following */
    pthread_cond_t changed;
    struct serve_request *first; /* in order of arrival */
    unsigned n_waiting, n_deltas;
    bool stopping;
};

int64_t serve_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void answer(const struct serve_pages *pages, struct serve_request *request)
{
    switch (request->page) {
    case SERVE_INDEX:
        serve_index_page(pages, request);
        break;
    case SERVE_HEAP:
    case SERVE_ALLOCS:
        serve_profile_page(pages, request);
        break;
    case SERVE_CMDLINE:
        serve_cmdline_page(pages, request);
        break;
    case SERVE_SYMBOL:
        serve_symbol_page(pages, request);
        break;
    default:
        serve_answer_error(request, 404, "no such page");
    }
}

/* Takes a request out whose time has come; NULL with the time of the next one (0: none). */
static struct serve_request *take_due(struct serve_work *work, int64_t now, int64_t *next_ns)
{
    *next_ns = 0;
    for (struct serve_request **at = &work->first; *at != NULL; at = &(*at)->next) {
        struct serve_request *request = *at;
        if (request->due_ns <= now) {
            *at = request->next;
            request->next = NULL;
            return request;
        }
        if (*next_ns == 0 || request->due_ns < *next_ns) {
            *next_ns = request->due_ns;
        }
    }
    return NULL;
}

static void append(struct serve_work *work, struct serve_request *request)
{
    struct serve_request **at = &work->first;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    request->next = NULL;
    *at = request;
}

static void leave(struct serve_work *work, bool delta)
{
    work->n_waiting--;
    work->n_deltas -= delta;
}

static void wait_until(struct serve_work *work, int64_t at_ns)
{
    struct timespec at = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
    pthread_cond_timedwait(&work->changed, &work->lock, &at);
}

static void *run(void *ctx)
{
    struct serve_work *work = ctx;
    int64_t tick_ns = 0;
    pthread_mutex_lock(&work->lock);
    while (!work->stopping) {
        int64_t now = serve_now_ns(), next_ns;
        if (now >= tick_ns) {
            tick_ns = now + 1000000000;
            pthread_mutex_unlock(&work->lock);
            work->calls.tick(work->calls.ctx);
            pthread_mutex_lock(&work->lock);
            continue;
        }
        struct serve_request *request = take_due(work, now, &next_ns);
        if (request == NULL) {
            wait_until(work, next_ns != 0 && next_ns < tick_ns ? next_ns : tick_ns);
            continue;
        }
        pthread_mutex_unlock(&work->lock);
        answer(&work->pages, request);
        bool done = request->answer.status != 0;
        bool delta = request->seconds > 0;
        if (done) {
            work->calls.done(work->calls.ctx, request);
        }
        pthread_mutex_lock(&work->lock);
        if (done) {
            leave(work, delta);
        } else {
            append(work, request);
        }
    }
    while (work->first != NULL) {
        struct serve_request *request = work->first;
        work->first = request->next;
        serve_answer_error(request, 503, "approf is ending");
        work->calls.done(work->calls.ctx, request);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

struct serve_work *serve_work_start(const struct serve_options *options,
                                    const struct serve_work_calls *calls)
{
    struct serve_work *work = memory_array(1, sizeof *work);
    pthread_condattr_t attributes;
    work->pages.options = options;
    work->pages.symbols = serve_symbols_open();
    work->calls = *calls;
    pthread_mutex_init(&work->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&work->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&work->thread, NULL, run, work) != 0) {
        serve_symbols_close(work->pages.symbols);
        free(work);
        return NULL;
    }
    return work;
}

bool serve_work_add(struct serve_work *work, struct serve_request *request)
{
    pthread_mutex_lock(&work->lock);
    bool delta = request->seconds > 0;
    bool room = work->n_waiting < MOST_WAITING && (!delta || work->n_deltas < MOST_DELTAS) &&
                !work->stopping;
    if (room) {
        work->n_waiting++;
        work->n_deltas += delta;
        append(work, request);
        pthread_cond_signal(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
    return room;
}

void serve_work_cancel(struct serve_work *work, struct serve_request *request)
{
    bool found = false;
    pthread_mutex_lock(&work->lock);
    for (struct serve_request **at = &work->first; *at != NULL; at = &(*at)->next) {
        if (*at == request) {
            *at = request->next;
            leave(work, request->seconds > 0);
            found = true;
            break;
        }
    }
    pthread_mutex_unlock(&work->lock);
    if (found) {
        serve_answer_error(request, 503, "the client has gone");
        work->calls.done(work->calls.ctx, request);
    }
}

void serve_work_stop(struct serve_work *work)
{
    pthread_mutex_lock(&work->lock);
    work->stopping = true;
    pthread_cond_signal(&work->changed);
    pthread_mutex_unlock(&work->lock);
    pthread_join(work->thread, NULL);
    serve_symbols_close(work->pages.symbols);
    pthread_cond_destroy(&work->changed);
    pthread_mutex_destroy(&work->lock);
    free(work);
}
