/* cmd_live.c - approf live PID|NAME: what a process allocates, on a screen that refreshes.
 *
 * Looks at the tables once per interval; the process notices nothing.
 */
#include "commands.h"
#include "heap_source.h"
#include "live.h"
#include "live_screen.h"
#include "memory.h"
#include "process_info.h"
#include "run_collect.h"
#include "symbolize.h"
#include "tables_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct watched {
    int tables; /* open: they can be read even when the process has taken the name away */
    uint64_t start_ticks;
    struct symbolizer *symbolizer;
    char root[64];
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The process's entry, by the path of its tables. */
static bool find_entry(const char *path, struct tables_entry *found)
{
    struct tables_list list;
    bool any = false;
    tables_dir_scan(NULL, &list);
    for (size_t i = 0; i < list.n && !any; i++) {
        if (strcmp(list.entries[i].path, path) == 0) {
            *found = list.entries[i];
            found->path = NULL;
            any = true;
        }
    }
    tables_list_free(&list);
    return any;
}

static bool has_ended(const struct live *live, const struct watched *watched)
{
    uint64_t ticks;
    struct stat status;
    return !process_start_ticks(live->pid, &ticks) || ticks != watched->start_ticks ||
           fstat(watched->tables, &status) != 0 || status.st_nlink == 0;
}

/* The profile as it is now, with lines. */
static bool take_profile(struct watched *watched, struct live *live, struct profile *profile,
                         int64_t *taken_ns, struct profile_error *error)
{
    struct heap_snapshot snapshot;
    if (!heap_source_snapshot_of(watched->tables, &snapshot, error)) {
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
    if (fine && !symbolizer_apply(watched->symbolizer, profile, NULL)) {
        profile_free(profile);
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    }
    return fine;
}

static void look(struct watched *watched, struct live *live)
{
    struct profile profile;
    struct profile_error error;
    int64_t taken_ns;
    bool ended = has_ended(live, watched);
    if (!take_profile(watched, live, &profile, &taken_ns, &error)) {
        snprintf(live->message, sizeof live->message, "%s", error.text);
        return;
    }
    live_sites_look(live->sites, &profile, taken_ns);
    profile_free(&profile);
    live->ended = ended; /* what it counted to its end has been seen */
}

static void write_profile(struct watched *watched, struct live *live)
{
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
    bool fine = take_profile(watched, live, &profile, &taken_ns, &error);
    if (fine) {
        fine = profile_write_file(&profile, path, false, final, sizeof final, &error);
        profile_free(&profile);
    }
    snprintf(live->message, sizeof live->message, fine ? "written: %.500s" : "not written: %.500s",
             fine ? final : error.text);
}

/* False when it is time to end. */
static bool on_key(struct watched *watched, struct live *live, int key)
{
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
    case 'w':
        write_profile(watched, live);
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

static void run(struct watched *watched, struct live *live, int64_t interval_ns)
{
    int64_t next = 0;
    int key;
    do {
        if (now_ns() >= next) {
            if (!live->frozen && !live->ended) {
                look(watched, live);
            }
            next = now_ns() + interval_ns;
        }
        live_draw(live);
        key = live_screen_key(next);
    } while (on_key(watched, live, key));
}

static bool interval(const char *text, int64_t *ns)
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

int cmd_live(struct invocation *invocation)
{
    static struct live live; /* large */
    struct watched watched = {0};
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
    if (!interval(invocation->options.refresh, &interval_ns)) {
        return STATUS_BAD_USAGE;
    }
    watched.tables = heap_source_open(path);
    if (watched.tables < 0) {
        return message_error("%s: %s", path, strerror(errno));
    }
    process_start_ticks(entry.pid, &watched.start_ticks);
    if (entry.alive && !entry.own_container) {
        snprintf(watched.root, sizeof watched.root, "/proc/%u/root", entry.pid);
    }
    struct symbolize_options quiet = {.quiet = true,
                                      .pid = entry.alive ? entry.pid : 0,
                                      .root = watched.root[0] != 0 ? watched.root : NULL};
    watched.symbolizer = symbolizer_open(&quiet);
    live.sites = live_sites_open();
    source_texts_open(&live.texts, invocation->options.source_path, "");
    snprintf(live.name, sizeof live.name, "%s", tables_exe_name(&entry));
    live.pid = entry.pid;
    live.start_realtime_ns = entry.start_realtime_ns;
    live.order = LIVE_BY_RATE;
    int status = STATUS_FINE;
    if (watched.symbolizer == NULL) {
        status = message_error("out of memory");
    } else if (!live_screen_open()) {
        status = message_error("live: standard input and output must be a terminal");
        message_hint("approf top %s prints the same once; approf diff %s -seconds=10 what grows",
                     process, process);
    } else {
        run(&watched, &live, interval_ns);
        live_screen_close();
    }
    source_texts_close(&live.texts);
    live_sites_close(live.sites);
    symbolizer_close(watched.symbolizer);
    close(watched.tables);
    return status;
}
