/* gate_stats.h - has a figure grown beyond its limit, or does it only look so?
 *
 * A sampled figure V (bytes or objects of a site, in one profile or summed over several) is a sum
 * over samples, each of which stands for u units (u = w for objects, w*s for bytes; estimate.h).
 * With q = 1 - p the chance of not being sampled, the size of its first cumulants is estimated by
 *
 *     k1 = sum u        k2 = sum u^2 q        k3 = sum u^3 q max(q, |1 - 2q|)
 *
 * and it is treated as c * Poisson(k1 / c) with the unit c = k3 / k2. For p << 1 that is the
 * Poisson distribution of the samples; the variance k1 * c is never below k2. Where p is near 1
 * (objects larger than the rate) what is rare is a miss, of u at once and with chance q: there q
 * alone would make c, and with it the first missed object a finding, so the skewness |1 - 2q| of a
 * single draw keeps c near u, at the price of a variance that is too large. At rate 1 all q are 0:
 * the figure is exact and c is 0.
 *
 * Growth. Given both sides' counts x = V_new / c and y = V_base / c, and n_new and n_base profiles,
 * x of x + y is binomial with
 *
 *     theta = n_new (1 + g) / (n_base + n_new (1 + g))
 *
 * where the truth has grown by exactly the limit g (and less where it has grown less), whatever the
 * figure itself is. So
 *
 *     P(at least x) = I_theta(x, y + 1)        (regularized incomplete beta; x and y need not be
 * whole)
 *
 * is the chance of a false alarm, exact for small counts, where a normal approximation is not.
 * Worked number: one profile a side, limit 5%, nothing before: a new site needs 19 samples before
 * the chance falls under 4e-6.
 *
 * Spread. Several profiles of one side differ by more than sampling explains when the program
 * itself varies from run to run. phi is chi^2 / df of the profiles around their side's mean, with
 * the sampling variance; where chi^2 is beyond what sampling gives once in a thousand, c is
 * multiplied by phi, and by (t/z)^2 since phi is known from df degrees of freedom only. Exact
 * figures that vary have only that spread.
 *
 * Pure functions; thread-safe.
 */
#ifndef APPROF_GATE_STATS_H
#define APPROF_GATE_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* One figure on one side, over its profiles. */
struct gate_figure {
    double n;       /* profiles, those without the site included */
    double k1;      /* sum of the values of all profiles: the mean is k1 / n */
    double k2, k3;  /* sampling cumulants, summed likewise */
    double squares; /* sum over profiles of (value - mean)^2: the spread between them */
};

void gate_figure_add(struct gate_figure *figure, double value, double k2, double k3);

/* nothing: the unit of a sample when neither side has any (the rate for bytes; 0 for exact
 * profiles). */
double gate_unit(const struct gate_figure *base, const struct gate_figure *fresh, double nothing,
                 double alpha);

/* The chance of seeing at least this much growth if the truth has grown by `limit` (0.05 is 5%) or
 * less. 1 or 0 for exact figures. */
double gate_growth_chance(const struct gate_figure *base, const struct gate_figure *fresh,
                          double unit, double limit);

/* The chance of a mean of at least this much over n profiles if the true mean is at most `most`. */
double gate_excess_chance(const struct gate_figure *fresh, double unit, double most);

/* The chance of seeing this little growth, or less, if the truth has grown by `limit` or more (for
 * --two-sided). */
double gate_shrink_chance(const struct gate_figure *base, const struct gate_figure *fresh,
                          double unit, double limit);

/* The smallest growth (as a fraction of base) that these profiles would have shown: observed at or
 * above it, the chance falls under alpha. Infinite when the base is empty. limit itself for exact
 * figures. */
double gate_growth_detectable(const struct gate_figure *base, const struct gate_figure *fresh,
                              double unit, double limit, double alpha);
/* The same as a mean value, for an absolute limit. */
double gate_excess_detectable(const struct gate_figure *fresh, double unit, double most,
                              double alpha);

/* A two-sided interval of the difference of means, of the given chance of error. */
void gate_difference_interval(const struct gate_figure *base, const struct gate_figure *fresh,
                              double unit, double alpha, double *low, double *high);

/* I_x(a, b), a > 0, b > 0. */
double gate_beta(double x, double a, double b);
/* P(Poisson(mean) >= x) for x > 0, continued to broken x: the regularized lower incomplete gamma.
 */
double gate_gamma(double x, double mean);
/* z with P(N(0,1) > z) = alpha. */
double gate_normal_quantile(double alpha);

#endif
