/* merge_types.c - see merge_types.h. Formulas: pprof-spec 2.2. */
#include "merge_types.h"

#include "memory.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const struct profile *a, string_id x, const struct profile *b, string_id y)
{
    return strcmp(profile_text(a, x), profile_text(b, y)) == 0;
}

/* "alloc_object" and "alloc_objects" are the same here. */
static bool same_but_plural(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    n -= n > 0 && a[n - 1] == 's';
    m -= m > 0 && b[m - 1] == 's';
    return n == m && memcmp(a, b, n) == 0;
}

static bool compatible(const struct profile *a, const struct profile_value_type *x,
                       const struct profile *b, const struct profile_value_type *y)
{
    return same_but_plural(profile_text(a, x->type), profile_text(b, y->type)) &&
           unit_same_family(profile_text(a, x->unit), profile_text(b, y->unit));
}

static bool incompatible(struct profile_error *error, const char *what, const struct profile *a,
                         const struct profile_value_type *x, const struct profile *b,
                         const struct profile_value_type *y)
{
    snprintf(error->text, sizeof error->text, "%s %s/%s and %s/%s do not go together", what,
             profile_text(a, x->type), profile_text(a, x->unit), profile_text(b, y->type),
             profile_text(b, y->unit));
    return false;
}

void merge_scale(struct profile *profile, const double *ratios)
{
    uint32_t n = profile->n_sample_types, kept = 0;
    bool none = true;
    for (uint32_t t = 0; t < n; t++) {
        none &= ratios[t] == 1;
    }
    if (none) {
        return;
    }
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        int64_t *values = &profile->values[(size_t)s * n];
        bool keep = false;
        for (uint32_t t = 0; t < n; t++) {
            if (ratios[t] != 1) {
                double scaled = round((double)values[t] * ratios[t]);
                values[t] = scaled >= 0x1p63   ? INT64_MAX
                            : scaled < -0x1p63 ? INT64_MIN
                                               : (int64_t)scaled;
                keep |= values[t] != 0;
            }
        }
        if (keep) {
            profile->samples[kept] = profile->samples[s];
            memmove(&profile->values[(size_t)kept * n], values, n * sizeof *values);
            kept++;
        }
    }
    profile->n_samples = kept;
}

static double ratio_of(const char *from, const char *to)
{
    const char *unit;
    return unit_scale(1, from, to, &unit);
}

static bool equalize_units(struct profile *const *profiles, size_t n, struct profile_error *error)
{
    uint32_t n_types = profiles[0]->n_sample_types;
    double *ratios = memory_array(n * (n_types + 1), sizeof *ratios); /* [profile][type] */
    for (uint32_t t = 0; t <= n_types; t++) { /* the last round is the period's */
        bool period = t == n_types;
        size_t finest = 0;
        for (size_t i = 1; i < n; i++) {
            const struct profile *a = profiles[finest], *b = profiles[i];
            const struct profile_value_type *x = period ? &a->period_type : &a->sample_types[t];
            const struct profile_value_type *y = period ? &b->period_type : &b->sample_types[t];
            if (!compatible(a, x, b, y)) {
                free(ratios);
                return incompatible(error, period ? "period types" : "sample types", a, x, b, y);
            }
            if (ratio_of(profile_text(b, y->unit), profile_text(a, x->unit)) < 1) {
                finest = i;
            }
        }
        const struct profile_value_type *best =
            period ? &profiles[finest]->period_type : &profiles[finest]->sample_types[t];
        const char *unit = profile_text(profiles[finest], best->unit);
        for (size_t i = 0; i < n; i++) {
            struct profile *p = profiles[i];
            struct profile_value_type *type = period ? &p->period_type : &p->sample_types[t];
            const char *unused;
            if (period) {
                p->period =
                    (int64_t)unit_scale(p->period, profile_text(p, type->unit), unit, &unused);
            } else {
                ratios[i * n_types + t] = ratio_of(profile_text(p, type->unit), unit);
            }
            type->unit = profile_intern_text(p, unit);
        }
    }
    for (size_t i = 0; i < n; i++) {
        merge_scale(profiles[i], ratios + i * n_types);
    }
    free(ratios);
    return true;
}

