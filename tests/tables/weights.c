/* test: link=interpose/weight.c libs=-lm quick */
/* weights.c - the weight of a sample against libm's expm1l, over twenty orders of magnitude. */
#include <math.h>
#include <stdio.h>
#include "weight.h"

static int failures;

static void check(double got, long double wanted, const char *what, uint64_t size, uint64_t rate)
{
    long double error = fabsl((long double)got - wanted) / wanted;
    if (!(error <= 1e-14L)) {
        printf("%s(%llu, %llu) = %.17g, wanted %.20Lg, off by %Lg\n", what,
               (unsigned long long)size, (unsigned long long)rate, got, wanted, error);
        failures++;
    }
}

int main(void)
{
    for (double x = 1e-18; x < 60; x *= 1.0007)
        check(weight_probability(x), -expm1l(-(long double)x), "weight_probability", 0, 0);
    static const uint64_t rates[] = {2, 3, 512, 4096, 524288, 1u << 30, UINT64_C(1) << 62};
    for (unsigned r = 0; r < sizeof rates / sizeof rates[0]; r++)
        for (uint64_t size = 1; size < UINT64_C(1) << 60; size += 1 + size / 3)
            check(weight_of(size, rates[r]),
                  -1.0L / expm1l(-(long double)size / (long double)rates[r]), "weight_of", size,
                  rates[r]);
    if (weight_of(123, 1) != 1.0 || weight_of(0, 1) != 1.0 || weight_of(5, 0) != 1.0)
        failures++, puts("rate 1 must weigh exactly 1");
    if (weight_of(0, 4096) != weight_of(1, 4096))
        failures++, puts("malloc(0) must draw as one byte");
    if (weight_bytes(1.0, UINT64_MAX) != UINT64_MAX || weight_bytes(1e300, 1000) != 1ull << 63 ||
        weight_bytes(2.5, 3) != 8 || weight_bytes(32768.5, 0) != 0)
        failures++, puts("weight_bytes rounds wrongly");
    printf("%d failures\n", failures);
    return failures != 0;
}
