/* test: link=interpose/sampler.c libs=-lm quick */
/* sampler_numbers - the logarithm against libm, the distribution of one draw, the special rates,
 * repeatable draws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../interpose/sampler.h"

static int failures;
#define CHECK(condition, ...)               \
    do {                                    \
        if (!(condition)) {                 \
            printf("FAILED: " __VA_ARGS__); \
            putchar('\n');                  \
            failures++;                     \
        }                                   \
    } while (0)

static void logarithm(void)
{
    uint64_t state[4];
    sampler_seed(state, 7);
    double worst = 0;
    for (int i = 0; i < 2000000; i++) {
        /* Uniform ones, small ones down to 2^-53, and ones close to 1. */
        double x = sampler_uniform(state);
        if (i % 3 == 1)
            x = ldexp(x, -(i % 53));
        else if (i % 3 == 2)
            x = 1 - ldexp(x, -(i % 53));
        if (x <= 0 || x > 1)
            continue;
        double want = log(x), got = sampler_log(x);
        double error = want == 0 ? fabs(got) : fabs(got / want - 1);
        if (error > worst)
            worst = error;
    }
    printf("logarithm: worst relative error %.2g\n", worst);
    CHECK(worst < 1e-12, "the logarithm is off by %g", worst);
    CHECK(sampler_log(1) == 0, "log 1 is %g", sampler_log(1));
}

/* P(an allocation of s bytes at a fresh countdown is sampled) = 1 - exp(-s/R), against counts. */
static void one_draw(uint64_t rate, uint64_t size)
{
    enum { N = 1000000 };
    uint64_t state[4];
    sampler_seed(state, rate * 31 + size);
    long hits = 0;
    for (int i = 0; i < N; i++)
        hits += size > sampler_draw(state, rate);
    double p = -expm1(-(double)size / (double)rate);
    double z = ((double)hits - N * p) / sqrt(N * p * (1 - p) + 1e-9);
    printf("rate %8llu size %8llu: %7ld of %d sampled, p %.6f, z %+.2f\n", (unsigned long long)rate,
           (unsigned long long)size, hits, N, p, z);
    CHECK(fabs(z) < 4.5, "rate %llu, size %llu: z = %.2f", (unsigned long long)rate,
          (unsigned long long)size, z);
}

int main(void)
{
    logarithm();
    const uint64_t rates[] = {2, 3, 10, 1000, 524288, 1 << 30};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (int k = -6; k <= 2; k++) {
            double size = floor((double)rates[r] * exp2(k));
            if (size >= 1)
                one_draw(rates[r], (uint64_t)size);
        }

    uint64_t a[4], b[4];
    sampler_seed(a, 42);
    sampler_seed(b, 42);
    for (int i = 0; i < 1000; i++) {
        CHECK(sampler_draw(a, 1) == 0, "rate 1 lets bytes pass");
        CHECK(sampler_draw(a, 0) == SAMPLER_OFF_BYTES, "rate 0 samples");
    }
    CHECK(memcmp(a, b, sizeof a) == 0, "rates 0 and 1 use up randomness");
    for (int i = 0; i < 1000; i++)
        CHECK(sampler_draw(a, 524288) == sampler_draw(b, 524288), "a seed does not repeat");
    sampler_seed(b, 43);
    CHECK(sampler_draw(a, 524288) != sampler_draw(b, 524288), "seeds do not differ");
    CHECK(sampler_draw(a, UINT64_MAX) <= UINT64_C(1) << 62, "an endless gap");
    return failures != 0;
}
