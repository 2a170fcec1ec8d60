/* report_traces.c - all stacks: pprof-spec 7.5. */
#include "report.h"

#include "intervals.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The labels of one kind, one line a key. */
static void print_labels(struct report *report, const struct profile_label *labels, uint32_t n)
{
    const struct profile *p = report->profile;
    char **lines = memory_array(n, sizeof *lines);
    uint32_t n_lines = 0;
    for (uint32_t i = 0, next; i < n; i = next) {
        size_t length;
        FILE *line = open_memstream(&lines[n_lines], &length);
        if (!line) {
            break;
        }
        n_lines++;
        fprintf(line, "%10s: ", profile_text(p, labels[i].key));
        for (next = i; next < n && labels[next].key == labels[i].key; next++) {
            char text[UNIT_TEXT_ROOM];
            const char *unit = label_unit(p, &report->label_units, labels[next].key);
            fprintf(line, " %s",
                    labels[next].str
                        ? profile_text(p, labels[next].str)
                        : unit_label(text, sizeof text, labels[next].num, unit, "auto"));
        }
        fclose(line);
    }
    qsort(lines, n_lines, sizeof *lines, by_text);
    for (uint32_t i = 0; i < n_lines; i++) {
        fprintf(report->out, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
}

static void print_stack(struct report *report, struct frame_table *frames,
                        const struct profile_sample *sample, int64_t value, const char *interval)
{
    const struct profile *p = report->profile;
    char text[UNIT_TEXT_ROOM];
    const char *shown = report_value(report, text, value);
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint32_t l = p->sample_locations[sample->first_location + i];
        for (uint32_t f = frames->first[l + 1]; f-- > frames->first[l];) {
            uint32_t frame = frames->frames[f];
            fprintf(report->out, "%10s   ", shown);
            if (report->options.ci) {
                fprintf(report->out, "%-*s  ", INTERVAL_WIDTH, interval);
            }
            fprintf(report->out, "%s%s\n", frame_name(frames, FRAME_INFO(frame)),
                    FRAME_INLINED(frame) ? " (inline)" : "");
            shown = interval = "";
        }
    }
}

static void print_header_line(void *ctx, const char *text)
{
    struct report *report = ctx;
    fprintf(report->out, "%s\n", text);
    report->header_lines++;
}

int report_traces(struct report *report)
{
    static const char separator[] =
        "-----------+-------------------------------------------------------";
    const struct profile *p = report->profile;
    struct frame_table frames;
    struct intervals intervals = {0};
    if (report->options.ci && !intervals_open(report, NULL, report->value_index, &intervals)) {
        return STATUS_BAD_USAGE;
    }
    if (!report_frames(report, &frames)) {
        intervals_close(&intervals);
        return STATUS_BAD_USAGE;
    }
    report_profile_lines(report, print_header_line, report);
    if (report->header_lines == 0) {
        fputc('\n', report->out);
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_sample *sample = &p->samples[s];
        const int64_t *values = &p->values[(size_t)s * p->n_sample_types];
        const struct profile_label *labels = p->labels + sample->first_label;
        if (sample->n_locations == 0) {
            continue;
        }
        fprintf(report->out, "%s\n", separator);
        uint32_t strings = 0;
        while (strings < sample->n_labels && labels[strings].str) {
            strings++;
        }
        print_labels(report, labels, strings);
        print_labels(report, labels + strings, sample->n_labels - strings);
        int64_t value = values[report->value_index];
        if (report->options.mean && values[0] && !(value == INT64_MIN && values[0] == -1)) {
            value /= values[0];
        }
        char interval[INTERVAL_TEXT_ROOM] = "";
        if (report->options.ci) {
            interval_text(report, &intervals, value, intervals.samples[s], interval,
                          sizeof interval);
        }
        print_stack(report, &frames, sample, value, interval);
    }
    fprintf(report->out, "%s\n", separator);
    frames_free(&frames);
    intervals_close(&intervals);
    return STATUS_FINE;
}
