/* weight.c - see weight.h; the only mathematics of the hook that needs an exponential. */
#include "weight.h"

#define LN2_HIGH 0x1.62e42fee00000p-1 /* ln 2 in two parts: k * LN2_HIGH is exact for small k */
#define LN2_LOW  0x1.a39ef35793c76p-33

/* (1 - exp(-r)) / r is the sum of (-r)^n / (n+1)!, by Horner's rule with constants: divisions would
 * cost more than all the rest. For |r| < 0.7 the first term left out, r^18/19!, is below 2e-20. */
static double series(double r)
{
    double sum = -1.0 / 6402373705728000.0;
    sum = sum * r + 1.0 / 355687428096000.0;
    sum = sum * r - 1.0 / 20922789888000.0;
    sum = sum * r + 1.0 / 1307674368000.0;
    sum = sum * r - 1.0 / 87178291200.0;
    sum = sum * r + 1.0 / 6227020800.0;
    sum = sum * r - 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r - 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r - 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r - 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r - 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r - 1.0 / 2.0;
    sum = sum * r + 1.0;
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
    /* x / (1 - exp(-x)) is 1 + x/2 + x^2/12 - x^4/720 + ... (Bernoulli's numbers over factorials).
     * For x <= 1/16 the first term left out is below 3e-20 of the weight, and what is left neither
     * cancels nor divides twice in a row. Nearly all samples are that small against their rate. */
    if (size <= rate / 16) {
        double s = (double)(int64_t)size, r = (double)(int64_t)rate, x = s / r, z = x * x;
        return r / s + (0.5 + x * ((1.0 / 12 - z * (1.0 / 720)) +
                                   z * z * (1.0 / 30240 - z * (1.0 / 1209600))));
    }
    return 1.0 / weight_probability((double)size / (double)rate);
}

uint64_t weight_bytes(double weight, uint64_t size)
{
    if (weight == 1.0)
        return size;
    double bytes = weight * (double)size + 0.5;
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_C(1) << 63;
}
