/* cmd_ps.c - approf ps: the processes of this user that are profiled, and what the dead left.
 *
 * Rates of allocation are measured over a short while, from outside: no process notices.
 */
#include "commands.h"
#include "memory.h"
#include "records.h"
#include "tables_dir.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MEASURE_MS = 300, CELL = 32, STATE_ROOM = 64 };

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Bytes a second of each living process; 0 of the others. */
static double *measure_rates(const struct tables_list *list)
{
    double *rates = memory_array(list->n, sizeof *rates);
    uint64_t *before = memory_array(list->n, sizeof *before);
    bool any = false;
    int64_t start = now_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < list->n; i++) {
        any |= list->entries[i].alive && tables_total_bytes(list->entries[i].path, &before[i]);
    }
    if (any) {
        nanosleep(&(struct timespec){.tv_nsec = MEASURE_MS * 1000 * 1000}, NULL);
    }
    for (size_t i = 0; any && i < list->n; i++) {
        uint64_t after;
        if (list->entries[i].alive && tables_total_bytes(list->entries[i].path, &after) &&
            after > before[i]) {
            rates[i] =
                (double)(after - before[i]) * 1e9 / (double)(now_ns(CLOCK_MONOTONIC) - start);
        }
    }
    free(before);
    return rates;
}

static void bytes_cell(char *out, double bytes)
{
    char text[UNIT_TEXT_ROOM];
    unit_label(text, sizeof text, bytes < 9e18 ? (int64_t)bytes : INT64_MAX, "bytes", "auto");
    snprintf(out, CELL, "%.*s", CELL - 4, text);
}

/* "12s", "5m03s", "2h05m", "3d04h". */
static void age_cell(char *out, int64_t seconds)
{
    long long s = seconds > 0 ? seconds : 0;
    if (s < 60) {
        snprintf(out, CELL, "%llds", s);
    } else if (s < 3600) {
        snprintf(out, CELL, "%lldm%02llds", s / 60, s % 60);
    } else if (s < 86400) {
        snprintf(out, CELL, "%lldh%02lldm", s / 3600, s / 60 % 60);
    } else {
        snprintf(out, CELL, "%lldd%02lldh", s / 86400, s / 3600 % 24);
    }
}

/* Names come from other processes: nothing of them may steer a terminal. */
static void print_name(const char *name)
{
    for (; *name != 0; name++) {
        putchar((unsigned char)*name < 32 || *name == 127 ? '?' : *name);
    }
    putchar('\n');
}

/* Of an ended process as far as is known. */
static int64_t up_seconds(const struct tables_entry *entry, int64_t now)
{
    int64_t ns;
    return __builtin_sub_overflow(entry->alive ? now : entry->last_ns, entry->start_realtime_ns,
                                  &ns)
               ? 0
               : ns / 1000000000;
}

static void print_table(const struct tables_list *list, const double *rates)
{
    int64_t now = now_ns(CLOCK_REALTIME);
    printf("%7s %7s %10s %10s %10s  %-22s %s\n", "PID", "UP", "ALLOCATED", "LIVE", "RATE", "STATE",
           "PROGRAM");
    for (size_t i = 0; i < list->n; i++) {
        const struct tables_entry *entry = &list->entries[i];
        char age[CELL], total[CELL], live[CELL], rate[CELL] = "-", state[STATE_ROOM];
        age_cell(age, up_seconds(entry, now));
        bytes_cell(total, (double)entry->total_bytes);
        bytes_cell(live, (int64_t)entry->live_bytes > 0 ? (double)entry->live_bytes : 0);
        if (entry->alive) {
            bytes_cell(rate, rates[i]);
            strcat(rate, "/s");
        }
        printf("%7u %7s %10s %10s %10s  %-22s ", entry->pid, age, total, live, rate,
               tables_state_text(entry, state, sizeof state));
        print_name(entry->exe);
    }
}

static void print_records(const struct tables_list *list, const double *rates,
                          enum record_format format)
{
    struct records records;
    char state[STATE_ROOM];
    int64_t now = now_ns(CLOCK_REALTIME);
    records_open(&records, format, stdout);
    for (size_t i = 0; i < list->n; i++) {
        const struct tables_entry *entry = &list->entries[i];
        records_begin(&records);
        records_int(&records, "pid", entry->pid);
        records_text(&records, "exe", entry->exe);
        records_text(&records, "state", tables_state_text(entry, state, sizeof state));
        records_int(&records, "start_seconds", entry->start_realtime_ns / 1000000000);
        records_int(&records, "up_seconds", up_seconds(entry, now));
        records_int(&records, "allocated_bytes", (int64_t)entry->total_bytes);
        records_int(&records, "live_bytes", (int64_t)entry->live_bytes);
        records_int(&records, "peak_bytes", (int64_t)entry->peak_bytes);
        records_real(&records, "bytes_per_second", rates[i]);
        records_text(&records, "tables", entry->path);
        records_end(&records);
    }
    records_close(&records);
}

static bool is_own(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && status.st_uid == getuid();
}

static int clean(const struct tables_list *list)
{
    unsigned removed = 0, failed = 0;
    for (size_t i = 0; i < list->n_other; i++) {
        if (is_own(list->other_versions[i])) {
            unlink(list->other_versions[i]) == 0 ? removed++ : failed++;
        }
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!list->entries[i].alive && list->entries[i].uid == getuid()) {
            if (unlink(list->entries[i].path) == 0) {
                tables_end_remove(list->entries[i].path);
                removed++;
            } else {
                failed++;
            }
        }
    }
    tables_dir_tidy();
    printf("tables of %u ended process%s removed\n", removed, removed == 1 ? "" : "es");
    if (failed > 0) {
        message_error("ps: %u files could not be removed", failed);
        message_hint("they belong to another user");
        return STATUS_BAD_USAGE;
    }
    return STATUS_FINE;
}

int cmd_ps(struct invocation *invocation)
{
    if (invocation->n_arguments > 0) {
        message_error("ps: takes no arguments");
        message_hint("approf top %s shows one process", invocation->arguments[0]);
        return STATUS_BAD_USAGE;
    }
    struct tables_list list;
    tables_dir_scan(NULL, &list);
    int status = STATUS_FINE;
    enum record_format format = invocation->options.format_json  ? RECORDS_JSON
                                : invocation->options.format_csv ? RECORDS_CSV
                                                                 : RECORDS_NONE;
    if (invocation->options.clean) {
        status = clean(&list);
    } else if (list.n == 0 && list.n_other == 0 && format == RECORDS_NONE) {
        message_note("approf: no process of yours is profiled, and none left anything");
        message_hint("approf run ./program starts one");
    } else {
        double *rates = measure_rates(&list);
        if (format != RECORDS_NONE) {
            print_records(&list, rates, format);
        } else {
            print_table(&list, rates);
            if (list.n_other > 0) {
                message_note("approf: %zu ended process%s left tables of another version of approf",
                             list.n_other, list.n_other == 1 ? "" : "es");
                message_hint("approf ps --clean removes them");
            }
        }
        free(rates);
    }
    tables_list_free(&list);
    return status;
}
