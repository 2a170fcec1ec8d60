/* serve_work.h - the thread that answers requests which need tables or symbols, one by one.
 *
 * Requests wait in a queue, those with seconds=N twice: for their turn, and until the second
 * snapshot is due. An answered one is handed to done(), which is called in the worker's thread.
 */
#ifndef APPROF_SERVE_WORK_H
#define APPROF_SERVE_WORK_H

#include "serve.h"
#include "serve_request.h"
#include "symbolize.h"
#include "tables_dir.h"

struct serve_work;

struct serve_work_calls {
    void (*done)(void *ctx, struct serve_request *request);
    void (*tick)(void *ctx); /* about once a second */
    void *ctx;
};

/* NULL when there can be no thread. */
struct serve_work *serve_work_start(const struct serve_options *options,
                                    const struct serve_work_calls *calls);
/* False when too many are waiting: the request is still the caller's. Any thread. */
bool serve_work_add(struct serve_work *work, struct serve_request *request);
/* Gives up on a request that waits; only from within tick(). */
void serve_work_cancel(struct serve_work *work, struct serve_request *request);
/* Answers what still waits with 503, and ends the thread. */
void serve_work_stop(struct serve_work *work);

/* CLOCK_MONOTONIC. */
int64_t serve_now_ns(void);

/* ---- what the worker answers with; its thread only ---- */

struct serve_symbols;

/* What the pages are made of. */
struct serve_pages {
    const struct serve_options *options;
    struct serve_symbols *symbols;
};

/* The process that a request is about. Otherwise answers: 404 and why. */
bool serve_process_find(const struct serve_pages *pages, struct serve_request *request,
                        struct tables_entry *process, char *path, size_t room);
/* The processes that a profile is about: one, or all that are alive and shown. False after an
 * answer: 404 and why. To be freed with tables_list_free. */
bool serve_process_choose(const struct serve_pages *pages, struct serve_request *request,
                          struct tables_list *chosen);
/* All that may be shown, in order of start. To be freed with tables_list_free. */
void serve_process_list(const struct serve_pages *pages, struct tables_list *list);

/* Symbolizers are kept: binaries are opened once. */
struct serve_symbols *serve_symbols_open(void);
void serve_symbols_close(struct serve_symbols *symbols);
bool serve_symbols_apply(struct serve_symbols *symbols, const struct tables_entry *process,
                         struct profile *profile);
/* With one symbolizer for all processes of this system: for many at once. */
bool serve_symbols_apply_shared(struct serve_symbols *symbols, const struct tables_entry *process,
                                struct profile *profile);

/* heap and allocs. With seconds=N the first call takes the first snapshot, sets due_ns and gives no
 * answer yet. */
void serve_profile_page(const struct serve_pages *pages, struct serve_request *request);
/* Go's debug=1 form of a profile. The result is malloc'd. */
char *serve_text_page(const struct profile *profile, uint64_t rate, size_t *length);
void serve_index_page(const struct serve_pages *pages, struct serve_request *request);
void serve_cmdline_page(const struct serve_pages *pages, struct serve_request *request);
void serve_symbol_page(const struct serve_pages *pages, struct serve_request *request);

#endif
