/* report_list.c - source lines of functions with their weights: pprof-spec 7.8.
 *
 * Where pprof adds up the lines of a function, a sample that passes through several of them (a
 * recursion) counts several times; here it counts once, unless Go 1.19's figures are asked for. */
#include "listing.h"

#include "debug_search.h"
#include "memory.h"
#include "missing_names.h"
#include "report_records.h"
#include "regexp.h"
#include "source_text.h"
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare_nodes(const void *left, const void *right, void *ctx)
{
    const struct listing *listing = ctx;
    const struct profile *p = listing->frames.profile;
    const struct frame_info *a =
        &listing->frames.infos[listing->graph.nodes[*(const uint32_t *)left].info];
    const struct frame_info *b =
        &listing->frames.infos[listing->graph.nodes[*(const uint32_t *)right].info];
    int order = strcmp(profile_text(p, a->name), profile_text(p, b->name));
    if (!order) {
        order = strcmp(profile_text(p, a->file), profile_text(p, b->file));
    }
    if (!order) {
        order = (a->line > b->line) - (a->line < b->line);
    }
    return order;
}

static bool find_nodes(struct listing *listing, const struct regexp *regexp, bool by_file)
{
    struct graph *g = &listing->graph;
    listing->order = memory_array(g->n_order, sizeof *listing->order);
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct frame_info *info = &listing->frames.infos[g->nodes[g->order[i]].info];
        const struct profile_string *name = &listing->frames.profile->strings[info->name];
        const struct profile_string *file = &listing->frames.profile->strings[info->file];
        if (regexp_matches(regexp, name->bytes, name->length) ||
            (by_file && info->file && regexp_matches(regexp, file->bytes, file->length))) {
            listing->order[listing->n++] = g->order[i];
        }
    }
    qsort_r(listing->order, listing->n, sizeof *listing->order, compare_nodes, listing);
    size_t room = 0;
    for (uint32_t i = 0; i < listing->n; i++) {
        const struct graph_node *node = &g->nodes[listing->order[i]];
        const struct frame_info *info = &listing->frames.infos[node->info];
        struct routine *last =
            listing->n_routines ? &listing->routines[listing->n_routines - 1] : NULL;
        if (!last || last->name != info->name || last->file != info->file) {
            MEMORY_ROOM(listing->routines, listing->n_routines, room);
            last = &listing->routines[listing->n_routines++];
            *last = (struct routine){.name = info->name, .file = info->file, .first = i};
        }
        last->n++;
        last->flat = (int64_t)((uint64_t)last->flat + (uint64_t)node->flat);
        last->cum = (int64_t)((uint64_t)last->cum + (uint64_t)node->cum);
        if (listing->report->options.ci) {
            last->flat_variance += listing->intervals.flat[node->info];
            last->cum_variance += listing->intervals.cum[node->info];
        }
    }
    return listing->n > 0;
}

/* The cum of each routine, a sample counted once however often it passes through. */
static void count_routines_once(struct listing *listing)
{
    const struct profile *p = listing->report->profile;
    const struct frame_table *frames = &listing->frames;
    uint32_t *routine_of = memory_array(frames->n_infos, sizeof *routine_of); /* + 1 */
    for (uint32_t r = 0; r < listing->n_routines; r++) {
        struct routine *routine = &listing->routines[r];
        routine->cum = 0;
        routine->cum_variance = 0;
        for (uint32_t i = 0; i < routine->n; i++) {
            routine_of[listing->graph.nodes[listing->order[routine->first + i]].info] = r + 1;
        }
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        int64_t weight = p->values[(size_t)s * p->n_sample_types + listing->report->value_index];
        for (uint32_t i = 0; i < p->samples[s].n_locations; i++) {
            uint32_t l = p->sample_locations[p->samples[s].first_location + i];
            for (uint32_t f = frames->first[l]; f < frames->first[l + 1]; f++) {
                uint32_t r = routine_of[FRAME_INFO(frames->frames[f])];
                if (r && listing->routines[r - 1].stamp != s + 1) {
                    struct routine *routine = &listing->routines[r - 1];
                    routine->stamp = s + 1;
                    routine->cum = (int64_t)((uint64_t)routine->cum + (uint64_t)weight);
                    if (listing->report->options.ci) {
                        routine->cum_variance += listing->intervals.samples[s];
                    }
                }
            }
        }
    }
    free(routine_of);
}

const char *listing_value(const struct report *report, char text[UNIT_TEXT_ROOM], int64_t value)
{
    return value ? report_value(report, text, value) : ".";
}

