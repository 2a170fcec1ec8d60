/* report_raw.c - the profile as text: pprof-spec 7.7. */
#include "report.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 1h2m3.5s, 1.5s, 1.5ms, 1.5µs, 7ns: as Go writes durations, of which 4 characters are shown. */
static void print_duration(FILE *out, int64_t nanos)
{
    uint64_t n = nanos < 0 ? 0 - (uint64_t)nanos : (uint64_t)nanos;
    const char *sign = nanos < 0 ? "-" : "";
    char text[64], fraction[16] = "";
    static const struct {
        uint64_t size;
        int digits;
        const char *name;
    } small[] = {{1, 0, "ns"}, {1000, 3, "\xc2\xb5s"}, {1000000, 6, "ms"}, {1000000000, 9, "s"}};
    size_t u = 3;
    while (u > 0 && n < small[u].size) {
        u--;
    }
    if (n == 0) {
        snprintf(text, sizeof text, "0s");
    } else {
        uint64_t rest = n % small[u].size;
        if (rest) {
            int length = snprintf(fraction, sizeof fraction, ".%0*" PRIu64, small[u].digits, rest);
            while (fraction[length - 1] == '0') {
                fraction[--length] = 0;
            }
        }
        uint64_t whole = n / small[u].size;
        if (u < 3 || whole < 60) {
            snprintf(text, sizeof text, "%s%" PRIu64 "%s%s", sign, whole, fraction, small[u].name);
        } else if (whole < 3600) {
            snprintf(text, sizeof text, "%s%" PRIu64 "m%" PRIu64 "%ss", sign, whole / 60,
                     whole % 60, fraction);
        } else {
            snprintf(text, sizeof text, "%s%" PRIu64 "h%" PRIu64 "m%" PRIu64 "%ss", sign,
                     whole / 3600, whole / 60 % 60, whole % 60, fraction);
        }
    }
    size_t length = 0;
    for (int characters = 0; text[length] && characters < 4; characters++) {
        length++;
        while (((unsigned char)text[length] & 0xc0) == 0x80) {
            length++;
        }
    }
    fprintf(out, "Duration: %.*s\n", (int)length, text);
}

static void print_time(FILE *out, int64_t nanos)
{
    time_t seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
    int64_t rest = nanos - (int64_t)seconds * 1000000000;
    struct tm tm;
    char text[80], fraction[16] = "", zone[48];
    if (!localtime_r(&seconds, &tm)) {
        return;
    }
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
    strftime(zone, sizeof zone, "%z %Z", &tm);
    if (rest) {
        int length = snprintf(fraction, sizeof fraction, ".%09" PRId64, rest);
        while (fraction[length - 1] == '0') {
            fraction[--length] = 0;
        }
    }
    fprintf(out, "Time: %s%s %s\n", text, fraction, zone);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The labels of one kind, `key:[v1 v2]` each, sorted, on one line. Equal keys are neighbours. */
static void print_labels(FILE *out, const struct profile *p, const struct profile_label *labels,
                         uint32_t n)
{
    char **texts = memory_array(n, sizeof *texts);
    uint32_t n_texts = 0;
    for (uint32_t i = 0, next; i < n; i = next) {
        char *text = NULL;
        size_t length;
        bool has_units = false;
        FILE *memory = open_memstream(&text, &length);
        if (!memory) {
            break;
        }
        for (next = i; next < n && labels[next].key == labels[i].key; next++) {
            has_units |= labels[next].num_unit != 0;
        }
        fprintf(memory, "%s:[", profile_text(p, labels[i].key));
        for (uint32_t k = i; k < next; k++) {
            fputs(k > i ? " " : "", memory);
            if (labels[k].str) {
                fputs(profile_text(p, labels[k].str), memory);
            } else if (has_units) {
                fprintf(memory, "%" PRId64 " %s", labels[k].num,
                        profile_text(p, labels[k].num_unit));
            } else {
                fprintf(memory, "%" PRId64, labels[k].num);
            }
        }
        fputc(']', memory);
        fclose(memory);
        texts[n_texts++] = text;
    }
    qsort(texts, n_texts, sizeof *texts, by_text);
    fputs("                ", out);
    for (uint32_t i = 0; i < n_texts; i++) {
        fprintf(out, "%s%s", i ? " " : "", texts[i]);
        free(texts[i]);
    }
    fputc('\n', out);
    free(texts);
}

static void print_sample(FILE *out, const struct profile *p, uint32_t s)
{
    const struct profile_sample *sample = &p->samples[s];
    const struct profile_label *labels = p->labels + sample->first_label;
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        fprintf(out, " %10" PRId64, p->values[(size_t)s * p->n_sample_types + t]);
    }
    fputs(": ", out);
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint32_t l = p->sample_locations[sample->first_location + i];
        fprintf(out, "%" PRIu64 " ", p->locations[l].id);
    }
    fputc('\n', out);
    uint32_t strings = 0;
    while (strings < sample->n_labels && labels[strings].str) {
        strings++;
    }
    if (strings > 0) {
        print_labels(out, p, labels, strings);
    }
    if (strings < sample->n_labels) {
        print_labels(out, p, labels + strings, sample->n_labels - strings);
    }
}

