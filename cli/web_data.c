/* web_data.c - a prepared profile as the JSON that the web page reads (format: docs/WEB.md).
 *
 * Arrays of numbers instead of objects, numbers as differences where that makes them small: a page
 * with 200,000 samples is read in one go, and compresses well. The page sums up by itself, so that
 * views change without asking anyone. */
#include "paths.h"
#include "profile_edit.h"
#include "records.h"
#include "report.h"
#include "web_sources.h"
#include "web_tree.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct web_data {
    struct report *report;
    struct frame_table lines, functions;
    struct web_tree tree;
    uint32_t *file_numbers; /* by string; PROFILE_NONE: not in the list */
};

static void begin_array(FILE *out, const char *name)
{
    fprintf(out, ",\n\"%s\":[", name);
}

static void put_number(FILE *out, bool first, int64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
    } while (rest /= 10);
    if (value < 0) {
        *--at = '-';
    }
    if (!first) {
        *--at = ',';
    }
    fwrite(at, 1, (size_t)(digits + sizeof digits - at), out);
}

static void write_facts(struct web_data *d, FILE *out)
{
    struct report *report = d->report;
    const struct profile *p = report->profile;
    const char *file = p->n_mappings ? profile_text(p, p->mappings[0].filename) : "";
    fputs("{\"format\":1,\n\"title\":", out);
    json_text(out, *file ? path_base(file) : "profile");
    fputs(",\n\"binary\":", out);
    json_text(out, file);
    fputs(",\n\"build_id\":", out);
    json_text(out, p->n_mappings ? profile_text(p, p->mappings[0].build_id) : "");
    fprintf(out,
            ",\n\"time_ms\":%" PRId64 ",\n\"duration_ms\":%" PRId64 ",\n\"period\":%" PRId64
            ",\n\"shown\":%u,\n\"types\":[",
            p->time_nanos / 1000000, p->duration_nanos / 1000000, p->period, report->value_index);
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        fputs(t ? ",{\"name\":" : "{\"name\":", out);
        json_text(out, profile_text(p, p->sample_types[t].type));
        fputs(",\"unit\":", out);
        json_text(out, profile_text(p, p->sample_types[t].unit));
        fprintf(out, ",\"total\":%" PRId64 "}", report->totals[t]);
    }
    fputs("],\n\"base\":", out);
    json_text(out, report->options.diff_base);
    begin_array(out, "comments");
    for (uint32_t c = 0; c < p->n_comments; c++) {
        fputs(c ? "," : "", out);
        json_text(out, profile_text(p, p->comments[c]));
    }
    fputc(']', out);
}

static void write_files(struct web_data *d, FILE *out)
{
    const struct profile *p = d->report->profile;
    uint32_t n = 0;
    d->file_numbers = memory_array(p->n_strings, sizeof *d->file_numbers);
    memset(d->file_numbers, 0xff, p->n_strings * sizeof *d->file_numbers);
    begin_array(out, "files");
    for (uint32_t i = 0; i < d->lines.n_infos; i++) {
        string_id file = d->lines.infos[i].file;
        if (file && d->file_numbers[file] == PROFILE_NONE) {
            d->file_numbers[file] = n++;
            fputs(n > 1 ? "," : "", out);
            json_text(out, profile_text(p, file));
        }
    }
    fputc(']', out);
}

static void write_frames(struct web_data *d, FILE *out)
{
    const struct frame_table *lines = &d->lines;
    begin_array(out, "functions");
    for (uint32_t f = 0; f < d->functions.n_infos; f++) {
        fputs(f ? "," : "", out);
        json_text(out, frame_name(&d->functions, f));
    }
    fputc(']', out);
    begin_array(out, "frame_function");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        put_number(out, i == 0, d->tree.functions[i]);
    }
    fputc(']', out);
    begin_array(out, "frame_file");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        string_id file = lines->infos[i].file;
        put_number(out, i == 0, file ? (int64_t)d->file_numbers[file] : -1);
    }
    fputc(']', out);
    begin_array(out, "frame_line");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        put_number(out, i == 0, lines->infos[i].line);
    }
    fputc(']', out);
    begin_array(out, "frame_inlined");
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        put_number(out, i == 0, lines->may_be_inlined[i]);
    }
    fputc(']', out);
}

