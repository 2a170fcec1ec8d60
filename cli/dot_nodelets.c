/* dot_nodelets.c - see dot_nodelets.h. */
#include "dot_nodelets.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4 }; /* boxes of a kind; more numbers become ranges */

/* One box: a tag, or several numbers that became a range. */
struct nodelet {
    const char *text;
    char *owned;
    int64_t flat, cum; /* what is shown: divided */
    int64_t sort_flat, sort_cum;
    int64_t value;
    const struct graph_tag *tag;
};

struct weights_order {
    bool flat;
};

static int compare(const void *left, const void *right, void *ctx)
{
    const struct nodelet *a = left, *b = right;
    int64_t x = graph_abs(a->sort_cum), y = graph_abs(b->sort_cum);
    int order = 0;
    if (!((const struct weights_order *)ctx)->flat) {
        order = (x < y) - (x > y);
    }
    if (!order) {
        x = graph_abs(a->sort_flat);
        y = graph_abs(b->sort_flat);
        order = (x < y) - (x > y);
    }
    return order ? order : strcmp(a->text, b->text);
}

static void sort(struct nodelet *list, uint32_t n, bool flat)
{
    struct weights_order order = {flat};
    qsort_r(list, n, sizeof *list, compare, &order);
}

static struct nodelet of_tag(const struct graph_tag *tag, const char *text)
{
    return (struct nodelet){
        .text = text,
        .flat = tag_flat(tag),
        .cum = tag_cum(tag),
        .sort_flat = tag->flat,
        .sort_cum = tag->cum,
        .value = tag->value,
        .tag = tag,
    };
}

static double distance(const struct graph_tags *tags, int64_t a, int64_t b)
{
    const char *unit;
    double scaled = unit_scale(b, tags->number_unit, tags->number_unit, &unit);
    return scaled < (double)a ? (double)a - scaled : scaled - (double)a;
}

static int64_t scaled_value(const struct graph_tags *tags, int64_t value)
{
    const char *unit;
    return (int64_t)unit_scale(value, tags->number_unit, tags->number_unit, &unit);
}

/* The members of one range become one box. */
static struct nodelet range_of(const struct graph_tags *tags, const struct nodelet *list,
                               const uint32_t *group, uint32_t n, uint32_t g)
{
    char low_text[UNIT_TEXT_ROOM], high_text[UNIT_TEXT_ROOM];
    struct nodelet range = {0};
    uint64_t flat = 0, cum = 0, flat_base = 0, cum_base = 0;
    uint32_t members = 0;
    int64_t low = 0, high = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (group[i] != g) {
            continue;
        }
        const struct graph_tag *tag = list[i].tag;
        if (members++ == 0) {
            low = high = list[i].value;
        }
        low = scaled_value(tags, list[i].value) < low ? list[i].value : low;
        high = scaled_value(tags, list[i].value) > high ? list[i].value : high;
        flat += (uint64_t)tag->flat;
        cum += (uint64_t)tag->cum;
        flat_base += (uint64_t)tag->flat_base;
        cum_base += (uint64_t)tag->cum_base;
    }
    range.flat = flat_base ? (int64_t)flat / (int64_t)flat_base : (int64_t)flat;
    range.cum = cum_base ? (int64_t)cum / (int64_t)cum_base : (int64_t)cum;
    range.sort_flat = range.flat;
    range.sort_cum = range.cum;
    unit_label(low_text, sizeof low_text, low, tags->number_unit, "auto");
    unit_label(high_text, sizeof high_text, high, tags->number_unit, "auto");
    range.owned = members > 1 ? memory_print("%s..%s", low_text, high_text)
                              : memory_text(low_text, strlen(low_text));
    range.text = range.owned;
    return range;
}

/* The heaviest start ranges, every other joins the nearest. */
static uint32_t collapse(const struct graph_tags *tags, struct nodelet *list, uint32_t n, bool flat)
{
    sort(list, n, flat);
    if (n <= MOST) {
        return n;
    }
    uint32_t *group = memory_array(n, sizeof *group);
    for (uint32_t i = 0; i < n; i++) {
        group[i] = i;
        if (i >= MOST) {
            double nearest = distance(tags, list[i].value, list[0].value);
            group[i] = 0;
            for (uint32_t g = 1; g < MOST; g++) {
                double other = distance(tags, list[i].value, list[g].value);
                if (other < nearest) {
                    nearest = other;
                    group[i] = g;
                }
            }
        }
    }
    struct nodelet ranges[MOST];
    for (uint32_t g = 0; g < MOST; g++) {
        ranges[g] = range_of(tags, list, group, n, g);
    }
    memcpy(list, ranges, sizeof ranges);
    free(group);
    sort(list, MOST, flat);
    return MOST;
}

