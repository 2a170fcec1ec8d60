/* cmd_live.c - approf live PID|NAME: what a process allocates, on a screen that refreshes. */
#include "commands.h"
#include "heap_source.h"
#include "live_watch.h"
#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The process's entry, by the path of its tables. */
static bool find_entry(const char *path, struct tables_entry *found)
{
    struct tables_list list;
    bool any = false;
    tables_dir_scan(NULL, &list);
    for (size_t i = 0; i < list.n && !any; i++) {
        if (strcmp(list.entries[i].path, path) == 0) {
            *found = list.entries[i];
            found->path = memory_text(path, strlen(path));
            any = true;
        }
    }
    tables_list_free(&list);
    return any;
}

int cmd_live(struct invocation *invocation)
{
    static struct live_watch watch; /* large */
    struct tables_entry entry;
    char path[PATH_MAX];
    int64_t interval_ns;
    if (invocation->n_arguments != 1) {
        message_error("live: which process?");
        message_hint("approf live PID, or the name of a program; approf ps lists them");
        return STATUS_BAD_USAGE;
    }
    const char *process = invocation->arguments[0];
    enum heap_source_match match = heap_source_find(process, path, sizeof path);
    if (match != HEAP_SOURCE_FOUND || !find_entry(path, &entry)) {
        message_error("%s: %s", process,
                      match == HEAP_SOURCE_AMBIGUOUS ? "several profiled processes have that name"
                                                     : "no such process is profiled");
        message_hint("approf ps lists them; approf run ./program starts one");
        return STATUS_BAD_USAGE;
    }
    int status = STATUS_BAD_USAGE;
    if (live_watch_interval(invocation->options.refresh, &interval_ns)) {
        live_watch_open(&watch, invocation->options.source_path);
        if (!live_watch_process(&watch, &entry)) {
            message_error("%s: %s", path, message_errno(errno));
        } else if (!live_watch_run(&watch, STDIN_FILENO, STDOUT_FILENO, interval_ns)) {
            message_error("live: standard input and output must be a terminal");
            message_hint("approf top %s prints the same once; approf diff %s -seconds=10 what "
                         "grows",
                         process, process);
        } else {
            status = STATUS_FINE;
        }
        live_watch_close(&watch);
    }
    free(entry.path);
    return status;
}