const char *listing_interval(const struct listing *listing, char *text, size_t room, int64_t cum,
                             double variance)
{
    char interval[INTERVAL_TEXT_ROOM] = ".";
    if (!listing->report->options.ci) {
        return "";
    }
    if (cum) {
        interval_text(listing->report, &listing->intervals, cum, variance, interval,
                      sizeof interval);
    }
    snprintf(text, room, "  %-*s", INTERVAL_WIDTH, interval);
    return text;
}

enum { MARGIN = 5 }; /* lines before the first and after the last with weight */

bool listing_range(const struct listing *listing, const struct routine *routine, int64_t *start,
                   int64_t *end)
{
    *start = INT64_MAX;
    *end = INT64_MIN;
    for (uint32_t i = 0; i < routine->n; i++) {
        uint32_t node = listing->order[routine->first + i];
        const struct frame_info *info = &listing->frames.infos[listing->graph.nodes[node].info];
        int64_t line = info->line < 0 ? 0 : info->line > INT32_MAX ? INT32_MAX : info->line;
        int64_t first = info->start_line ? info->start_line : line - MARGIN;
        *start = first < *start ? first : *start;
        *end = line + MARGIN > *end ? line + MARGIN : *end;
    }
    *start = *start < 1 ? 1 : *start;
    return *start <= *end;
}

struct line_weight listing_line(const struct listing *listing, const struct routine *routine,
                                int64_t line, uint32_t *at)
{
    struct line_weight weight = {0};
    for (; *at < routine->n; ++*at) {
        const struct graph_node *node = &listing->graph.nodes[listing->order[routine->first + *at]];
        if (listing->frames.infos[node->info].line > line) {
            break;
        }
        if (listing->frames.infos[node->info].line == line) {
            weight.flat = (int64_t)((uint64_t)weight.flat + (uint64_t)node->flat);
            weight.cum = (int64_t)((uint64_t)weight.cum + (uint64_t)node->cum);
            if (listing->report->options.ci) {
                weight.flat_variance += listing->intervals.flat[node->info];
                weight.cum_variance += listing->intervals.cum[node->info];
            }
        }
    }
    return weight;
}

static void print_lines(struct listing *listing, const struct routine *routine,
                        struct source_texts *texts)
{
    struct report *report = listing->report;
    int64_t start, end;
    if (!listing_range(listing, routine, &start, &end)) {
        return;
    }
    const struct source_text *text =
        source_text_find(texts, profile_text(report->profile, routine->file));
    if (text->error) {
        fprintf(report->out, " Error: %s\n", text->error);
        return;
    }
    uint32_t at = 0;
    for (int64_t line = start; line <= end && line <= text->n_lines; line++) {
        char flat_text[UNIT_TEXT_ROOM], cum_text[UNIT_TEXT_ROOM];
        char interval[INTERVAL_TEXT_ROOM];
        struct line_weight weight = listing_line(listing, routine, line, &at);
        bool weighs = weight.flat || weight.cum;
        fprintf(
            report->out, "%s%10s %10s%s %6ld:%s%s\n",
            weighs ? report_style(report, STYLE_STRONG) : "",
            listing_value(report, flat_text, weight.flat),
            listing_value(report, cum_text, weight.cum),
            listing_interval(listing, interval, sizeof interval, weight.cum, weight.cum_variance),
            line, text->lines[line - 1], weighs ? report_style(report, STYLE_PLAIN) : "");
    }
}

static void record_routines(struct listing *listing)
{
    struct report *report = listing->report;
    const struct profile *p = report->profile;
    struct source_texts texts;
    struct records records;
    source_texts_open(&texts, report->options.source_path, report->options.trim_path);
    report_records_open(report, &records);
    for (uint32_t i = 0; i < listing->n; i++) {
        const struct graph_node *node = &listing->graph.nodes[listing->order[i]];
        const struct frame_info *info = &listing->frames.infos[node->info];
        const struct source_text *text =
            info->file ? source_text_find(&texts, profile_text(p, info->file)) : NULL;
        bool there = text && !text->error && info->line > 0 && info->line <= text->n_lines;
        records_begin(&records);
        records_text(&records, "function", profile_text(p, info->name));
        records_text(&records, "file", profile_text(p, info->file));
        records_int(&records, "line", info->line);
        records_int(&records, "flat", report_divided(report, node->flat));
        records_int(&records, "cum", report_divided(report, node->cum));
        if (report->options.ci) {
            interval_record(report, &listing->intervals, &records, "flat", node->flat,
                            listing->intervals.flat[node->info]);
            interval_record(report, &listing->intervals, &records, "cum", node->cum,
                            listing->intervals.cum[node->info]);
        }
        records_text(&records, "source", there ? text->lines[info->line - 1] : "");
        records_end(&records);
    }
    records_close(&records);
    source_texts_close(&texts);
}

