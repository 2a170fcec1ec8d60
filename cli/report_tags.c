/* report_tags.c - the values of all labels: pprof-spec 7.6. */
#include "report.h"

#include "intervals.h"
#include "key_table.h"
#include "report_records.h"

#include <stdlib.h>
#include <string.h>

struct tag {
    const char *key;
    const char *value; /* owned for numbers, the profile's for strings */
    char *owned;
    int64_t weight;
    double variance; /* with -ci */
};

struct tags {
    struct report *report;
    struct intervals intervals; /* with -ci */
    struct tag *tags;
    uint32_t n;
    size_t room;
    struct key_table strings, numbers, texts;
    /* The tag of a (key, number): formatting is done once for each. */
    struct {
        string_id key;
        int64_t number;
        uint32_t tag;
    } * known;
    uint32_t n_known;
    size_t known_room;
};

static uint32_t find_text(struct tags *t, string_id key, const char *value, char *owned)
{
    const struct profile *p = t->report->profile;
    const char *key_text = profile_text(p, key);
    uint64_t hash = hash_bytes(hash_seed() ^ key, value, strlen(value));
    struct key_cursor at = key_table_at(&t->texts, hash);
    uint32_t id;
    while ((id = key_table_next(&t->texts, &at)) != KEY_NONE) {
        if (strcmp(t->tags[id].key, key_text) == 0 && strcmp(t->tags[id].value, value) == 0) {
            free(owned);
            return id;
        }
    }
    MEMORY_ROOM(t->tags, t->n, t->room);
    t->tags[t->n] = (struct tag){.key = key_text, .value = value, .owned = owned};
    key_table_add(&t->texts, hash, t->n);
    return t->n++;
}

static uint32_t find_number(struct tags *t, const struct profile_label *label)
{
    struct report *report = t->report;
    uint64_t hash = key_hash(key_hash(hash_seed(), label->key), (uint64_t)label->num);
    struct key_cursor at = key_table_at(&t->numbers, hash);
    uint32_t id;
    while ((id = key_table_next(&t->numbers, &at)) != KEY_NONE) {
        if (t->known[id].key == label->key && t->known[id].number == label->num) {
            return t->known[id].tag;
        }
    }
    char text[UNIT_TEXT_ROOM];
    unit_label(text, sizeof text, label->num,
               label_unit(report->profile, &report->label_units, label->key), report->options.unit);
    char *owned = memory_text(text, strlen(text));
    uint32_t tag = find_text(t, label->key, owned, owned);
    MEMORY_ROOM(t->known, t->n_known, t->known_room);
    t->known[t->n_known].key = label->key;
    t->known[t->n_known].number = label->num;
    t->known[t->n_known].tag = tag;
    key_table_add(&t->numbers, hash, t->n_known++);
    return tag;
}

static void collect(struct tags *t)
{
    const struct profile *p = t->report->profile;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        int64_t weight = p->values[(size_t)s * p->n_sample_types + t->report->value_index];
        const struct profile_label *labels = p->labels + p->samples[s].first_label;
        for (uint32_t i = 0; i < p->samples[s].n_labels; i++) {
            uint32_t tag = labels[i].str
                               ? find_text(t, labels[i].key, profile_text(p, labels[i].str), NULL)
                               : find_number(t, &labels[i]);
            t->tags[tag].weight = (int64_t)((uint64_t)t->tags[tag].weight + (uint64_t)weight);
            if (t->report->options.ci) {
                t->tags[tag].variance += t->intervals.samples[s];
            }
        }
    }
}

static int compare_tags(const void *left, const void *right)
{
    const struct tag *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    if (!order) {
        int64_t x = graph_abs(a->weight), y = graph_abs(b->weight);
        order = (x < y) - (x > y);
    }
    return order ? order : strcmp(a->value, b->value);
}

