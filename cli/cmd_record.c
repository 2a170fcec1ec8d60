/* cmd_record.c - approf record PID|NAME|all -interval 60s -keep 24h -o DIR: profiles at intervals,
 * into a directory that reports take as a source.
 *
 * Tables are kept open, so that what a process allocated up to its end is recorded too.
 */
#include "commands.h"
#include "heap_source.h"
#include "memory.h"
#include "record_store.h"
#include "serve_work.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RECORDED = 500 }; /* processes at a time */

/* A process that is recorded; told by its number and start, and by its tables. */
struct recorded {
    struct tables_entry process; /* without path */
    int tables;
    dev_t device;
    ino_t inode;
    bool seen; /* in this pass */
};

struct recorder {
    struct serve_options which;
    struct serve_pages pages;
    const char *directory;
    struct recorded *processes;
    size_t n, room;
    unsigned n_written, n_failed;
    bool told;
};

static void write_record(struct recorder *recorder, const struct recorded *recorded)
{
    struct heap_snapshot snapshot;
    struct profile profile;
    struct profile_error error;
    char path[PATH_MAX];
    if (!heap_source_snapshot_of(recorded->tables, &snapshot, &error)) {
        recorder->n_failed++;
        return;
    }
    int64_t taken = snapshot.taken_realtime_ns / 1000000000;
    bool fine = heap_source_profile(&snapshot, &profile, &error);
    heap_snapshot_free(&snapshot);
    if (fine) {
        fine = (serve_symbols_apply(recorder->pages.symbols, &recorded->process, &profile) ||
                profile_error_set(&error, PROFILE_ERROR_MEMORY, "out of memory")) &&
               (record_name(recorder->directory, tables_exe_name(&recorded->process),
                            recorded->process.pid, recorded->process.start_realtime_ns / 1000000000,
                            taken, path, sizeof path) ||
                profile_error_set(&error, PROFILE_ERROR_IO, "the name is too long")) &&
               profile_write_file(&profile, path, true, NULL, 0, &error);
        profile_free(&profile);
    }
    recorder->n_written += fine;
    recorder->n_failed += !fine;
    if (!fine && !recorder->told) {
        /* Once: a full disk would fill the terminal, too. */
        recorder->told = true;
        message_error("record: %s", error.text);
        message_hint("recording goes on; -keep bounds how much there is");
    }
}

static struct recorded *find(struct recorder *recorder, const struct stat *status)
{
    for (size_t i = 0; i < recorder->n; i++) {
        if (recorder->processes[i].device == status->st_dev &&
            recorder->processes[i].inode == status->st_ino) {
            return &recorder->processes[i];
        }
    }
    return NULL;
}

/* Opens the tables of processes that were not there before. */
static void meet(struct recorder *recorder, const struct tables_list *list)
{
    for (size_t i = 0; i < list->n && recorder->n < MOST_RECORDED; i++) {
        const struct tables_entry *entry = &list->entries[i];
        struct stat status;
        int fd = entry->alive ? heap_source_open(entry->path) : -1;
        if (fd < 0 || fstat(fd, &status) != 0) {
            continue;
        }
        struct recorded *known = find(recorder, &status);
        if (known != NULL) {
            close(fd);
        } else {
            MEMORY_ROOM(recorder->processes, recorder->n, recorder->room);
            known = &recorder->processes[recorder->n++];
            *known = (struct recorded){
                .process = *entry, .tables = fd, .device = status.st_dev, .inode = status.st_ino};
            known->process.path = NULL;
        }
        known->seen = true;
    }
}

static void pass(struct recorder *recorder)
{
    struct tables_list list;
    size_t kept = 0;
    for (size_t i = 0; i < recorder->n; i++) {
        recorder->processes[i].seen = false;
    }
    serve_process_list(&recorder->pages, &list);
    meet(recorder, &list);
    tables_list_free(&list);
    for (size_t i = 0; i < recorder->n; i++) {
        struct recorded *recorded = &recorder->processes[i];
        write_record(recorder, recorded);
        if (recorded->seen) {
            recorder->processes[kept++] = *recorded;
        } else {
            close(recorded->tables); /* it has ended: that was its last */
        }
    }
    recorder->n = kept;
}

/* Until then, or until one of the signals; true for a signal. */
static bool wait_until(const sigset_t *ends, int64_t at_ns)
{
    int64_t left = at_ns - serve_now_ns();
    struct timespec wait = {.tv_sec = left > 0 ? left / 1000000000 : 0,
                            .tv_nsec = left > 0 ? left % 1000000000 : 0};
    return sigtimedwait(ends, NULL, &wait) > 0;
}

static bool duration(const char *name, const char *text, int64_t *seconds)
{
    if (record_duration(text, seconds) && *seconds > 0) {
        return true;
    }
    message_error("-%s: '%s' is no duration", name, text);
    message_hint("for example 30s, 5m, 24h or 7d");
    return false;
}

int cmd_record(struct invocation *invocation)
{
    const struct cli_options *options = &invocation->options;
    int64_t interval, keep;
    if (invocation->n_arguments != 1 || *options->output == 0) {
        message_error("record: %s",
                      invocation->n_arguments != 1 ? "which process?" : "into which directory?");
        message_hint("approf record PID|NAME|all -interval 60s -keep 24h -o DIR");
        return STATUS_BAD_USAGE;
    }
    if (!duration("interval", options->interval, &interval) ||
        !duration("keep", options->keep, &keep)) {
        return STATUS_BAD_USAGE;
    }
    if (mkdir(options->output, 0700) != 0 && errno != EEXIST) {
        message_error("%s: cannot be made: %s", options->output, message_errno(errno));
        return STATUS_BAD_USAGE;
    }
    if (!record_is(options->output) || access(options->output, W_OK) != 0) {
        message_error("%s: not a directory that can be written to", options->output);
        message_hint("-o names a directory; it is made if it is not there");
        return STATUS_BAD_USAGE;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    struct recorder recorder = {.which = {.processes = invocation->arguments[0]},
                                .directory = options->output};
    recorder.pages =
        (struct serve_pages){.options = &recorder.which, .symbols = serve_symbols_open()};
    message_note("approf: recording %s into %s every %llds; ^C ends it", recorder.which.processes,
                 options->output, (long long)interval);
    int64_t next = serve_now_ns();
    do {
        pass(&recorder);
        record_remove_before(options->output, (int64_t)time(NULL) - keep);
        next += interval * 1000000000;
        if (next < serve_now_ns()) {
            next = serve_now_ns(); /* it took longer than that */
        }
    } while (!wait_until(&ends, next));
    pass(&recorder);
    for (size_t i = 0; i < recorder.n; i++) {
        close(recorder.processes[i].tables);
    }
    free(recorder.processes);
    serve_symbols_close(recorder.pages.symbols);
    message_note("approf: %u profiles were written into %s", recorder.n_written, options->output);
    if (recorder.n_written > 0) {
        message_note("next:   approf top %s -from 1h", options->output);
    }
    return recorder.n_failed > 0 && recorder.n_written == 0 ? STATUS_BAD_USAGE : STATUS_FINE;
}