/* When the main program was written, if it is still here; 0 otherwise. */
static int64_t built_at(const struct profile *p)
{
    char path[SYMBOLIZE_PATH_ROOM], build_id[2 * DEBUG_BUILD_ID_BYTES + 1];
    struct stat status;
    if (p->n_mappings == 0 || !symbolize_mapping_file(p, &p->mappings[0], path)) {
        return 0;
    }
    int fd = debug_open_regular(NULL, path);
    if (fd < 0) {
        return 0;
    }
    const char *wanted = profile_text(p, p->mappings[0].build_id);
    bool same = *wanted && debug_read_build_id(fd, build_id) && strcasecmp(build_id, wanted) == 0 &&
                fstat(fd, &status) == 0;
    close(fd);
    return same ? status.st_mtime : 0;
}

static void tell_changed(const struct listing *listing, struct source_texts *texts)
{
    const struct profile *p = listing->report->profile;
    int64_t taken = p->time_nanos / 1000000000, built = built_at(p);
    for (size_t i = 0; i < texts->n; i++) {
        const struct source_text *file = texts->files[i];
        if (file->error) {
            continue;
        }
        if (built > 0 && file->modified > built) {
            message_note("approf: %s changed after the program was built; lines may have moved",
                         file->name);
        } else if (taken > 0 && file->modified > taken) {
            message_note("approf: %s changed after the profile was taken; lines may have moved",
                         file->name);
        }
    }
}

static void print_routines(struct listing *listing)
{
    struct report *report = listing->report;
    const struct profile *p = report->profile;
    struct source_texts texts;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM];
    char interval[INTERVAL_TEXT_ROOM];
    bool without = false;
    source_texts_open(&texts, report->options.source_path, report->options.trim_path);
    fprintf(report->out, "Total: %s\n", report_value(report, flat, report->total));
    for (uint32_t r = 0; r < listing->n_routines; r++) {
        const struct routine *routine = &listing->routines[r];
        if (!routine->file) {
            bool elsewhere =
                r + 1 < listing->n_routines && listing->routines[r + 1].name == routine->name;
            if (!elsewhere) {
                fprintf(report->out, "No source information for %s\n",
                        profile_text(p, routine->name));
                without = true;
            }
            continue;
        }
        fprintf(report->out, "ROUTINE ======================== %s in %s\n",
                profile_text(p, routine->name), profile_text(p, routine->file));
        fprintf(report->out, "%10s %10s%s (flat, cum%s) %s of Total\n",
                report_value(report, flat, routine->flat), report_value(report, cum, routine->cum),
                listing_interval(listing, interval, sizeof interval, routine->cum,
                                 routine->cum_variance),
                report->options.ci ? ", 95% of cum" : "",
                unit_percentage(percent, sizeof percent, routine->cum, report->total));
        print_lines(listing, routine, &texts);
    }
    if (!report->go119) {
        tell_changed(listing, &texts);
    }
    source_texts_close(&texts);
    if (without) {
        missing_names_hint(report, true);
    }
}

bool listing_open(struct report *report, bool by_file, struct listing *listing)
{
    struct graph_options options;
    *listing = (struct listing){.report = report};
    struct regexp *regexp = report_regexp(report);
    if (!regexp) {
        return false;
    }
    bool found = false;
    if (report_frames(report, &listing->frames)) {
        if (report->options.ci &&
            !intervals_open(report, &listing->frames, report->value_index, &listing->intervals)) {
            regexp_free(regexp);
            frames_free(&listing->frames);
            return false;
        }
        report_graph_options(report, &options);
        options.edges = GRAPH_NO_EDGES;
        graph_build_all(&listing->graph, &listing->frames, &options);
        found = find_nodes(listing, regexp, by_file);
        if (!found) {
            message_error("%s: no matches found for regexp: %s", report->format->name,
                          report->regexp_text);
            message_hint("'approf top' shows the names; -focus, -sample_index and others narrow "
                         "what is listed");
            listing_close(listing);
        } else if (!report->go119) {
            count_routines_once(listing);
        }
    }
    regexp_free(regexp);
    return found;
}

void listing_close(struct listing *listing)
{
    intervals_close(&listing->intervals);
    graph_free(&listing->graph);
    frames_free(&listing->frames);
    free(listing->order);
    free(listing->routines);
}

int report_list(struct report *report)
{
    struct listing listing;
    if (!listing_open(report, false, &listing)) {
        return STATUS_BAD_USAGE;
    }
    if (report_records_format(report) != RECORDS_NONE) {
        record_routines(&listing);
    } else {
        print_routines(&listing);
    }
    listing_close(&listing);
    return STATUS_FINE;
}