static void print_location(const struct report *report, const struct profile_location *location)
{
    const struct profile *p = report->profile;
    FILE *out = report->out;
    fprintf(out, "%6" PRIu64 ": 0x%" PRIx64 " ", location->id, location->address);
    if (location->mapping != PROFILE_NONE) {
        fprintf(out, "M=%" PRIu64 " ", p->mappings[location->mapping].id);
    }
    fputs(location->is_folded ? "[F] " : "", out);
    if (location->n_lines == 0) {
        fputc('\n', out);
    }
    uint32_t first = report->options.noinlines && location->n_lines ? location->n_lines - 1 : 0;
    for (uint32_t i = first; i < location->n_lines; i++) {
        const struct profile_line *line = &p->lines[location->first_line + i];
        const struct profile_function *function = &p->functions[line->function];
        fprintf(out, "%s%s %s:%" PRId64, i > first ? "             " : "",
                profile_text(p, function->name), profile_text(p, function->filename), line->line);
        if (!report->go119) {
            fprintf(out, ":%" PRId64, line->column);
        }
        fprintf(out, " s=%" PRId64, function->start_line);
        if (function->name != function->system_name) {
            fprintf(out, "(%s)", profile_text(p, function->system_name));
        }
        fputc('\n', out);
    }
}

int report_raw(struct report *report)
{
    const struct profile *p = report->profile;
    FILE *out = report->out;
    for (uint32_t c = 0; c < p->n_comments; c++) {
        fprintf(out, "Comment: %s\n", profile_text(p, p->comments[c]));
    }
    if (!report->go119 && p->doc_url) {
        fprintf(out, "Doc: %s\n", profile_text(p, p->doc_url));
    }
    fprintf(out, "PeriodType: %s %s\n", profile_text(p, p->period_type.type),
            profile_text(p, p->period_type.unit));
    fprintf(out, "Period: %" PRId64 "\n", p->period);
    if (p->time_nanos) {
        print_time(out, p->time_nanos);
    }
    if (p->duration_nanos) {
        print_duration(out, p->duration_nanos);
    }
    fputs("Samples:\n", out);
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        const struct profile_value_type *type = &p->sample_types[t];
        fprintf(out, "%s%s/%s%s", t ? " " : "", profile_text(p, type->type),
                profile_text(p, type->unit), type->type == p->default_sample_type ? "[dflt]" : "");
    }
    fputc('\n', out);
    for (uint32_t s = 0; s < p->n_samples; s++) {
        print_sample(out, p, s);
    }
    fputs("Locations\n", out);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        print_location(report, &p->locations[l]);
    }
    fputs("Mappings\n", out);
    for (uint32_t m = 0; m < p->n_mappings; m++) {
        const struct profile_mapping *mapping = &p->mappings[m];
        fprintf(out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " %s %s %s%s%s%s\n",
                mapping->id, mapping->start, mapping->limit, mapping->offset,
                profile_text(p, mapping->filename), profile_text(p, mapping->build_id),
                mapping->has_functions ? "[FN]" : "", mapping->has_filenames ? "[FL]" : "",
                mapping->has_line_numbers ? "[LN]" : "", mapping->has_inline_frames ? "[IN]" : "");
    }
    return STATUS_FINE;
}
