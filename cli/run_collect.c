/* run_collect.c - see run_collect.h. */
#include "run_collect.h"

#include "heap_source.h"
#include "message.h"
#include "tables_dir.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

bool run_profile_name(const char *pattern, const char *exe, uint32_t pid, char *path, size_t room)
{
    size_t used = 0;
    for (const char *c = pattern; *c != 0; c++) {
        char piece[32] = {*c};
        const char *text = piece;
        struct utsname host;
        if (*c == '%' && c[1] != 0) {
            switch (*++c) {
            case 'e':
                text = exe;
                break;
            case 'p':
                snprintf(piece, sizeof piece, "%u", pid);
                break;
            case 'h':
                if (uname(&host) != 0) {
                    strcpy(host.nodename, "localhost");
                }
                for (char *slash = host.nodename; (slash = strchr(slash, '/')) != NULL;) {
                    *slash = '_';
                }
                text = host.nodename;
                break;
            case 't':
                snprintf(piece, sizeof piece, "%lld", (long long)time(NULL));
                break;
            case '%':
                break;
            default: /* no pattern of ours: as it stands */
                piece[0] = '%';
                piece[1] = *c;
            }
        }
        size_t n = strlen(text);
        if (n >= room - used) {
            return false;
        }
        memcpy(path + used, text, n);
        used += n;
    }
    path[used] = 0;
    return used > 0;
}

static bool read_tables(const char *path, struct profile *profile, struct run_process *process,
                        struct profile_error *error)
{
    struct heap_snapshot snapshot;
    if (!heap_source_snapshot(path, &snapshot, error)) {
        return false;
    }
    const struct heap_header *header = snapshot.header;
    process->exact = header->state == HEAP_EXITED;
    process->total_bytes = header->total_bytes;
    process->live_bytes = header->live_bytes <= INT64_MAX ? header->live_bytes : 0;
    process->peak_bytes = header->peak_bytes;
    process->samples = header->samples;
    process->rate = header->rate;
    process->inherited = header->inherited_from != 0;
    bool fine = heap_source_profile(&snapshot, profile, error);
    heap_snapshot_free(&snapshot);
    return fine;
}

static void fail(struct run_collect *collect, const struct tables_entry *entry, const char *what,
                 const struct profile_error *error)
{
    collect->n_failed++;
    if (collect->left[0] == 0) {
        message_error("%s: %s", what, error->text);
        message_hint("the tables stay; approf top %s reads them", entry->path);
    }
    snprintf(collect->left, sizeof collect->left, "%s", entry->path);
}

/* True when the tables are done with. */
static bool convert(struct run_collect *collect, const struct tables_entry *entry)
{
    struct run_process process = {.pid = entry->pid};
    struct profile profile;
    struct profile_error error = {0};
    char name[sizeof process.profile];
    snprintf(process.exe, sizeof process.exe, "%s", tables_exe_name(entry));
    if (!read_tables(entry->path, &profile, &process, &error)) {
        fail(collect, entry, entry->path, &error);
        return false;
    }
    bool done = true;
    if (process.samples != 0 || collect->pattern_given) {
        symbolizer_set_pid(collect->symbolizer, entry->pid);
        symbolizer_apply(collect->symbolizer, &profile, NULL);
        done = run_profile_name(collect->pattern, process.exe, entry->pid, name, sizeof name) ||
               profile_error_set(&error, PROFILE_ERROR_IO, "the name gets too long");
        done = done && profile_write_file(&profile, name, false, process.profile,
                                          sizeof process.profile, &error);
        if (done) {
            collect->n_profiles++;
        } else {
            process.profile[0] = 0;
            fail(collect, entry, collect->pattern, &error);
        }
    }
    profile_free(&profile);
    collect->n_processes++;
    collect->total_bytes += process.total_bytes;
    if (collect->n_processes == 1 || process.total_bytes > collect->largest.total_bytes ||
        (collect->largest.profile[0] == 0 && process.profile[0] != 0)) {
        collect->largest = process;
    }
    return done;
}

void run_collect(struct run_collect *collect)
{
    struct tables_list list;
    tables_dir_scan(collect->directory, &list);
    collect->n_running = 0;
    for (size_t i = 0; i < list.n; i++) {
        const struct tables_entry *entry = &list.entries[i];
        if (entry->alive) {
            collect->n_running++;
        } else if (strcmp(entry->path, collect->left) != 0 && convert(collect, entry)) {
            unlink(entry->path);
            tables_end_remove(entry->path);
        }
    }
    tables_list_free(&list);
}
