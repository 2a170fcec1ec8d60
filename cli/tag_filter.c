/* tag_filter.c - see tag_filter.h. */
#include "tag_filter.h"

#include "memory.h"
#include "message.h"
#include "regexp.h"
#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tag_filter {
    const struct label_units *units;
    char *key; /* NULL: any */
    bool is_range;
    double low, high; /* in range_unit */
    const char *range_unit;
    char *range_unit_text; /* owned storage behind range_unit, when it is no constant */
    struct regexp **regexps;
    size_t n_regexps;
};

/* A number with an optional unit at *cursor: [+-]?[0-9]+[A-Za-z]*. */
static bool parse_bound(const char **cursor, int64_t *value, char **unit)
{
    const char *at = *cursor;
    const char *digits = at + (*at == '+' || *at == '-');
    size_t n = strspn(digits, "0123456789");
    if (n == 0) {
        return false;
    }
    errno = 0;
    *value = strtoll(at, NULL, 10);
    if (errno) {
        return false;
    }
    at = digits + n;
    size_t letters = 0;
    while ((at[letters] >= 'a' && at[letters] <= 'z') ||
           (at[letters] >= 'A' && at[letters] <= 'Z')) {
        letters++;
    }
    *unit = memory_text(at, letters);
    *cursor = at + letters;
    return true;
}

static bool parse_range(const char *text, struct tag_filter *filter)
{
    int64_t low = 0, high = 0;
    char *low_unit = NULL, *high_unit = NULL;
    bool has_low = false, has_high = false, colon = false;
    const char *at = text;
    has_low = parse_bound(&at, &low, &low_unit);
    if (*at == ':') {
        colon = true;
        at++;
        has_high = parse_bound(&at, &high, &high_unit);
    }
    bool fine = !*at && (has_low || has_high);
    if (fine) {
        /* The bound that is there, or the first of two, fixes the unit. */
        char **first = has_low ? &low_unit : &high_unit;
        double bound = unit_scale(has_low ? low : high, *first, *first, &filter->range_unit);
        filter->range_unit_text = *first;
        *first = NULL;
        filter->low = has_low ? bound : -INFINITY;
        filter->high = has_high || !colon ? bound : INFINITY;
        if (has_low && has_high) {
            const char *unit;
            filter->high = unit_scale(high, high_unit, filter->range_unit, &unit);
            fine = strcmp(unit, filter->range_unit) == 0;
        }
    }
    free(low_unit);
    free(high_unit);
    filter->is_range = fine;
    return fine;
}

bool tag_filter_parse(const char *option, const char *value, const struct label_units *units,
                      struct tag_filter **out)
{
    *out = NULL;
    if (!*value) {
        return true;
    }
    struct tag_filter *filter = memory_array(1, sizeof *filter);
    filter->units = units;
    const char *equals = strchr(value, '=');
    /* `=x` has a key too, the empty one, which pprof takes for none. */
    if (equals) {
        if (equals != value) {
            filter->key = memory_text(value, (size_t)(equals - value));
        }
        value = equals + 1;
    }
    if (parse_range(value, filter)) {
        message_note("%s:Interpreted '%s' as range, not regexp", option, value);
        *out = filter;
        return true;
    }
    size_t room = 0;
    for (const char *at = value;;) {
        size_t n = strcspn(at, ",");
        char *part = memory_text(at, n), error[512];
        MEMORY_ROOM(filter->regexps, filter->n_regexps, room);
        struct regexp *regexp = regexp_compile(part, error, sizeof error);
        free(part);
        if (!regexp) {
            message_error("-%s: error parsing regexp: %s", option, error);
            message_hint("write -%s=key=value, or a range such as -%s=1kb:2mb", option, option);
            tag_filter_free(filter);
            return false;
        }
        filter->regexps[filter->n_regexps++] = regexp;
        if (!at[n]) {
            break;
        }
        at += n + 1;
    }
    *out = filter;
    return true;
}

static bool in_range(const struct tag_filter *filter, const struct profile *p,
                     const struct profile_label *label)
{
    const char *unit;
    double scaled =
        unit_scale(label->num, label_unit(p, filter->units, label->key), filter->range_unit, &unit);
    return strcmp(unit, filter->range_unit) == 0 && scaled >= filter->low && scaled <= filter->high;
}

static bool key_fits(const struct tag_filter *filter, const struct profile *p,
                     const struct profile_label *label)
{
    return !filter->key || strcmp(filter->key, profile_text(p, label->key)) == 0;
}

static bool key_and_value_match(const struct regexp *regexp, const struct profile *p,
                                const struct profile_label *label)
{
    const struct profile_string *key = &p->strings[label->key], *value = &p->strings[label->str];
    char small[256], *joined = small;
    size_t n = (size_t)key->length + 1 + value->length;
    if (n > sizeof small) {
        joined = memory_array(n, 1);
    }
    memcpy(joined, key->bytes, key->length);
    joined[key->length] = ':';
    memcpy(joined + key->length + 1, value->bytes, value->length);
    bool found = regexp_matches(regexp, joined, n);
    if (joined != small) {
        free(joined);
    }
    return found;
}

bool tag_filter_matches(const struct tag_filter *filter, const struct profile *profile,
                        const struct profile_sample *sample)
{
    const struct profile_label *labels = profile->labels + sample->first_label;
    uint32_t n = sample->n_labels;
    if (filter->is_range) {
        for (uint32_t i = 0; i < n; i++) {
            if (!labels[i].str && key_fits(filter, profile, &labels[i]) &&
                in_range(filter, profile, &labels[i])) {
                return true;
            }
        }
        return false;
    }
    for (size_t r = 0; r < filter->n_regexps; r++) {
        bool found = false;
        for (uint32_t i = 0; !found && i < n; i++) {
            if (!labels[i].str || !key_fits(filter, profile, &labels[i])) {
                continue;
            }
            const struct profile_string *value = &profile->strings[labels[i].str];
            found = filter->key ? regexp_matches(filter->regexps[r], value->bytes, value->length)
                                : key_and_value_match(filter->regexps[r], profile, &labels[i]);
        }
        /* With a key one expression is enough, without all must be found. */
        if (filter->key ? found : !found) {
            return found;
        }
    }
    return !filter->key;
}

void tag_filter_free(struct tag_filter *filter)
{
    if (filter) {
        for (size_t r = 0; r < filter->n_regexps; r++) {
            regexp_free(filter->regexps[r]);
        }
        free(filter->regexps);
        free(filter->key);
        free(filter->range_unit_text);
        free(filter);
    }
}
