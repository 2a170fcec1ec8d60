/* live_watch.c - see live_watch.h. The process notices nothing: its tables are looked at once per
 * interval.
 */
#include "live_watch.h"

#include "heap_source.h"
#include "live_screen.h"
#include "memory.h"
#include "message.h"
#include "process_info.h"
#include "run_collect.h"
#include "symbolize.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_LOOK_MS = 100,  /* between looks for the first process of a run */
    OPEN_AFTER_LOOKS = 10 /* then the screen opens, empty */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- the process that is shown ---- */

static void close_process(struct live_watch *watch)
{
    if (watch->tables >= 0) {
        close(watch->tables);
        watch->tables = -1;
    }
    if (watch->symbolizer != NULL) {
        symbolizer_close(watch->symbolizer);
        watch->symbolizer = NULL;
    }
    if (watch->live.sites != NULL) {
        live_sites_close(watch->live.sites);
        watch->live.sites = NULL;
    }
}

bool live_watch_process(struct live_watch *watch, const struct tables_entry *entry)
{
    struct live *live = &watch->live;
    int tables = heap_source_open(entry->path);
    if (tables < 0) {
        return false;
    }
    close_process(watch);
    watch->tables = tables;
    watch->inner_start_ns = entry->start_realtime_ns;
    watch->start_ticks = 0;
    process_start_ticks(entry->pid, &watch->start_ticks);
    watch->root[0] = 0;
    if (entry->alive && !entry->own_container) {
        snprintf(watch->root, sizeof watch->root, "/proc/%u/root", entry->pid);
    }
    struct symbolize_options quiet = {.quiet = true,
                                      .pid = entry->alive ? entry->pid : 0,
                                      .root = watch->root[0] != 0 ? watch->root : NULL};
    watch->symbolizer = symbolizer_open(&quiet);
    live->sites = live_sites_open();
    snprintf(live->name, sizeof live->name, "%s", tables_exe_name(entry));
    live->pid = entry->pid;
    live->start_realtime_ns = entry->start_realtime_ns;
    live->selected = live->top = 0;
    live->ended = false;
    if (watch->symbolizer == NULL) {
        errno = ENOMEM;
        return false;
    }
    return true;
}

static bool has_ended(const struct live_watch *watch)
{
    uint64_t ticks;
    struct stat status;
    return !process_start_ticks(watch->live.pid, &ticks) || ticks != watch->start_ticks ||
           fstat(watch->tables, &status) != 0 || status.st_nlink == 0;
}

/* The profile as it is now, with lines. */
static bool take_profile(struct live_watch *watch, struct profile *profile, int64_t *taken_ns,
                         struct profile_error *error)
{
    struct live *live = &watch->live;
    struct heap_snapshot snapshot;
    if (!heap_source_snapshot_of(watch->tables, &snapshot, error)) {
        return false;
    }
    const struct heap_header *header = snapshot.header;
    *taken_ns = snapshot.taken_monotonic_ns;
    live->total_bytes = header->total_bytes;
    live->live_bytes = (int64_t)header->live_bytes > 0 ? header->live_bytes : 0;
    live->peak_bytes = header->peak_bytes;
    live->rate = header->rate;
    bool fine = heap_source_profile(&snapshot, profile, error);
    heap_snapshot_free(&snapshot);
    if (fine && !symbolizer_apply(watch->symbolizer, profile, NULL)) {
        profile_free(profile);
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    }
    return fine;
}

static void look(struct live_watch *watch)
{
    struct live *live = &watch->live;
    struct profile profile;
    struct profile_error error;
    int64_t taken_ns;
    bool ended = has_ended(watch);
    if (!take_profile(watch, &profile, &taken_ns, &error)) {
        snprintf(live->message, sizeof live->message, "%s", error.text);
        return;
    }
    live_sites_look(live->sites, &profile, taken_ns);
    profile_free(&profile);
    live->ended = ended; /* what it counted to its end has been seen */
}

/* ---- the processes of a run ---- */

static bool is_shown(const struct live_watch *watch, const struct tables_entry *entry)
{
    return watch->tables >= 0 && entry->pid == watch->live.pid &&
           entry->start_realtime_ns == watch->inner_start_ns;
}

/* Which one to show: what is shown, as long as it lives, unless another one has allocated over
 * twice as much and nobody has chosen; else the one that has allocated most. */
static const struct tables_entry *choose(const struct live_watch *watch,
                                         const struct tables_list *list)
{
    const struct tables_entry *shown = NULL, *most = NULL;
    for (size_t i = 0; i < list->n; i++) {
        const struct tables_entry *entry = &list->entries[i];
        if (!entry->alive) {
            continue;
        }
        shown = is_shown(watch, entry) ? entry : shown;
        most = most == NULL || entry->total_bytes > most->total_bytes ? entry : most;
    }
    if (shown != NULL && (watch->chosen || most->total_bytes / 2 <= shown->total_bytes)) {
        return shown;
    }
    return most;
}

/* The living one behind what is shown, in order of start; the first one behind the last. */
static const struct tables_entry *next_of(const struct live_watch *watch,
                                          const struct tables_list *list)
{
    const struct tables_entry *first = NULL;
    bool passed = false;
    for (size_t i = 0; i < list->n; i++) {
        const struct tables_entry *entry = &list->entries[i];
        if (entry->alive && passed) {
            return entry;
        }
        if (entry->alive && first == NULL) {
            first = entry;
        }
        passed |= is_shown(watch, entry);
    }
    return first;
}

