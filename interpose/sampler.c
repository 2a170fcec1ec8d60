/* sampler.c - draws of the byte countdown; the mathematics is in sampler.h. */
#include "sampler.h"

#include <string.h>
#include <time.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void sampler_seed(uint64_t state[4], uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        state[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

double sampler_uniform(uint64_t s[4])
{
    uint64_t result = s[0] + s[3], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return (double)((result >> 11) + 1) * 0x1p-53;
}

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)), without a branch that would be guessed wrong half the
 * time; log m = 2 atanh(s), s = (m - 1) / (m + 1), whose series ends after s^19 / 19 for |s| <=
 * 0.1716: the next term is below 3e-17 of the first. ln 2 in two parts, so that e times the first
 * is exact. */
double sampler_log(double x)
{
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t e = (int64_t)(bits - sqrt_half) >> 52;
    bits -= (uint64_t)e << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double s = (m - 1) / (m + 1), z = s * s;
    double z2 = z * z, z4 = z2 * z2; /* in pairs of pairs: half the time of one after the other */
    double low = (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9));
    double high = (1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17));
    double sum = z * (low + z4 * (high + z4 * (1.0 / 19)));
    return e * 0x1.62e42fee00000p-1 + (e * 0x1.a39ef35793c76p-33 + 2 * (s + s * sum));
}

uint64_t sampler_draw(uint64_t state[4], uint64_t rate)
{
    if (rate == 0)
        return SAMPLER_OFF_BYTES;
    if (rate == 1)
        return 0;
    double distance = -sampler_log(sampler_uniform(state)) * (double)rate;
    if (distance >= 0x1p62)
        return UINT64_C(1) << 62;
    uint64_t whole = (uint64_t)distance; /* ceil(E) - 1, where E is no integer */
    return whole > 0 && (double)whole == distance ? whole - 1 : whole;
}

uint64_t sampler_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
