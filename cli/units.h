/* units.h - figures with units, and percentages, as pprof writes them.
 *
 * A unit belongs to a family (memory in powers of 1024, time, GCU) and is recognised by its
 * aliases, in any case, with or without a plural s. "minimum" and "auto" mean the largest unit of
 * the family in which the figure is at least 1. Formulas: pprof-spec 6, checked against
 * go tool pprof 1.19. Pure functions; returned unit names are constants or the arguments.
 */
#ifndef APPROF_UNITS_H
#define APPROF_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum { UNIT_TEXT_ROOM = 400 }; /* %.2f of the largest double, and a unit */

/* Converts; *unit is the unit of the result, "" when there is nothing to show. */
double unit_scale(int64_t value, const char *from, const char *to, const char **unit);

/* `2048kB`, `-3MB`, `0`: two decimals at most, no unit for 0. Returns out. */
const char *unit_label(char *out, size_t room, int64_t value, const char *from, const char *to);

/* `79.69%`, `  100%`, `    0%`, without sign; 0 of a total of 0. Returns out. */
const char *unit_percentage(char *out, size_t room, int64_t value, int64_t total);
/* Without the padding. */
const char *unit_percentage_bare(char *out, size_t room, int64_t value, int64_t total);

/* Whether two units measure the same thing, and how many `to` make one `from`. */
int unit_same_family(const char *a, const char *b);

#endif