static bool has_type(const struct profile *profile, const char *type)
{
    for (uint32_t t = 0; t < profile->n_sample_types; t++) {
        if (strcmp(profile_text(profile, profile->sample_types[t].type), type) == 0) {
            return true;
        }
    }
    return false;
}

/* Keeps the sample types named in order[0..n], in that order. */
static void keep_types(struct profile *profile, char **order, uint32_t n)
{
    uint32_t old = profile->n_sample_types;
    uint32_t *from = memory_array(n, sizeof *from);
    struct profile_value_type *types = memory_array(n, sizeof *types);
    bool default_stays = false;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t t = old; t-- > 0;) {
            if (strcmp(profile_text(profile, profile->sample_types[t].type), order[k]) == 0) {
                from[k] = t;
                types[k] = profile->sample_types[t];
            }
        }
        default_stays |= strcmp(order[k], profile_text(profile, profile->default_sample_type)) == 0;
    }
    int64_t *row = memory_array(n, sizeof *row);
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        for (uint32_t k = 0; k < n; k++) {
            row[k] = profile->values[(size_t)s * old + from[k]];
        }
        memcpy(&profile->values[(size_t)s * n], row, n * sizeof *row);
    }
    memcpy(profile->sample_types, types, n * sizeof *types);
    profile->n_sample_types = n;
    if (!default_stays) {
        profile->default_sample_type = types[0].type;
    }
    free(row);
    free(types);
    free(from);
}

static bool reduce_types(struct profile *const *profiles, size_t n, struct profile_error *error)
{
    const struct profile *first = profiles[0];
    char **common = memory_array(first->n_sample_types, sizeof *common);
    uint32_t n_common = 0;
    bool equal = true;
    for (size_t i = 1; i < n; i++) {
        equal &= profiles[i]->n_sample_types == first->n_sample_types;
        for (uint32_t t = 0; equal && t < first->n_sample_types; t++) {
            equal = same_text(first, first->sample_types[t].type, profiles[i],
                              profiles[i]->sample_types[t].type);
        }
    }
    for (uint32_t t = 0; !equal && t < first->n_sample_types; t++) {
        const char *type = profile_text(first, first->sample_types[t].type);
        bool everywhere = true, twice = false;
        for (size_t i = 1; i < n; i++) {
            everywhere &= has_type(profiles[i], type);
        }
        for (uint32_t k = 0; k < n_common; k++) {
            twice |= strcmp(common[k], type) == 0;
        }
        if (everywhere && !twice) {
            common[n_common++] = memory_text(type, strlen(type));
        }
    }
    bool fine = equal || n_common > 0;
    for (size_t i = 0; !equal && fine && i < n; i++) {
        keep_types(profiles[i], common, n_common);
    }
    for (uint32_t k = 0; k < n_common; k++) {
        free(common[k]);
    }
    free(common);
    if (!fine) {
        snprintf(error->text, sizeof error->text, "profiles have empty common sample type list");
    }
    return fine;
}

bool merge_equalize(struct profile *const *profiles, size_t n, unsigned flags,
                    struct profile_error *error)
{
    if (!(flags & MERGE_EXACT_TYPES)) {
        if (!reduce_types(profiles, n, error)) {
            return false;
        }
    }
    for (size_t i = 1; i < n; i++) {
        if (profiles[i]->n_sample_types != profiles[0]->n_sample_types) {
            snprintf(error->text, sizeof error->text, "inconsistent samples type count: %u != %u",
                     profiles[0]->n_sample_types, profiles[i]->n_sample_types);
            return false;
        }
    }
    if (!equalize_units(profiles, n, error)) {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        const struct profile *a = profiles[0], *b = profiles[i];
        if (!same_text(a, a->period_type.type, b, b->period_type.type)) {
            return incompatible(error, "period types", a, &a->period_type, b, &b->period_type);
        }
        for (uint32_t t = 0; t < a->n_sample_types; t++) {
            if (!same_text(a, a->sample_types[t].type, b, b->sample_types[t].type)) {
                return incompatible(error, "sample types", a, &a->sample_types[t], b,
                                    &b->sample_types[t]);
            }
        }
    }
    return true;
}