static void follow(struct live_watch *watch, bool next)
{
    struct tables_list list;
    struct live *live = &watch->live;
    if (watch->directory == NULL) {
        return;
    }
    tables_dir_scan(watch->directory, &list);
    const struct tables_entry *entry = next ? next_of(watch, &list) : choose(watch, &list);
    live->n_processes = 0;
    for (size_t i = 0; i < list.n; i++) {
        live->n_processes += list.entries[i].alive;
    }
    if (entry != NULL && !is_shown(watch, entry)) {
        watch->chosen = next;
        live_watch_process(watch, entry);
    }
    tables_list_free(&list);
}

/* ---- keys ---- */

static void write_profile(struct live_watch *watch)
{
    struct live *live = &watch->live;
    struct profile profile;
    struct profile_error error;
    int64_t taken_ns;
    char path[PATH_MAX], final[PATH_MAX];
    const char *pattern = getenv("APPROF_OUT");
    if (pattern == NULL || *pattern == 0) {
        pattern = "approf.%e.%p.pb.gz";
    }
    if (!run_profile_name(pattern, live->name, live->pid, path, sizeof path)) {
        snprintf(live->message, sizeof live->message, "the name of the profile is too long");
        return;
    }
    bool fine = take_profile(watch, &profile, &taken_ns, &error);
    if (fine) {
        fine = profile_write_file(&profile, path, false, final, sizeof final, &error);
        profile_free(&profile);
    }
    snprintf(live->message, sizeof live->message, fine ? "written: %.500s" : "not written: %.500s",
             fine ? final : error.text);
}

/* False when it is time to end. */
static bool on_key(struct live_watch *watch, int key)
{
    struct live *live = &watch->live;
    int columns, rows;
    live_screen_size(&columns, &rows);
    size_t page = rows > 8 ? (size_t)rows - 8 : 1;
    if (key != LIVE_KEY_NONE) {
        live->message[0] = 0;
    }
    if (live->help && key != LIVE_KEY_NONE) {
        live->help = false;
        return key != LIVE_KEY_END;
    }
    if (watch->tables < 0 && key != 'q' && key != LIVE_KEY_END) {
        return true; /* there is nothing yet that keys could be about */
    }
    switch (key) {
    case 'q':
    case LIVE_KEY_END:
        return false;
    case 'r':
        live->order = LIVE_BY_RATE;
        break;
    case 'l':
        live->order = LIVE_BY_LIVE;
        break;
    case 'g':
        live->order = LIVE_BY_GROWTH;
        break;
    case 'o':
        live->order = (live->order + 1) % LIVE_N_ORDERS;
        break;
    case 'v':
        live->view = live->view == LIVE_LINES ? LIVE_FUNCTIONS : LIVE_LINES;
        live->selected = 0;
        break;
    case 'f':
    case ' ':
        live->frozen = !live->frozen;
        break;
    case 'z':
        live_sites_reset(live->sites);
        snprintf(live->message, sizeof live->message, "growth counts from now on");
        break;
    case 'n':
        follow(watch, true);
        break;
    case 'w':
        write_profile(watch);
        break;
    case 's':
    case LIVE_KEY_ENTER:
        live->source = !live->source;
        break;
    case LIVE_KEY_ESCAPE:
        live->source = false;
        break;
    case '?':
    case 'h':
        live->help = true;
        break;
    case 'k':
    case LIVE_KEY_UP:
        live->selected -= live->selected > 0;
        break;
    case 'j':
    case LIVE_KEY_DOWN:
        live->selected++;
        break;
    case LIVE_KEY_PAGE_UP:
        live->selected -= live->selected < page ? live->selected : page;
        break;
    case LIVE_KEY_PAGE_DOWN:
        live->selected += page;
        break;
    case LIVE_KEY_HOME:
        live->selected = 0;
        break;
    case LIVE_KEY_LAST:
        live->selected = SIZE_MAX / 2;
        break;
    default:
        break;
    }
    return true;
}

/* ---- the loop ---- */

/* Looks for the first process of a run; the screen opens when there is one, or after a while. */
static void await_process(struct live_watch *watch)
{
    for (int i = 0; watch->tables < 0 && i < OPEN_AFTER_LOOKS; i++) {
        follow(watch, false);
        if (watch->tables < 0) {
            nanosleep(&(struct timespec){.tv_nsec = FIRST_LOOK_MS * 1000 * 1000}, NULL);
        }
    }
}

bool live_watch_run(struct live_watch *watch, int input, int output, int64_t interval_ns)
{
    struct live *live = &watch->live;
    int64_t next = 0;
    int key;
    await_process(watch);
    if (!live_screen_open(input, output)) {
        return false;
    }
    do {
        if (now_ns() >= next) {
            if (!live->frozen) {
                follow(watch, false);
            }
            if (!live->frozen && !live->ended && watch->tables >= 0) {
                look(watch);
            }
            next = now_ns() + interval_ns;
        }
        live_draw(live);
        key = live_screen_key(next);
    } while (on_key(watch, key));
    live_screen_close();
    return true;
}

bool live_watch_interval(const char *text, int64_t *ns)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || (*end != 0 && strcmp(end, "s") != 0) || !(seconds >= 0.1) ||
        seconds > 3600) {
        message_error("-refresh: '%s' is not between 0.1 and 3600 seconds", text);
        message_hint("for example -refresh 2");
        return false;
    }
    *ns = (int64_t)(seconds * 1e9);
    return true;
}

void live_watch_open(struct live_watch *watch, const char *source_path)
{
    *watch = (struct live_watch){.tables = -1};
    watch->live.order = LIVE_BY_RATE;
    source_texts_open(&watch->live.texts, source_path, "");
}

void live_watch_close(struct live_watch *watch)
{
    close_process(watch);
    source_texts_close(&watch->live.texts);
}
