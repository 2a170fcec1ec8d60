/* test: link=interpose/sampler.c,interpose/weight.c libs=-lm time=120 quick */
/* changing_rate - the estimate stays unbiased when the rate changes on the way, also when it
 * changes because of what was sampled (APPROF_OVERHEAD): 8,000 seeded runs against the truth. Each
 * sample is weighted with the rate at which its gap was drawn; that it is the right one to take is
 * shown by taking the other. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../interpose/sampler.h"
#include "../../interpose/weight.h"

enum { RUNS = 8000, ROUNDS = 400 };

static int failures;

/* The sizes of one round; together 45,153 bytes in 87 objects. */
static const struct {
    uint64_t size;
    int n;
} kinds[] = {{16, 30}, {100, 30}, {500, 20}, {1100, 4}, {9091, 3}};

/* When the rate is to change: in the middle of gaps, from 4096 to 65536 and back with every second
 * round, as another thread would; doubled at every tenth sample; once, at the first sample of a
 * large object. */
enum rule { BACK_AND_FORTH, EACH_TENTH, AFTER_LARGE };

static void run(uint64_t seed, enum rule rule, bool wrong, double *objects, double *bytes)
{
    uint64_t state[4], rate = 4096, drawn_at = rate, left;
    sampler_seed(state, seed);
    left = sampler_draw(state, rate);
    int samples = 0;
    *objects = *bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rule == BACK_AND_FORTH)
            rate = round / 2 % 2 ? 65536 : 4096;
        for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (int i = 0; i < kinds[k].n; i++) {
                uint64_t size = kinds[k].size;
                if (size <= left) {
                    left -= size;
                    continue;
                }
                double w = weight_of(size, wrong ? rate : drawn_at);
                *objects += w;
                *bytes += w * (double)size;
                samples++;
                if (rule == EACH_TENTH && samples % 10 == 0 && rate < 262144)
                    rate *= 2;
                if (rule == AFTER_LARGE && size > 5000)
                    rate = 32768;
                drawn_at = rate;
                left = sampler_draw(state, rate);
            }
    }
}

static void judge(enum rule rule, const char *name)
{
    double truth[2] = {0}, sum[2] = {0}, squares[2] = {0}, wrong_bytes = 0, error = 0;
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        truth[0] += (double)kinds[k].n * ROUNDS;
        truth[1] += (double)kinds[k].n * (double)kinds[k].size * ROUNDS;
    }
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        double got[2];
        run(seed, rule, false, &got[0], &got[1]);
        for (int i = 0; i < 2; i++) {
            sum[i] += got[i];
            squares[i] += got[i] * got[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        double mean = sum[i] / RUNS;
        error = sqrt((squares[i] / RUNS - mean * mean) / RUNS);
        double z = (mean - truth[i]) / error;
        printf("%s: mean %s %.0f, truth %.0f, z %+.2f\n", name, i ? "bytes" : "objects", mean,
               truth[i], z);
        if (!(fabs(z) < 4) || error > truth[i] / 100)
            failures++, printf("FAILED: biased\n");
    }
    if (rule != BACK_AND_FORTH)
        return;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        double got[2];
        run(seed, rule, true, &got[0], &got[1]);
        wrong_bytes += got[1] / RUNS;
    }
    printf("%s: with the present rate for the drawn one %.0f\n", name, wrong_bytes);
    if (!(fabs(wrong_bytes - truth[1]) > 8 * error))
        failures++, printf("FAILED: this test can't tell the two\n");
}

int main(void)
{
    judge(BACK_AND_FORTH, "back and forth");
    judge(EACH_TENTH, "each tenth sample");
    judge(AFTER_LARGE, "after a large one");
    return failures != 0;
}
