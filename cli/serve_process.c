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

bool serve_process_find(const struct serve_pages *pages, struct serve_request *request,
                        struct tables_entry *process, char *path, size_t room)
{
    struct tables_list list;
    const struct tables_entry *best = NULL;
    unsigned n_alive = 0;
    serve_process_list(pages, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct tables_entry *entry = &list.entries[i];
        if (request->pid != 0 && entry->pid != request->pid) {
            continue;
        }
        n_alive += entry->alive;
        if (best == NULL || entry->alive >= best->alive) {
            best = entry; /* the list is in order of time */
        }
    }
    bool found =
        best != NULL && n_alive <= 1 && (size_t)snprintf(path, room, "%s", best->path) < room;
    if (found) {
        *process = *best;
        process->path = path;
    } else if (best == NULL && request->pid != 0) {
        serve_answer_error(request, 404, "process %u is not profiled, or has ended", request->pid);
    } else if (best == NULL) {
        serve_answer_error(request, 404, "no process is profiled: %s", pages->options->processes);
    } else {
        serve_answer_error(request, 404,
                           "%u processes are profiled: ask for one at /PID/debug/pprof/, / lists "
                           "them",
                           n_alive);
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

bool serve_symbols_apply(struct serve_symbols *symbols, const struct tables_entry *process,
                         struct profile *profile)
{
    struct kept_symbolizer *chosen = &symbols->kept[0];
    int64_t now = serve_now_ns();
    for (int i = 0; i < MOST_SYMBOLIZERS; i++) {
        struct kept_symbolizer *kept = &symbols->kept[i];
        if (kept->symbolizer != NULL && kept->pid == process->pid &&
            kept->start_ns == process->start_realtime_ns) {
            chosen = kept;
            break;
        }
        if (kept->used_ns < chosen->used_ns) {
            chosen = kept;
        }
    }
    bool fits = chosen->symbolizer != NULL && chosen->pid == process->pid &&
                chosen->start_ns == process->start_realtime_ns &&
                now - chosen->opened_ns < longest_ns;
    if (!fits) {
        symbolizer_close(chosen->symbolizer);
        *chosen = (struct kept_symbolizer){
            .pid = process->pid, .start_ns = process->start_realtime_ns, .opened_ns = now};
        if (process->alive && !process->own_container) {
            snprintf(chosen->root, sizeof chosen->root, "/proc/%u/root", process->pid);
        }
        struct symbolize_options options = {.quiet = true,
                                            .pid = process->alive ? process->pid : 0,
                                            .root = chosen->root[0] != 0 ? chosen->root : NULL};
        chosen->symbolizer = symbolizer_open(&options);
    }
    chosen->used_ns = now;
    return chosen->symbolizer != NULL && symbolizer_apply(chosen->symbolizer, profile, NULL);
}
