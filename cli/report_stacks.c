/* report_stacks.c - stacks for other tools: folded lines and speedscope's JSON. */
#include "report.h"

#include "key_table.h"
#include "records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A ';' in a name would end the frame, a newline the stack. */
static void print_folded_name(FILE *out, const char *name)
{
    for (; *name; name++) {
        fputc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, out);
    }
}

/* Stacks that read the same after aggregation are one. */
struct stack {
    uint32_t first, n; /* in stacks.frames */
    int64_t weight;
};

struct stacks {
    struct frame_table frames;
    uint32_t *infos; /* root first */
    size_t n_infos, infos_room;
    struct stack *list;
    uint32_t n;
    size_t room;
    struct key_table known;
};

static void add_stack(struct stacks *stacks, const struct profile *p, uint32_t s, int64_t weight)
{
    const struct profile_sample *sample = &p->samples[s];
    size_t first = stacks->n_infos;
    uint64_t hash = hash_seed();
    for (uint32_t i = sample->n_locations; i-- > 0;) {
        uint32_t l = p->sample_locations[sample->first_location + i];
        for (uint32_t f = stacks->frames.first[l]; f < stacks->frames.first[l + 1]; f++) {
            MEMORY_ROOM(stacks->infos, stacks->n_infos, stacks->infos_room);
            stacks->infos[stacks->n_infos++] = FRAME_INFO(stacks->frames.frames[f]);
            hash = key_hash(hash, FRAME_INFO(stacks->frames.frames[f]));
        }
    }
    uint32_t n = (uint32_t)(stacks->n_infos - first), id;
    if (n == 0) {
        return;
    }
    struct key_cursor at = key_table_at(&stacks->known, hash);
    while ((id = key_table_next(&stacks->known, &at)) != KEY_NONE) {
        struct stack *other = &stacks->list[id];
        if (other->n == n && memcmp(stacks->infos + other->first, stacks->infos + first,
                                    n * sizeof *stacks->infos) == 0) {
            other->weight = (int64_t)((uint64_t)other->weight + (uint64_t)weight);
            stacks->n_infos = first;
            return;
        }
    }
    MEMORY_ROOM(stacks->list, stacks->n, stacks->room);
    stacks->list[stacks->n] = (struct stack){(uint32_t)first, n, weight};
    key_table_add(&stacks->known, hash, stacks->n++);
}

static bool collect(struct report *report, struct stacks *stacks)
{
    const struct profile *p = report->profile;
    *stacks = (struct stacks){0};
    if (!report_frames(report, &stacks->frames)) {
        return false;
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        int64_t weight = p->values[(size_t)s * p->n_sample_types + report->value_index];
        if (weight) {
            add_stack(stacks, p, s, weight);
        }
    }
    return true;
}

static void free_stacks(struct stacks *stacks)
{
    frames_free(&stacks->frames);
    free(stacks->infos);
    free(stacks->list);
    key_table_free(&stacks->known);
}

int report_folded(struct report *report)
{
    struct stacks stacks;
    if (!collect(report, &stacks)) {
        return STATUS_BAD_USAGE;
    }
    for (uint32_t i = 0; i < stacks.n; i++) {
        const struct stack *stack = &stacks.list[i];
        int64_t weight = report_divided(report, stack->weight);
        if (weight == 0) {
            continue;
        }
        for (uint32_t f = 0; f < stack->n; f++) {
            fputs(f ? ";" : "", report->out);
            print_folded_name(report->out,
                              frame_name(&stacks.frames, stacks.infos[stack->first + f]));
        }
        fprintf(report->out, " %" PRId64 "\n", weight);
    }
    free_stacks(&stacks);
    return STATUS_FINE;
}

/* https://www.speedscope.app/file-format-schema.json */
int report_speedscope(struct report *report)
{
    struct stacks stacks;
    const struct profile *p = report->profile;
    FILE *out = report->out;
    if (!collect(report, &stacks)) {
        return STATUS_BAD_USAGE;
    }
    fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\": \"approf " APPROF_VERSION "\",\n\"shared\": {\"frames\": [",
          out);
    for (uint32_t i = 0; i < stacks.frames.n_infos; i++) {
        const struct frame_info *info = &stacks.frames.infos[i];
        fputs(i ? ",\n{\"name\": " : "\n{\"name\": ", out);
        json_text(out, info->name ? profile_text(p, info->name) : frame_name(&stacks.frames, i));
        if (info->file) {
            fputs(", \"file\": ", out);
            json_text(out, profile_text(p, info->file));
        }
        if (info->line) {
            fprintf(out, ", \"line\": %" PRId64, info->line);
        }
        fputc('}', out);
    }
    fputs("]},\n\"profiles\": [{\"type\": \"sampled\", \"name\": ", out);
    json_text(out, report->type);
    fprintf(out, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": ",
            strcmp(report->unit, "bytes") == 0         ? "bytes"
            : strcmp(report->unit, "nanoseconds") == 0 ? "nanoseconds"
                                                       : "none");
    /* Its widths are weights: it can't show what is negative. */
    int64_t end = 0;
    for (uint32_t i = 0; i < stacks.n; i++) {
        end += stacks.list[i].weight > 0 ? report_divided(report, stacks.list[i].weight) : 0;
    }
    fprintf(out, "%" PRId64 ",\n\"samples\": [", end);
    bool any = false;
    for (uint32_t i = 0; i < stacks.n; i++) {
        const struct stack *stack = &stacks.list[i];
        if (stack->weight <= 0) {
            continue;
        }
        fputs(any ? ",\n[" : "\n[", out);
        any = true;
        for (uint32_t f = 0; f < stack->n; f++) {
            fprintf(out, f ? ",%u" : "%u", stacks.infos[stack->first + f]);
        }
        fputc(']', out);
    }
    fputs("],\n\"weights\": [", out);
    any = false;
    for (uint32_t i = 0; i < stacks.n; i++) {
        if (stacks.list[i].weight > 0) {
            fprintf(out, any ? ",%" PRId64 : "%" PRId64,
                    report_divided(report, stacks.list[i].weight));
            any = true;
        }
    }
    fputs("]}]}\n", out);
    free_stacks(&stacks);
    return STATUS_FINE;
}