static bool print_numbers(const struct graph_tags *tags, uint32_t first, uint32_t end, bool calls,
                          const char *source)
{
    FILE *out = tags->report->out;
    struct nodelet *list = memory_array(end - first > MOST ? end - first : MOST, sizeof *list);
    uint32_t n = 0;
    bool any = false;
    for (uint32_t t = first; t < end; t++) {
        const struct graph_tag *tag = &tags->tags[t];
        if (tag->number) {
            list[n++] = of_tag(tag, tags->numbers[tag->number - 1]);
        }
    }
    n = collapse(tags, list, n, calls);
    for (uint32_t i = 0; i < n; i++) {
        char weight[UNIT_TEXT_ROOM];
        bool solid = calls || list[i].flat == list[i].cum;
        int64_t value = solid ? list[i].flat : list[i].cum;
        if (value) {
            any = true;
            report_value(tags->report, weight, value);
            fprintf(out,
                    "N%s_%u [label = \"%s\" id=\"N%s_%u\" fontsize=8 shape=box3d tooltip=\"%s\"]\n",
                    source, i, list[i].text, source, i, weight);
            fprintf(
                out,
                "%s -> N%s_%u [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n",
                source, source, i, weight, weight, weight, solid ? "" : " style=\"dotted\"");
        }
        free(list[i].owned);
    }
    free(list);
    return any;
}

/* Label values are bytes of the profiled program. pprof prints them as they are, which breaks the
 * drawing; so does Go 1.19's text here. */
static char *label_text(const struct graph_tags *tags, const char *text)
{
    if (tags->report->go119) {
        return memory_text(text, strlen(text));
    }
    char *out = memory_array(2 * strlen(text) + 1, 1), *end = out;
    for (; *text; text++) {
        if (*text == '"' || (*text == '\\' && text[1] != 'n')) {
            *end++ = '\\';
        }
        *end++ = *text;
    }
    return out;
}

bool dot_nodelets_print(const struct graph_tags *tags, uint32_t node, uint32_t number, bool calls)
{
    FILE *out = tags->report->out;
    uint32_t first = tags->first[node], end = tags->first[node + 1], n = 0;
    struct nodelet *list = memory_array(end - first, sizeof *list);
    bool any = false;
    char source[48];
    for (uint32_t t = first; t < end; t++) {
        const struct graph_tag *tag = &tags->tags[t];
        if (tag->combination && !tag->number) {
            list[n++] = of_tag(tag, tags->combinations[tag->combination]);
        }
    }
    sort(list, n, calls);
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        int64_t value = calls ? list[i].flat : list[i].cum;
        if (!value) {
            continue;
        }
        any = true;
        char weight[UNIT_TEXT_ROOM], *text = label_text(tags, list[i].text);
        report_value(tags->report, weight, value);
        fprintf(out,
                "N%u_%u [label = \"%s\" id=\"N%u_%u\" fontsize=8 shape=box3d tooltip=\"%s\"]\n",
                number, i, text, number, i, weight);
        fprintf(out,
                "N%u -> N%u_%u [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"]\n",
                number, number, i, weight, weight, weight);
        free(text);
        /* The numbers of the same combination follow it. */
        uint32_t from = first, to;
        while (from < end && tags->tags[from].combination != list[i].tag->combination) {
            from++;
        }
        for (to = from; to < end && tags->tags[to].combination == list[i].tag->combination; to++) {
        }
        snprintf(source, sizeof source, "N%u_%u", number, i);
        print_numbers(tags, from, to, calls, source);
    }
    uint32_t plain = first;
    while (plain < end && tags->tags[plain].combination == 0) {
        plain++;
    }
    snprintf(source, sizeof source, "N%u", number);
    any |= print_numbers(tags, first, plain, calls, source);
    free(list);
    return any;
}
