/* test: link=interpose/sampler.c,interpose/weight.c,proto cflags=-Iproto libs=-lm time=300 quick */
/* estimator - 2,000 seeded runs of the sampler: the mean of all four sample types against the
 * truth, and how often the 95% intervals hold it.
 *
 * One run allocates on one stack in bursts of equal sizes, in random order; half of the bursts are
 * freed again. A burst of n allocations of s bytes is stepped through countdown by countdown: with
 * c bytes left, c / s allocations pass and the next one is sampled, exactly as one by one.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "heap_tables.h"
#include "../../interpose/sampler.h"
#include "../../interpose/weight.h"

enum { RUNS = 2000, RATE = 524288, CLASSES = 256 };

static int failures;

struct sums {
    double w, ws, w2;
};

/* objects of size bytes are allocated in each of rounds bursts; every other burst is freed. */
struct kind {
    uint64_t size, per_round;
};

struct scenario {
    const char *name;
    const struct kind *kinds;
    int n_kinds, rounds;
    double covered_low, covered_high, mean_off; /* mean_off 0: not judged */
};

struct figures {
    double value[4]; /* alloc_objects, alloc_space, inuse_objects, inuse_space */
};

static void add_sample(struct sums *sums, uint64_t size)
{
    double w = weight_of(size, RATE);
    sums->w += w;
    sums->ws += w * (double)size;
    sums->w2 += w * w;
}

static long burst(uint64_t state[4], uint64_t *left, uint64_t size, uint64_t n, struct sums *alloc,
                  struct sums *freed)
{
    long samples = 0;
    for (;;) {
        uint64_t pass = *left / size;
        if (pass >= n) {
            *left -= n * size;
            return samples;
        }
        n -= pass + 1;
        *left = sampler_draw(state, RATE);
        add_sample(alloc, size);
        if (freed != NULL)
            add_sample(freed, size);
        samples++;
    }
}

static void run(const struct scenario *scenario, uint64_t seed, struct figures *got,
                struct estimate_interval interval[4], long *samples)
{
    static struct sums alloc[CLASSES], freed[CLASSES];
    memset(alloc, 0, sizeof alloc);
    memset(freed, 0, sizeof freed);
    uint64_t state[4];
    sampler_seed(state, seed);
    uint64_t left = sampler_draw(state, RATE);
    for (int round = 0; round < scenario->rounds; round++) {
        int first = (int)(sampler_uniform(state) * scenario->n_kinds) % scenario->n_kinds;
        for (int k = 0; k < scenario->n_kinds; k++) {
            const struct kind *kind = &scenario->kinds[(first + k) % scenario->n_kinds];
            unsigned c = heap_size_class(kind->size);
            *samples += burst(state, &left, kind->size, kind->per_round, &alloc[c],
                              round % 2 != 0 ? &freed[c] : NULL);
        }
    }
    struct estimate e[4] = {{0}};
    for (int c = 0; c < CLASSES; c++) {
        const struct sums *a = &alloc[c], *f = &freed[c];
        estimate_add_objects(&e[0], a->w, a->w2);
        estimate_add_bytes(&e[1], a->w, a->ws, a->w2);
        estimate_add_objects(&e[2], a->w - f->w, a->w2 - f->w2);
        estimate_add_bytes(&e[3], a->w - f->w, a->ws - f->ws, a->w2 - f->w2);
    }
    double z = ESTIMATE_Z95, smallest = (double)scenario->kinds[0].size;
    for (int i = 0; i < 4; i++) {
        got->value[i] = e[i].total;
        interval[i] = estimate_interval(&e[i], z, z * z * RATE / (i % 2 == 0 ? smallest : 1));
    }
}

static void judge(const struct scenario *scenario)
{
    static const char *const names[] = {"alloc_objects", "alloc_space", "inuse_objects",
                                        "inuse_space"};
    double truth[4] = {0}, sum[4] = {0};
    int covered[4] = {0};
    long samples = 0;
    for (int k = 0; k < scenario->n_kinds; k++) {
        double n = (double)scenario->kinds[k].per_round * scenario->rounds;
        double kept = (double)scenario->kinds[k].per_round * ((scenario->rounds + 1) / 2);
        truth[0] += n;
        truth[1] += n * (double)scenario->kinds[k].size;
        truth[2] += kept;
        truth[3] += kept * (double)scenario->kinds[k].size;
    }
    for (int i = 0; i < RUNS; i++) {
        struct figures got;
        struct estimate_interval interval[4];
        run(scenario, 1000003ull * (uint64_t)i + 17, &got, interval, &samples);
        for (int t = 0; t < 4; t++) {
            sum[t] += got.value[t];
            covered[t] += interval[t].low <= truth[t] && truth[t] <= interval[t].high;
        }
    }
    printf("%s: %.1f samples a run\n", scenario->name, (double)samples / RUNS);
    for (int t = 0; t < 4; t++) {
        double off = sum[t] / RUNS / truth[t] - 1, share = (double)covered[t] / RUNS;
        bool bad = share < scenario->covered_low || share > scenario->covered_high ||
                   (scenario->mean_off > 0 && fabs(off) > scenario->mean_off);
        printf("  %-14s mean %+.3f%% of truth, interval holds it in %.1f%%%s\n", names[t],
               100 * off, 100 * share, bad ? "   FAILED" : "");
        failures += bad;
    }
}

int main(void)
{
    /* One byte to 8 MiB. The bytes of each size are what gives 400 samples of the smallest and 40
     * of the others: an estimate of objects is as good as the samples of the smallest size. */
    static struct kind mixed[] = {{1, 0},      {3, 0},       {16, 0},     {100, 0},
                                  {1000, 0},   {5000, 0},    {40000, 0},  {300000, 0},
                                  {524288, 0}, {2097152, 0}, {8388608, 0}};
    enum { N = sizeof mixed / sizeof *mixed, ROUNDS = 40 };
    for (int k = 0; k < N; k++) {
        double p = -expm1(-(double)mixed[k].size / RATE);
        mixed[k].per_round = (uint64_t)ceil((k == 0 ? 800 : 80) / p / ROUNDS);
    }
    judge(&(struct scenario){"mixed sizes, 1 byte to 8 MiB", mixed, N, ROUNDS, 0.93, 0.97, 0.005});

    /* Expected samples 2, 5, 20 of what is in use, twice that allocated. */
    static const uint64_t sizes[] = {16, 1000, 65536};
    static const int expected[] = {2, 5, 20};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t m = 0; m < sizeof expected / sizeof *expected; m++) {
            char name[64];
            double p = -expm1(-(double)sizes[s] / RATE);
            struct kind one = {sizes[s], (uint64_t)ceil(expected[m] / p)};
            snprintf(name, sizeof name, "%llu bytes, %d expected samples in use",
                     (unsigned long long)sizes[s], expected[m]);
            judge(&(struct scenario){name, &one, 1, 2, 0.90, 0.99, 0});
        }
    return failures != 0;
}
