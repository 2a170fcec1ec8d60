/* missing_names.c - see missing_names.h. */
#include "missing_names.h"

#include "memory.h"
#include "message.h"
#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORTH_A_WORD = 10 }; /* a share of 1 / 10 */

static bool lacks(const struct profile *p, const struct profile_location *location, bool lines)
{
    for (uint32_t i = 0; i < location->n_lines; i++) {
        if (!lines || p->lines[location->first_line + i].line != 0) {
            return false;
        }
    }
    return true;
}

/* Code that debug information can be had for and is asked about: not "[vdso]" and memory that code
 * was written to, and not the C library, whose start is around every main. */
static bool matters(const struct profile *p, const struct profile_location *location)
{
    if (location->mapping == PROFILE_NONE) {
        return false;
    }
    const char *file = profile_text(p, p->mappings[location->mapping].filename);
    const char *name = path_base(file);
    return *file == '/' && strncmp(name, "libc.so", 7) != 0 && strncmp(name, "ld-linux", 8) != 0;
}

/* The mapping whose code lacks them in most of the samples' weight; *most is that weight. */
static uint32_t worst(const struct report *report, bool lines, double *most)
{
    const struct profile *p = report->profile;
    double *weights = memory_array(p->n_mappings + 1, sizeof *weights);
    uint32_t *last = memory_array(p->n_mappings + 1, sizeof *last); /* sample + 1 that counted */
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_sample *sample = &p->samples[s];
        double value = (double)p->values[(size_t)s * p->n_sample_types + report->value_index];
        /* The outermost is what calls main: _start, which is never anyone's question. */
        uint32_t n = sample->n_locations > 1 ? sample->n_locations - 1 : sample->n_locations;
        for (uint32_t i = 0; i < n; i++) {
            const struct profile_location *location =
                &p->locations[p->sample_locations[sample->first_location + i]];
            if (matters(p, location) && lacks(p, location, lines) &&
                last[location->mapping] != s + 1) {
                last[location->mapping] = s + 1;
                weights[location->mapping] += value < 0 ? -value : value;
            }
        }
    }
    uint32_t found = PROFILE_NONE;
    *most = 0;
    for (uint32_t m = 0; m < p->n_mappings; m++) {
        if (weights[m] > *most) {
            *most = weights[m];
            found = m;
        }
    }
    free(weights);
    free(last);
    return found;
}

void missing_names_hint(const struct report *report, bool lines)
{
    double most, total = report->total < 0 ? -(double)report->total : (double)report->total;
    if (!isatty(STDERR_FILENO) || report->go119 || total == 0) {
        return;
    }
    uint32_t mapping = worst(report, lines, &most);
    if (mapping == PROFILE_NONE || most * WORTH_A_WORD < total) {
        return;
    }
    const struct profile *p = report->profile;
    message_hint("code of %s without %s is in %.0f%% of this: install its debug symbols (Debian's "
                 "-dbgsym packages) or set DEBUGINFOD_URLS, then 'approf symbolize -o FILE FILE'",
                 path_base(profile_text(p, p->mappings[mapping].filename)),
                 lines ? "lines" : "names", most < total ? 100 * most / total : 100.0);
}
