/* serve_process.c - the processes that a server shows, and the symbolizers that it keeps for them.
 */
#include "serve_work.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool shown(const struct serve_pages *pages, const struct tables_entry *entry)
{
    const char *wanted = pages->options->processes;
    size_t n = strlen(wanted);
    if (entry->uid != geteuid() || entry->other_boot) {
        return false;
    }
    if (strcmp(wanted, "all") == 0) {
        return true;
    }
    if (strspn(wanted, "0123456789") == n) {
        return strtoul(wanted, NULL, 10) == entry->pid;
    }
    return strcmp(tables_exe_name(entry), wanted) == 0;
}

void serve_process_list(const struct serve_pages *pages, struct tables_list *list)
{
    size_t kept = 0;
    tables_dir_scan(pages->options->directory, list);
    for (size_t i = 0; i < list->n; i++) {
        if (shown(pages, &list->entries[i])) {
            list->entries[kept++] = list->entries[i];
        } else {
            free(list->entries[i].path);
        }
    }
    list->n = kept;
}

/* Keeps what a request is about: with a pid that one, without what is alive, or else what ended
 * last.
 */
static void choose(const struct serve_request *request, struct tables_list *list)
{
    size_t kept = 0, n_alive = 0;
    for (size_t i = 0; i < list->n; i++) {
        struct tables_entry *entry = &list->entries[i];
        if (request->pid == 0 || entry->pid == request->pid) {
            n_alive += entry->alive;
            list->entries[kept++] = *entry;
        } else {
            free(entry->path);
        }
    }
    list->n = kept;
    kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        struct tables_entry *entry = &list->entries[i];
        if (n_alive > 0 ? entry->alive : i + 1 == list->n) { /* the list is in order of time */
            list->entries[kept++] = *entry;
        } else {
            free(entry->path);
        }
    }
    list->n = kept;
}

bool serve_process_choose(const struct serve_pages *pages, struct serve_request *request,
                          struct tables_list *chosen)
{
    serve_process_list(pages, chosen);
    choose(request, chosen);
    if (chosen->n > 0) {
        return true;
    }
    tables_list_free(chosen);
    if (request->pid != 0) {
        serve_answer_error(request, 404, "process %u is not profiled, or has ended", request->pid);
    } else {
        serve_answer_error(request, 404, "no process is profiled: %s", pages->options->processes);
    }
    return false;
}

bool serve_process_find(const struct serve_pages *pages, struct serve_request *request,
                        struct tables_entry *process, char *path, size_t room)
{
    struct tables_list list;
    if (!serve_process_choose(pages, request, &list)) {
        return false;
    }
    bool found = list.n == 1 && (size_t)snprintf(path, room, "%s", list.entries[0].path) < room;
    if (found) {
        *process = list.entries[0];
        process->path = path;
    } else {
        serve_answer_error(request, 404,
                           "%zu processes are profiled: ask for one at /PID/debug/pprof/, / lists "
                           "them",
                           list.n);
    }
    tables_list_free(&list);
    return found;
}

/* ---- symbolizers ---- */

enum { MOST_SYMBOLIZERS = 8 };

/* One for each process that was asked for lately: what is mapped where differs. */
struct kept_symbolizer {
    struct symbolizer *symbolizer;
    uint32_t pid;
    int64_t start_ns; /* of the process */
    int64_t opened_ns, used_ns;
    char root[64];
};

struct serve_symbols {
    struct kept_symbolizer kept[MOST_SYMBOLIZERS];
};

/* A binary may be replaced, and a program that loads ever new libraries must not fill our memory.
 */
static const int64_t longest_ns = INT64_C(600) * 1000000000;

struct serve_symbols *serve_symbols_open(void)
{
    return memory_array(1, sizeof(struct serve_symbols));
}

void serve_symbols_close(struct serve_symbols *symbols)
{
    for (int i = 0; i < MOST_SYMBOLIZERS; i++) {
        symbolizer_close(symbols->kept[i].symbolizer);
    }
    free(symbols);
}

/* The one that is kept for that pid and start, or a new one. */
static struct symbolizer *find_symbolizer(struct serve_symbols *symbols, uint32_t pid,
                                          int64_t start_ns, bool elsewhere)
{
    struct kept_symbolizer *chosen = &symbols->kept[0];
    int64_t now = serve_now_ns();
    for (int i = 0; i < MOST_SYMBOLIZERS; i++) {
        struct kept_symbolizer *kept = &symbols->kept[i];
        if (kept->symbolizer != NULL && kept->pid == pid && kept->start_ns == start_ns) {
            chosen = kept;
            break;
        }
        if (kept->used_ns < chosen->used_ns) {
            chosen = kept;
        }
    }
    bool fits = chosen->symbolizer != NULL && chosen->pid == pid && chosen->start_ns == start_ns &&
                now - chosen->opened_ns < longest_ns;
    if (!fits) {
        symbolizer_close(chosen->symbolizer);
        *chosen = (struct kept_symbolizer){.pid = pid, .start_ns = start_ns, .opened_ns = now};
        if (elsewhere) {
            snprintf(chosen->root, sizeof chosen->root, "/proc/%u/root", pid);
        }
        struct symbolize_options options = {.quiet = true,
                                            .root = chosen->root[0] != 0 ? chosen->root : NULL};
        chosen->symbolizer = symbolizer_open(&options);
    }
    chosen->used_ns = now;
    return chosen->symbolizer;
}

static bool apply(struct symbolizer *symbolizer, const struct tables_entry *process,
                  struct profile *profile)
{
    if (symbolizer == NULL) {
        return false;
    }
    symbolizer_set_pid(symbolizer, process->alive ? process->pid : 0);
    return symbolizer_apply(symbolizer, profile, NULL);
}

bool serve_symbols_apply(struct serve_symbols *symbols, const struct tables_entry *process,
                         struct profile *profile)
{
    return apply(find_symbolizer(symbols, process->pid, process->start_realtime_ns,
                                 process->alive && !process->own_container),
                 process, profile);
}

bool serve_symbols_apply_shared(struct serve_symbols *symbols, const struct tables_entry *process,
                                struct profile *profile)
{
    if (!process->own_container) {
        return serve_symbols_apply(symbols, process, profile);
    }
    return apply(find_symbolizer(symbols, 0, 0, false), process, profile);
}