static void write_tree(struct web_data *d, FILE *out)
{
    const struct web_nodes *nodes = &d->tree.by_line;
    begin_array(out, "node_up");
    for (uint32_t n = 1; n < nodes->n; n++) {
        put_number(out, n == 1, n - nodes->parents[n]);
    }
    fputc(']', out);
    begin_array(out, "node_frame");
    for (uint32_t n = 1; n < nodes->n; n++) {
        put_number(out, n == 1, nodes->infos[n]);
    }
    fputc(']', out);
    /* How far back the node by function lies; 0 is a new one. */
    uint32_t known = 1;
    begin_array(out, "node_function");
    for (uint32_t n = 1; n < nodes->n; n++) {
        uint32_t function = d->tree.function_nodes[n];
        put_number(out, n == 1, known - function);
        known += function == known;
    }
    fputc(']', out);
}

static bool is_base(const struct profile *p, uint32_t sample, string_id key, string_id yes)
{
    const struct profile_label *labels = p->labels + p->samples[sample].first_label;
    for (uint32_t i = 0; i < p->samples[sample].n_labels; i++) {
        if (labels[i].key == key && labels[i].str == yes && key != PROFILE_NONE) {
            return true;
        }
    }
    return false;
}

static int64_t size_class(const struct profile *p, uint32_t sample, string_id key)
{
    const struct profile_label *labels = p->labels + p->samples[sample].first_label;
    for (uint32_t i = 0; i < p->samples[sample].n_labels; i++) {
        if (labels[i].key == key && labels[i].str == 0) {
            return labels[i].num;
        }
    }
    return -1;
}

/* Those of the base come last. */
static void write_samples(struct web_data *d, FILE *out)
{
    const struct profile *p = d->report->profile;
    string_id key = profile_find_text(p, "pprof::base"), yes = profile_find_text(p, "true");
    string_id bytes = profile_find_text(p, "bytes");
    uint32_t *order = memory_array(p->n_samples, sizeof *order), n = 0, n_new = 0;
    for (int base = 0; base < 2; base++) {
        for (uint32_t s = 0; s < p->n_samples; s++) {
            if (is_base(p, s, key, yes) == base) {
                order[n++] = s;
            }
        }
        n_new = base ? n_new : n;
    }
    fprintf(out, ",\n\"new_samples\":%u", n_new);
    begin_array(out, "sample_node");
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        put_number(out, i == 0, d->tree.of_sample[order[i]] - last);
        last = d->tree.of_sample[order[i]];
    }
    fputc(']', out);
    begin_array(out, "sample_bytes");
    for (uint32_t i = 0; i < n; i++) {
        put_number(out, i == 0, size_class(p, order[i], bytes));
    }
    fputc(']', out);
    begin_array(out, "sample_values");
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        fputs(t ? ",\n[" : "[", out);
        for (uint32_t i = 0; i < n; i++) {
            put_number(out, i == 0, p->values[(size_t)order[i] * p->n_sample_types + t]);
        }
        fputc(']', out);
    }
    fputc(']', out);
    free(order);
}

int report_web(struct report *report)
{
    struct web_data d = {.report = report};
    report->granularity = GRANULARITY_FUNCTIONS;
    if (!report_frames(report, &d.functions)) {
        return STATUS_BAD_USAGE;
    }
    report->granularity = GRANULARITY_LINES;
    if (!report_frames(report, &d.lines)) {
        frames_free(&d.functions);
        return STATUS_BAD_USAGE;
    }
    web_tree_build(&d.tree, report->profile, &d.lines, &d.functions);
    write_facts(&d, report->out);
    write_files(&d, report->out);
    write_frames(&d, report->out);
    write_tree(&d, report->out);
    write_samples(&d, report->out);
    fputs(",\n\"sources\":", report->out);
    web_sources_write(report->out, report->profile, &d.lines, d.file_numbers,
                      report->options.source_path, report->options.trim_path);
    fputs("}\n", report->out);
    free(d.file_numbers);
    web_tree_free(&d.tree);
    frames_free(&d.lines);
    frames_free(&d.functions);
    return STATUS_FINE;
}
