/* weight.c - see weight.h; the only mathematics of the hook that needs an exponential. */
#include "weight.h"

#define LN2_HIGH 0x1.62e42fee00000p-1 /* ln 2 in two parts: k * LN2_HIGH is exact for small k */
#define LN2_LOW  0x1.a39ef35793c76p-33

/* (1 - exp(-r)) / r by Horner's rule on the Taylor series, for |r| < 0.7: the first term left out,
 * r^18/19!, is below 2e-20. */
static double series(double r)
{
    double sum = 1.0;
    for (int n = 18; n >= 2; n--)
        sum = 1.0 - r / n * sum;
    return sum;
}

double weight_probability(double x)
{
    if (!(x > 0))
        return 0;
    if (x < 0.6931)
        return x * series(x); /* subtracting from 1 would cancel */
    if (x > 40)
        return 1.0;
    /* exp(-x) = 2^-k exp(-r), |r| <= ln2/2 */
    int k = (int)(x * 1.4426950408889634 + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double e = (1.0 - r * series(r)) / (double)(UINT64_C(1) << k);
    return 1.0 - e;
}

double weight_of(uint64_t size, uint64_t rate)
{
    if (rate <= 1)
        return 1.0;
    if (size == 0)
        size = 1;
    return 1.0 / weight_probability((double)size / (double)rate);
}

uint64_t weight_bytes(double weight, uint64_t size)
{
    if (weight == 1.0)
        return size;
    double bytes = weight * (double)size + 0.5;
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_C(1) << 63;
}
