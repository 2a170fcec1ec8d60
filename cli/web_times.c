/* web_times.c - see web_times.h. */
#include "web_times.h"

#include "key_table.h"
#include "memory.h"
#include "message.h"
#include "profile_edit.h"
#include "record_store.h"
#include "records.h"
#include "report.h"
#include "source_load.h"
#include "web_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_MOMENTS = 60 };

struct times {
    char **names;
    uint32_t n, room;
    struct key_table known;
    struct web_columns columns;
};

static uint32_t number_of(struct times *times, const char *name)
{
    uint64_t hash = hash_bytes(hash_seed(), name, strlen(name));
    struct key_cursor at = key_table_at(&times->known, hash);
    uint32_t id;
    while ((id = key_table_next(&times->known, &at)) != KEY_NONE) {
        if (strcmp(times->names[id], name) == 0) {
            return id;
        }
    }
    MEMORY_ROOM(times->names, times->n, times->room);
    times->names[times->n] = memory_text(name, strlen(name));
    key_table_add(&times->known, hash, times->n);
    return times->n++;
}

static uint32_t type_named(const struct profile *p, const char *name)
{
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        if (strcmp(profile_text(p, p->sample_types[t].type), name) == 0) {
            return t;
        }
    }
    return PROFILE_NONE;
}

/* What functions hold and allocated by themselves: "LIVE ALLOCATED NAME" and a NUL, of each. */
static int report_moment(struct report *report)
{
    const struct profile *p = report->profile;
    uint32_t types[2] = {type_named(p, "inuse_space"), type_named(p, "alloc_space")};
    struct frame_table functions;
    report->granularity = GRANULARITY_FUNCTIONS;
    if (types[0] == PROFILE_NONE || types[1] == PROFILE_NONE ||
        !report_frames(report, &functions)) {
        return STATUS_BAD_USAGE;
    }
    int64_t *sums = memory_array((size_t)functions.n_infos * 2, sizeof *sums);
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_sample *sample = &p->samples[s];
        uint32_t l =
            sample->n_locations ? p->sample_locations[sample->first_location] : PROFILE_NONE;
        if (l == PROFILE_NONE || functions.first[l] == functions.first[l + 1]) {
            continue;
        }
        uint32_t f = FRAME_INFO(functions.frames[functions.first[l + 1] - 1]);
        for (int t = 0; t < 2; t++) {
            sums[2 * f + (uint32_t)t] += p->values[(size_t)s * p->n_sample_types + types[t]];
        }
    }
    for (uint32_t f = 0; f < functions.n_infos; f++) {
        if (sums[2 * f] || sums[2 * f + 1]) {
            fprintf(report->out, "%" PRId64 " %" PRId64 " %s", sums[2 * f], sums[2 * f + 1],
                    frame_name(&functions, f));
            fputc(0, report->out);
        }
    }
    free(sums);
    frames_free(&functions);
    return STATUS_FINE;
}

static void add_moment(struct times *times, const char *text, size_t length)
{
    static const char *const names[] = {"site", "live", "allocated"};
    for (int c = 0; c < 3; c++) {
        web_column_begin(&times->columns, names[c]);
        for (const char *at = text; at < text + length; at += strlen(at) + 1) {
            char *rest;
            int64_t live = strtoll(at, &rest, 10), allocated = strtoll(rest, &rest, 10);
            if (c == 0) {
                web_column_add(&times->columns, number_of(times, rest + 1));
            } else {
                web_column_add_signed(&times->columns, c == 1 ? live : allocated);
            }
        }
    }
}

/* The state at a moment, and what came since the one before. */
static bool read_moment(struct times *times, const char *directory, const struct cli_options *given,
                        int64_t before, int64_t moment)
{
    static const struct report_format format = {"moment", report_moment, FORMAT_UNTRIMMED};
    struct cli_options options = *given;
    struct profile profile;
    char from[32], to[32], *text = NULL;
    size_t length = 0;
    snprintf(from, sizeof from, "@%" PRId64, before);
    snprintf(to, sizeof to, "@%" PRId64, moment);
    options.from = from;
    options.to = to;
    options.base = options.diff_base = "";
    if (!sources_load(&directory, 1, &options, &profile)) {
        return false;
    }
    FILE *out = open_memstream(&text, &length);
    bool fine = out && report_print(&profile, &options, &format, NULL, out) == STATUS_FINE;
    fine = out && fclose(out) == 0 && fine;
    if (fine) {
        add_moment(times, text, length);
    }
    free(text);
    profile_free(&profile);
    return fine;
}

bool web_times_write(const char *directory, const struct cli_options *options, FILE *out)
{
    struct times times = {0};
    int64_t from = INT64_MIN, to = INT64_MAX, now = time(NULL), *moments;
    record_moment(options->from, now, &from);
    record_moment(options->to, now, &to);
    size_t n = record_moments(directory, from, to, MOST_MOMENTS, &moments), read = 0;
    bool quiet = message_quiet(true); /* what is to be said of them was said of the whole */
    for (size_t i = 0; n > 1 && i < n; i++) {
        int64_t before = read ? moments[read - 1] : moments[i] - 1;
        if (read_moment(&times, directory, options, before, moments[i])) {
            moments[read++] = moments[i];
        }
    }
    message_quiet(quiet);
    if (read > 1) {
        fputs("{\"moments\":[", out);
        for (size_t i = 0; i < read; i++) {
            fprintf(out, "%s%" PRId64, i ? "," : "", moments[i]);
        }
        fputs("],\n\"functions\":[", out);
        for (uint32_t f = 0; f < times.n; f++) {
            fputs(f ? "," : "", out);
            json_text(out, times.names[f]);
        }
        fputs("],\n\"columns\":", out);
        web_columns_index(&times.columns, out);
        fwrite("}\n", 1, 3, out); /* and the NUL */
        fwrite(times.columns.bytes, 1, times.columns.length, out);
    }
    for (uint32_t f = 0; f < times.n; f++) {
        free(times.names[f]);
    }
    free(times.names);
    key_table_free(&times.known);
    web_columns_free(&times.columns);
    free(moments);
    return read > 1;
}
