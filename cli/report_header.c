/* report_header.c - the lines above a table, and of the legend of a drawing: pprof-spec 7.1. */
#include "report.h"

#include "memory.h"
#include "paths.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lines {
    header_line line;
    void *ctx;
};

static void emit(const struct lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void emit(const struct lines *lines, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) {
        lines->line(lines->ctx, text);
        free(text);
    }
    va_end(arguments);
}

/* `Nov 14, 2023 at 10:13pm (UTC)` in Go 1.19's pprof, `2023-11-14 22:13:20 UTC` today. */
static void emit_time(const struct lines *lines, const struct report *report)
{
    int64_t nanos = report->profile->time_nanos;
    time_t seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
    struct tm tm;
    char date[64], zone[32];
    if (!localtime_r(&seconds, &tm)) {
        return;
    }
    if (!report->go119) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %Z", &tm);
        emit(lines, "Time: %s", date);
        return;
    }
    strftime(date, sizeof date, "%b", &tm);
    strftime(zone, sizeof zone, "%Z", &tm);
    int hour = tm.tm_hour % 12 ? tm.tm_hour % 12 : 12;
    emit(lines, "Time: %s %d, %d at %d:%02d%s (%s)", date, tm.tm_mday, tm.tm_year + 1900, hour,
         tm.tm_min, tm.tm_hour < 12 ? "am" : "pm", zone);
}

static void emit_duration(const struct lines *lines, const struct report *report)
{
    const struct profile *p = report->profile;
    char duration[UNIT_TEXT_ROOM], total[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM], part[64] = "";
    const char *unit;
    double nanos = unit_scale(report->total, report->unit, "nanoseconds", &unit);
    if (strcmp(unit, "ns") == 0 && nanos != 0) {
        int64_t whole = nanos < 0x1p63 && nanos > -0x1p63 ? (int64_t)nanos : INT64_MIN;
        snprintf(part, sizeof part, "(%s)",
                 unit_percentage(percent, sizeof percent, whole, p->duration_nanos));
    }
    emit(lines, "Duration: %s, Total samples = %s %s",
         unit_label(duration, sizeof duration, p->duration_nanos, "nanoseconds", "auto"),
         report_value(report, total, report->total), part);
}

/* Not pprof's: half of what a heap profile says is in the view that is not shown. */
static void emit_other_view(const struct lines *lines, const struct report *report)
{
    char total[UNIT_TEXT_ROOM];
    if (report->go119 || !(report->format->flags & FORMAT_OTHER_VIEW) || !report->other_type ||
        report->options.mean) {
        return;
    }
    uint32_t unit = report->value_index;
    unit_label(total, sizeof total, report_divided(report, report->other_total),
               profile_text(report->profile, report->profile->sample_types[unit].unit), "auto");
    emit(lines, "Other view: %s %s (-sample_index=%s)", total,
         strncmp(report->other_type, "alloc", 5) == 0 ? "allocated in all" : "still live",
         report->other_type);
}

void report_profile_lines(struct report *report, header_line line, void *ctx)
{
    const struct lines lines = {line, ctx};
    const struct profile *p = report->profile;
    if (p->n_mappings > 0) {
        const char *file = profile_text(p, p->mappings[0].filename);
        const char *build_id = profile_text(p, p->mappings[0].build_id);
        if (*file) {
            emit(&lines, "File: %s", path_base(file));
        }
        if (*build_id) {
            emit(&lines, "Build ID: %s", build_id);
        }
    }
    for (uint32_t c = 0; c < p->n_comments; c++) {
        const char *comment = profile_text(p, p->comments[c]);
        if (*comment != '#') {
            emit(&lines, "%s", comment);
        }
    }
    if (*report->type) {
        emit(&lines, "Type: %s", report->type);
    }
    if (!report->go119 && p->doc_url) {
        emit(&lines, "Doc: %s", profile_text(p, p->doc_url));
    }
    if (p->time_nanos) {
        emit_time(&lines, report);
    }
    if (p->duration_nanos) {
        emit_duration(&lines, report);
    }
}

static void emit_filters(const struct lines *lines, const struct cli_options *o)
{
    const struct {
        const char *name, *value;
    } filters[] = {
        {"focus", o->focus},         {"ignore", o->ignore},       {"hide", o->hide},
        {"show", o->show},           {"show_from", o->show_from}, {"tagfocus", o->tagfocus},
        {"tagignore", o->tagignore}, {"tagshow", o->tagshow},     {"taghide", o->taghide},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        if (*filters[i].value) {
            if (!any) {
                emit(lines, "Active filters:");
                any = true;
            }
            char *text = memory_print("%s=%s", filters[i].name, filters[i].value);
            bool long_one = strlen(text) > 80;
            emit(lines, "   %.80s%s", text, long_one ? "\xe2\x80\xa6" : "");
            free(text);
        }
    }
}

static void emit_dropped(const struct lines *lines, const struct report *report, uint32_t n,
                         const char *what, const char *weight, double fraction)
{
    char limit[UNIT_TEXT_ROOM];
    if (n > 0) {
        int64_t cut = graph_abs((int64_t)((double)report->total * fraction));
        emit(lines, "Dropped %u %s%s (%s <= %s)", n, what, n > 1 ? "s" : "", weight,
             report_value(report, limit, cut));
    }
}

void report_all_lines(struct report *report, const struct graph *graph, bool drawing,
                      header_line line, void *ctx)
{
    const struct lines lines = {line, ctx};
    const struct cli_options *o = &report->options;
    char shown[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM], total[UNIT_TEXT_ROOM];
    if (drawing || !o->compact_labels) {
        report_profile_lines(report, line, ctx);
        if (!drawing) {
            emit_other_view(&lines, report);
        }
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->n_order; i++) {
        sum += (uint64_t)graph_flat(&graph->nodes[graph->order[i]]);
    }
    emit_filters(&lines, o);
    emit(&lines, "Showing nodes accounting for %s, %s of %s total",
         report_value(report, shown, (int64_t)sum),
         unit_percentage_bare(percent, sizeof percent, (int64_t)sum, report->total),
         report_value(report, total, report->total));
    if (report->total != 0) {
        emit_dropped(&lines, report, graph->dropped_nodes, "node", "cum", o->nodefraction);
        if (drawing) {
            emit_dropped(&lines, report, graph->dropped_edges, "edge", "freq", o->edgefraction);
        }
        if (graph->n_order > 0 && graph->n_order < graph->original_count) {
            emit(&lines, "Showing top %u nodes out of %u", graph->n_order, graph->original_count);
        }
    }
    if (drawing) {
        emit(&lines, "\nSee https://git.io/JfYMW for how to read the graph");
    }
}

static void print_line(void *ctx, const char *text)
{
    fprintf(ctx, "%s\n", text);
}

void report_print_header(struct report *report, const struct graph *graph)
{
    if (graph) {
        report_all_lines(report, graph, false, print_line, report->out);
    } else {
        report_profile_lines(report, print_line, report->out);
    }
}