/* As columns count: characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return n;
}

static void print_cell(FILE *out, const char *text, size_t width)
{
    fprintf(out, "%*s%s", (int)(width - width_of(text)), "", text);
}

static char *go119_figure(const struct report *report, int64_t value)
{
    const char *unit;
    double scaled = unit_scale(value, report->unit, report->output_unit, &unit);
    return memory_print("%.1f%s", scaled, unit);
}

static char *figure(const struct report *report, int64_t value)
{
    char text[UNIT_TEXT_ROOM];
    return report->go119 ? go119_figure(report, value)
                         : memory_print("%s", report_value(report, text, value));
}

/* One key: tags[0 .. n). */
static void print_key(const struct report *report, const struct intervals *intervals,
                      const struct tag *tags, uint32_t n)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += (uint64_t)tags[i].weight;
    }
    char percent[UNIT_TEXT_ROOM];
    /* Percent of the key in Go 1.19's pprof, of the profile today. */
    int64_t whole = report->go119 ? (int64_t)total : report->total;
    bool with_percent = report->go119 ? whole > 0 : whole != 0;
    char **cells = memory_array(n, sizeof *cells);
    size_t widest = 0;
    for (uint32_t i = 0; i < n; i++) {
        char *value = figure(report, tags[i].weight);
        cells[i] =
            with_percent
                ? memory_print("%s (%s):", value,
                               unit_percentage(percent, sizeof percent, tags[i].weight, whole))
                : memory_print("%s:", value);
        free(value);
        widest = width_of(cells[i]) > widest ? width_of(cells[i]) : widest;
    }
    char *key = memory_print("%s:", tags[0].key), *sum = figure(report, (int64_t)total);
    size_t key_width = width_of(key) + 1;
    print_cell(report->out, key, key_width);
    fprintf(report->out, " Total %s", sum);
    if (!report->go119) {
        char *of = figure(report, report->total);
        fprintf(report->out, " of %s", of);
        free(of);
        if (with_percent) {
            fprintf(report->out, " (%s)",
                    unit_percentage(percent, sizeof percent, (int64_t)total, whole));
        }
    }
    fputc('\n', report->out);
    for (uint32_t i = 0; i < n; i++) {
        print_cell(report->out, " ", key_width);
        print_cell(report->out, cells[i], widest + 1);
        if (report->options.ci) {
            char interval[INTERVAL_TEXT_ROOM];
            interval_text(report, intervals, tags[i].weight, tags[i].variance, interval,
                          sizeof interval);
            fprintf(report->out, "  %-*s ", INTERVAL_WIDTH, interval);
        }
        fprintf(report->out, " %s\n", tags[i].value);
        free(cells[i]);
    }
    fputc('\n', report->out);
    free(cells);
    free(key);
    free(sum);
}

static void record_tags(const struct report *report, const struct tags *t)
{
    struct records records;
    report_records_open(report, &records);
    for (uint32_t i = 0; i < t->n; i++) {
        records_begin(&records);
        records_text(&records, "key", t->tags[i].key);
        records_text(&records, "value", t->tags[i].value);
        records_int(&records, "weight", report_divided(report, t->tags[i].weight));
        if (report->options.ci) {
            interval_record(report, &t->intervals, &records, "weight", t->tags[i].weight,
                            t->tags[i].variance);
        }
        records_end(&records);
    }
    records_close(&records);
}

int report_tags(struct report *report)
{
    struct tags t = {.report = report};
    if (report->options.ci && !intervals_open(report, NULL, report->value_index, &t.intervals)) {
        return STATUS_BAD_USAGE;
    }
    collect(&t);
    if (t.n > 0) {
        qsort(t.tags, t.n, sizeof *t.tags, compare_tags);
    }
    if (report_records_format(report) != RECORDS_NONE) {
        record_tags(report, &t);
    } else {
        for (uint32_t i = 0, next; i < t.n; i = next) {
            for (next = i; next < t.n && strcmp(t.tags[next].key, t.tags[i].key) == 0; next++) {
            }
            print_key(report, &t.intervals, &t.tags[i], next - i);
        }
    }
    for (uint32_t i = 0; i < t.n; i++) {
        free(t.tags[i].owned);
    }
    free(t.tags);
    free(t.known);
    intervals_close(&t.intervals);
    key_table_free(&t.strings);
    key_table_free(&t.numbers);
    key_table_free(&t.texts);
    return STATUS_FINE;
}
