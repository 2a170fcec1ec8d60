/* gate_stats.c - see gate_stats.h. The special functions are the textbook ones: continued fractions
 * by Lentz's method, the gamma series for small arguments. */
#include "gate_stats.h"

#include <float.h>
#include <math.h>

enum { STEPS = 10000 };
#define TINY 1e-300
#define SPREAD_EXCEEDED \
    0.001 /* chance at which profiles are held to differ by more than sampling */

void gate_figure_add(struct gate_figure *figure, double value, double k2, double k3)
{
    /* Kept around the mean as it goes: a difference of large squares would be rounding alone. */
    double before = figure->n > 0 ? figure->k1 / figure->n : value;
    figure->n += 1;
    figure->k1 += value;
    figure->k2 += k2;
    figure->k3 += k3;
    figure->squares += (value - before) * (value - figure->k1 / figure->n);
}

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < TINY ? TINY : d);
    double result = d;
    for (int m = 1; m < STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (int half = 0; half < 2; half++) {
            double term = half == 0 ? even : odd;
            d = 1 + term * d;
            d = 1 / (fabs(d) < TINY ? TINY : d);
            c = 1 + term / c;
            c = fabs(c) < TINY ? TINY : c;
            step = d * c;
            result *= step;
        }
        if (fabs(step - 1) < 4 * DBL_EPSILON)
            break;
    }
    return result;
}

double gate_beta(double x, double a, double b)
{
    if (!(x > 0))
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    /* The fraction converges fast on the left of the mean. */
    if (x < (a + 1) / (a + b + 2))
        return fmin(1, front * beta_fraction(x, a, b) / a);
    return fmax(0, 1 - front * beta_fraction(1 - x, b, a) / b);
}

