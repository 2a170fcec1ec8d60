/* units.c - the families of units and the text of figures. */
#include "units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    const char *aliases[4];
    double factor;
};

struct unit_family {
    const struct unit *units;
    size_t n;
    const char *standard;
    double standard_factor;
};

static const struct unit memory_units[] = {
    {"B", {"b", "byte"}, 1},
    {"kB", {"kb", "kbyte", "kilobyte"}, 0x1p10},
    {"MB", {"mb", "mbyte", "megabyte"}, 0x1p20},
    {"GB", {"gb", "gbyte", "gigabyte"}, 0x1p30},
    {"TB", {"tb", "tbyte", "terabyte"}, 0x1p40},
    {"PB", {"pb", "pbyte", "petabyte"}, 0x1p50},
};

static const struct unit time_units[] = {
    {"ns", {"ns", "nanosecond"}, 1},    {"us", {"\xce\xbcs", "us", "microsecond"}, 1e3},
    {"ms", {"ms", "millisecond"}, 1e6}, {"s", {"s", "sec", "second"}, 1e9},
    {"hrs", {"hour", "hr"}, 3.6e12},
};

static const struct unit gcu_units[] = {
    {"n*GCU", {"nanogcu"}, 1e-9}, {"u*GCU", {"microgcu"}, 1e-6}, {"m*GCU", {"milligcu"}, 1e-3},
    {"GCU", {"gcu"}, 1},          {"k*GCU", {"kilogcu"}, 1e3},   {"M*GCU", {"megagcu"}, 1e6},
    {"G*GCU", {"gigagcu"}, 1e9},  {"T*GCU", {"teragcu"}, 1e12},  {"P*GCU", {"petagcu"}, 1e15},
};

static const struct unit_family families[] = {
    {memory_units, sizeof memory_units / sizeof memory_units[0], "B", 1},
    {time_units, sizeof time_units / sizeof time_units[0], "s", 1e9},
    {gcu_units, sizeof gcu_units / sizeof gcu_units[0], "GCU", 1},
};
enum { N_FAMILIES = sizeof families / sizeof families[0] };

static const struct unit *find_unit(const struct unit_family *family, const char *text)
{
    char lower[24];
    size_t n = strlen(text);
    if (n >= sizeof lower) {
        return NULL;
    }
    for (size_t i = 0; i <= n; i++) {
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    }
    if (n > 2 && lower[n - 1] == 's') {
        lower[n - 1] = 0;
    }
    for (size_t u = 0; u < family->n; u++) {
        for (size_t a = 0; a < 4 && family->units[u].aliases[a]; a++) {
            if (strcmp(family->units[u].aliases[a], lower) == 0) {
                return &family->units[u];
            }
        }
    }
    return NULL;
}

static bool is_automatic(const char *unit)
{
    return strcmp(unit, "minimum") == 0 || strcmp(unit, "auto") == 0;
}

double unit_scale(int64_t value, const char *from, const char *to, const char **unit)
{
    if (value < 0 && value != INT64_MIN) {
        return -unit_scale(-value, from, to, unit);
    }
    for (size_t f = 0; f < N_FAMILIES; f++) {
        const struct unit_family *family = &families[f];
        const struct unit *source = find_unit(family, from);
        if (!source) {
            continue;
        }
        double base = (double)value * source->factor;
        const struct unit *target = NULL;
        if (is_automatic(to)) {
            for (size_t u = 0; u < family->n; u++) {
                if (base / family->units[u].factor >= 1) {
                    target = &family->units[u];
                }
            }
        } else {
            target = find_unit(family, to);
        }
        *unit = target ? target->name : family->standard;
        return base / (target ? target->factor : family->standard_factor);
    }
    static const char *const silent[] = {"count", "sample", "unit", "minimum", "auto"};
    *unit = to;
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        if (strcmp(to, silent[i]) == 0) {
            *unit = "";
        }
    }
    return (double)value;
}

const char *unit_label(char *out, size_t room, int64_t value, const char *from, const char *to)
{
    const char *unit;
    double scaled = unit_scale(value, from, to, &unit);
    int n = snprintf(out, room, "%.2f", scaled);
    if (n > 3 && (size_t)n < room && strcmp(out + n - 3, ".00") == 0) {
        n -= 3;
        out[n] = 0;
    }
    if (strcmp(out, "0") == 0 || strcmp(out, "-0") == 0) {
        return strcpy(out, "0");
    }
    if ((size_t)n < room) {
        snprintf(out + n, room - (size_t)n, "%s", unit);
    }
    return out;
}

const char *unit_percentage(char *out, size_t room, int64_t value, int64_t total)
{
    double ratio = total ? fabs((double)value / (double)total) * 100 : 0;
    if (ratio >= 99.95 && ratio <= 100.05) {
        snprintf(out, room, "  100%%");
    } else if (ratio >= 1) {
        snprintf(out, room, "%5.2f%%", ratio);
    } else {
        snprintf(out, room, "%5.2g%%", ratio);
    }
    return out;
}

const char *unit_percentage_bare(char *out, size_t room, int64_t value, int64_t total)
{
    unit_percentage(out, room, value, total);
    return out + strspn(out, " ");
}

int unit_same_family(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        return 1;
    }
    for (size_t f = 0; f < N_FAMILIES; f++) {
        if (find_unit(&families[f], a) && find_unit(&families[f], b)) {
            return 1;
        }
    }
    return 0;
}
