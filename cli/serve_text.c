/* serve_text.c - Go's text form of a heap profile (debug=1): one line a stack, its frames below it.
 *
 *   heap profile: LIVE: BYTES [ALLOCATED: BYTES] @ heap/2
 *   LIVE: BYTES [ALLOCATED: BYTES] @ 0xPC 0xPC ...
 *   #	0xPC	FUNCTION	FILE:LINE
 *
 * Go writes what was sampled, and readers scale it by half of the number behind heap/. Our figures
 * are estimates of the whole already: heap/2 says that nothing is to be scaled.
 */
#include "serve_work.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_VALUES = 4 }; /* as heap_snapshot_to_profile has them: allocated, in use */

struct stack_sum {
    uint32_t sample; /* one that has this stack */
    int64_t values[N_VALUES];
};

static int compare_stacks(const void *a, const void *b, void *ctx)
{
    const struct profile *profile = ctx;
    const struct stack_sum *sums[2] = {a, b};
    const struct profile_sample *x = &profile->samples[sums[0]->sample];
    const struct profile_sample *y = &profile->samples[sums[1]->sample];
    if (x->n_locations != y->n_locations) {
        return x->n_locations < y->n_locations ? -1 : 1;
    }
    return memcmp(profile->sample_locations + x->first_location,
                  profile->sample_locations + y->first_location,
                  x->n_locations * sizeof *profile->sample_locations);
}

/* By what is in use, then by what was allocated, as Go does; the rest so that it is always the
 * same. */
static int compare_weights(const void *a, const void *b)
{
    const struct stack_sum *x = a, *y = b;
    static const int order[] = {3, 1, 2, 0};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        int64_t v = x->values[order[i]], w = y->values[order[i]];
        if (v != w) {
            return v > w ? -1 : 1;
        }
    }
    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static void print_values(FILE *out, const int64_t values[N_VALUES])
{
    fprintf(out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", values[2], values[3],
            values[0], values[1]);
}

static void print_name(FILE *out, const char *name)
{
    for (; *name != 0; name++) {
        fputc((unsigned char)*name < 32 || *name == 127 ? '?' : *name, out);
    }
}

static void print_frames(FILE *out, const struct profile *profile,
                         const struct profile_location *location)
{
    uint64_t pc = location->address != 0 ? location->address + 1 : 0;
    if (location->n_lines == 0) {
        fprintf(out, "#\t0x%" PRIx64 "\n", pc);
    }
    for (uint32_t i = 0; i < location->n_lines; i++) {
        const struct profile_line *line = &profile->lines[location->first_line + i];
        const struct profile_function *function = &profile->functions[line->function];
        fprintf(out, "#\t0x%" PRIx64 "\t", pc);
        print_name(out, profile_text(profile, function->name));
        if (function->filename != 0) {
            fputc('\t', out);
            print_name(out, profile_text(profile, function->filename));
            fprintf(out, ":%" PRId64, line->line);
        }
        fputc('\n', out);
    }
}

static void print_stack(FILE *out, const struct profile *profile, const struct stack_sum *sum)
{
    const struct profile_sample *sample = &profile->samples[sum->sample];
    const uint32_t *locations = profile->sample_locations + sample->first_location;
    print_values(out, sum->values);
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint64_t address = profile->locations[locations[i]].address;
        if (address != 0) {
            fprintf(out, " 0x%" PRIx64, address + 1); /* the return address */
        }
    }
    fputc('\n', out);
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        print_frames(out, profile, &profile->locations[locations[i]]);
    }
    fputc('\n', out);
}

char *serve_text_page(const struct profile *profile, uint64_t rate, size_t *length)
{
    struct stack_sum *sums = memory_array(profile->n_samples, sizeof *sums);
    int64_t totals[N_VALUES] = {0};
    uint32_t n = 0;
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        sums[s].sample = s;
        memcpy(sums[s].values, &profile->values[(size_t)s * N_VALUES], sizeof sums[s].values);
        for (int v = 0; v < N_VALUES; v++) {
            totals[v] = (int64_t)((uint64_t)totals[v] + (uint64_t)sums[s].values[v]);
        }
    }
    /* Samples of one stack differ in labels: sizes. */
    if (profile->n_samples > 0) {
        qsort_r(sums, profile->n_samples, sizeof *sums, compare_stacks, (void *)profile);
    }
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        if (n == 0 || compare_stacks(&sums[n - 1], &sums[s], (void *)profile) != 0) {
            sums[n++] = sums[s];
            continue;
        }
        for (int v = 0; v < N_VALUES; v++) {
            sums[n - 1].values[v] =
                (int64_t)((uint64_t)sums[n - 1].values[v] + (uint64_t)sums[s].values[v]);
        }
    }
    if (n > 0) {
        qsort(sums, n, sizeof *sums, compare_weights);
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL) {
        abort(); /* out of memory */
    }
    fputs("heap profile: ", out);
    print_values(out, totals);
    fputs(" heap/2\n", out);
    for (uint32_t i = 0; i < n; i++) {
        print_stack(out, profile, &sums[i]);
    }
    fprintf(out,
            "# approf: estimates of the whole, scaled already; one sample in about %" PRIu64
            " bytes\n",
            rate);
    for (uint32_t i = 0; i < profile->n_comments; i++) {
        print_name(out, profile_text(profile, profile->comments[i]));
        fputc('\n', out);
    }
    fclose(out);
    free(sums);
    return text;
}
