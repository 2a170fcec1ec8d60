/* estimate.c - intervals of sampled figures; the formulas are in estimate.h. */
#include "estimate.h"

#include <math.h>

void estimate_add_objects(struct estimate *estimate, double w, double w2)
{
    estimate->total += w;
    estimate->variance += fmax(0, w2 - w);
}

void estimate_add_bytes(struct estimate *estimate, double w, double ws, double w2)
{
    estimate->total += ws;
    if (w > 0)
        estimate->variance += (ws / w) * (ws / w) * fmax(0, w2 - w);
}

struct estimate_interval estimate_interval(const struct estimate *estimate, double z,
                                           double nothing_high)
{
    double total = estimate->total;
    if (!(total > 0))
        return (struct estimate_interval){0, nothing_high};
    double f = estimate->variance / total, half = z * z * f / 2;
    double reach = sqrt(z * z * f * total + half * half);
    return (struct estimate_interval){fmax(0, total + half - reach), total + half + reach};
}

double estimate_effective_samples(double w, double w2)
{
    return w2 > 0 ? w * w / w2 : 0;
}