double gate_gamma(double x, double mean)
{
    if (x <= 0)
        return 1;
    if (mean <= 0)
        return 0;
    double front = exp(-mean + x * log(mean) - log_gamma(x));
    if (mean < x + 1) {
        double term = 1 / x, sum = term;
        for (int n = 1; n < STEPS && term > sum * DBL_EPSILON; n++) {
            term *= mean / (x + n);
            sum += term;
        }
        return fmin(1, front * sum);
    }
    double b = mean + 1 - x, c = 1 / TINY, d = 1 / b, result = d;
    for (int n = 1; n < STEPS; n++) {
        double term = -n * (n - x);
        b += 2;
        d = term * d + b;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = b + term / c;
        c = fabs(c) < TINY ? TINY : c;
        result *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return fmax(0, 1 - front * result);
}

/* Falls with z from 1/2 to 0: found by halving, which is exact enough and can't fail. */
double gate_normal_quantile(double alpha)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(middle / M_SQRT2) > alpha)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* t with P(T_df > t) = alpha, from P = I_{df/(df+t^2)}(df/2, 1/2) / 2. */
static double student_quantile(double alpha, double df)
{
    double low = 0, high = 1e12;
    for (int i = 0; i < 300; i++) {
        double middle = low < 1 ? (low + high) / 2 : sqrt(low * high);
        if (high < 4)
            middle = (low + high) / 2;
        double chance = gate_beta(df / (df + middle * middle), df / 2, 0.5) / 2;
        if (chance > alpha)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double around_mean(const struct gate_figure *f)
{
    return f->n > 1 ? fmax(0, f->squares) : 0;
}

double gate_unit(const struct gate_figure *base, const struct gate_figure *fresh, double nothing,
                 double alpha)
{
    double k1 = base->k1 + fresh->k1, k2 = base->k2 + fresh->k2, k3 = base->k3 + fresh->k3;
    double unit = k2 > 0 ? k3 / k2 : k1 > 0 ? 0 : nothing;
    double df = fmax(0, base->n - 1) + fmax(0, fresh->n - 1);
    double spread = around_mean(base) + around_mean(fresh);
    if (df < 1 || !(k1 > 0))
        return unit;
    /* Values are sums of whole units, so that this much is rounding. */
    if (!(spread > 1e-18 * k1 * k1))
        return unit;
    double expected = unit * k1 / (base->n + fresh->n); /* variance of one profile */
    double penalty = student_quantile(alpha, df) / gate_normal_quantile(alpha);
    penalty *= penalty;
    if (unit <= 0)
        return spread / df / (k1 / (base->n + fresh->n)) * penalty;
    double chi2 = spread / expected;
    if (1 - gate_gamma(df / 2, chi2 / 2) < SPREAD_EXCEEDED)
        return fmax(unit, unit * chi2 / df * penalty);
    return unit;
}

static bool beyond(double value, double limit)
{
    return value > limit * (1 + 1e-12) + 1e-9;
}

double gate_growth_chance(const struct gate_figure *base, const struct gate_figure *fresh,
                          double unit, double limit)
{
    if (fresh->n <= 0 || base->n <= 0)
        return 1;
    double allowed = base->k1 / base->n * (1 + limit);
    if (!beyond(fresh->k1 / fresh->n, allowed))
        return 1;
    if (!(unit > 0))
        return 0;
    double theta = fresh->n * (1 + limit) / (base->n + fresh->n * (1 + limit));
    return gate_beta(theta, fresh->k1 / unit, fmax(0, base->k1) / unit + 1);
}

double gate_shrink_chance(const struct gate_figure *base, const struct gate_figure *fresh,
                          double unit, double limit)
{
    if (fresh->n <= 0 || base->n <= 0 || !(base->k1 > 0))
        return 1;
    double least = base->k1 / base->n * (1 + limit);
    if (!beyond(least, fresh->k1 / fresh->n))
        return 1;
    if (!(unit > 0))
        return 0;
    /* The base's share of all counts is at least its own, seen from the other side. */
    double theta = base->n / (base->n + fresh->n * fmax(1 + limit, 1e-12));
    return gate_beta(theta, base->k1 / unit, fmax(0, fresh->k1) / unit + 1);
}

double gate_excess_chance(const struct gate_figure *fresh, double unit, double most)
{
    if (fresh->n <= 0 || !beyond(fresh->k1 / fresh->n, most))
        return 1;
    if (!(unit > 0))
        return 0;
    return gate_gamma(fresh->k1 / unit, most * fresh->n / unit);
}

double gate_growth_detectable(const struct gate_figure *base, const struct gate_figure *fresh,
                              double unit, double limit, double alpha)
{
    if (!(unit > 0))
        return limit;
    if (!(base->k1 > 0) || fresh->n <= 0)
        return INFINITY;
    double low = limit, high = limit + 1;
    struct gate_figure grown = *fresh;
    for (int i = 0; i < 400; i++) {
        double growth = i < 60 && high > low && low == limit ? high : (low + high) / 2;
        grown.k1 = base->k1 / base->n * (1 + growth) * fresh->n;
        bool seen = gate_growth_chance(base, &grown, unit, limit) < alpha;
        if (low == limit && !seen && i < 60) {
            high = limit + (high - limit) * 2;
            continue;
        }
        if (seen)
            high = growth;
        else
            low = growth;
        if (i >= 60 && high - low < 1e-6 * (1 + high))
            break;
        if (i < 60)
            i = 60; /* bracketed: halve from here */
    }
    return high;
}

double gate_excess_detectable(const struct gate_figure *fresh, double unit, double most,
                              double alpha)
{
    if (!(unit > 0) || fresh->n <= 0)
        return most;
    struct gate_figure more = *fresh;
    double low = most, high = most + unit;
    for (int i = 0; i < 200; i++) {
        more.k1 = high * fresh->n;
        if (gate_excess_chance(&more, unit, most) < alpha)
            break;
        high = most + (high - most) * 2;
    }
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        more.k1 = middle * fresh->n;
        if (gate_excess_chance(&more, unit, most) < alpha)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Each side's score interval (estimate.h, with the unit as variance over total), combined by the
 * square-and-add rule: the distance of the difference's end is the root of the sum of the squared
 * distances of the two ends that make it. */
void gate_difference_interval(const struct gate_figure *base, const struct gate_figure *fresh,
                              double unit, double alpha, double *low, double *high)
{
    double b = base->n > 0 ? base->k1 / base->n : 0, f = fresh->n > 0 ? fresh->k1 / fresh->n : 0;
    *low = *high = f - b;
    if (!(unit > 0) || base->n <= 0 || fresh->n <= 0)
        return;
    double z = gate_normal_quantile(alpha / 2);
    double cb = unit / base->n, cf = unit / fresh->n;
    double mb = b + z * z * cb / 2, mf = f + z * z * cf / 2;
    double rb = z * sqrt(cb * fmax(b, 0) + z * z * cb * cb / 4),
           rf = z * sqrt(cf * fmax(f, 0) + z * z * cf * cf / 4);
    double b_low = b - (mb - rb), b_high = mb + rb - b, f_low = f - (mf - rf), f_high = mf + rf - f;
    *low -= sqrt(f_low * f_low + b_high * b_high);
    *high += sqrt(f_high * f_high + b_low * b_low);
}
