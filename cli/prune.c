/* prune.c - see prune.h. */
#include "prune.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

size_t prune_simplify(const char **name, size_t n)
{
    static const char anonymous[] = "(anonymous namespace)", call[] = "operator()";
    const char *text = *name;
    if (n > 0 && text[0] == '.') {
        text++;
        n--;
    }
    *name = text;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == 'o' && n - i >= sizeof call - 1 &&
            memcmp(text + i, call, sizeof call - 1) == 0) {
            i += sizeof call - 2;
        } else if (text[i] == '(') {
            if (n - i < sizeof anonymous - 1 ||
                memcmp(text + i, anonymous, sizeof anonymous - 1) != 0) {
                return i;
            }
            i += sizeof anonymous - 2;
        }
    }
    return n;
}

/* Per function: does drop match its simplified name, and keep not? */
static bool *match_functions(const struct profile *p, const struct regexp *drop,
                             const struct regexp *keep)
{
    bool *matches = memory_array(p->n_functions, sizeof *matches);
    for (uint32_t f = 0; f < p->n_functions; f++) {
        const struct profile_string *string = &p->strings[p->functions[f].name];
        const char *name = string->bytes;
        if (string->length > 0) {
            size_t n = prune_simplify(&name, string->length);
            matches[f] = regexp_matches(drop, name, n) && !(keep && regexp_matches(keep, name, n));
        }
    }
    return matches;
}

enum { USER, BENEATH, WHOLE };

static void prune(struct profile *p, const struct regexp *drop, const struct regexp *keep)
{
    bool *matches = match_functions(p, drop, keep);
    uint8_t *marks = memory_array(p->n_locations, 1);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        struct profile_location *location = &p->locations[l];
        for (uint32_t i = location->n_lines; i-- > 0;) {
            if (matches[p->lines[location->first_line + i].function]) {
                if (i == location->n_lines - 1) {
                    marks[l] = WHOLE;
                } else {
                    marks[l] = BENEATH;
                    location->first_line += i + 1;
                    location->n_lines -= i + 1;
                }
                break;
            }
        }
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        struct profile_sample *sample = &p->samples[s];
        bool user_seen = false;
        for (uint32_t i = sample->n_locations; i-- > 0;) {
            uint8_t mark = marks[p->sample_locations[sample->first_location + i]];
            if (mark == USER) {
                user_seen = true;
            } else if (user_seen) {
                uint32_t cut = mark == WHOLE ? i + 1 : i;
                sample->first_location += cut;
                sample->n_locations -= cut;
                break;
            }
        }
    }
    free(marks);
    free(matches);
}

static struct regexp *compile_anchored(const char *text)
{
    char error[256];
    char *pattern = memory_print("^(%s)$", text);
    struct regexp *regexp = regexp_compile(pattern, error, sizeof error);
    free(pattern);
    return regexp;
}

void prune_uninteresting(struct profile *profile)
{
    if (!profile->drop_frames) {
        return;
    }
    struct regexp *drop = compile_anchored(profile_text(profile, profile->drop_frames));
    struct regexp *keep = NULL;
    if (drop && profile->keep_frames) {
        keep = compile_anchored(profile_text(profile, profile->keep_frames));
    }
    if (drop && (keep || !profile->keep_frames)) {
        prune(profile, drop, keep);
    }
    regexp_free(drop);
    regexp_free(keep);
}

void prune_from(struct profile *p, const struct regexp *regexp)
{
    bool *matches = match_functions(p, regexp, NULL);
    bool *beneath = memory_array(p->n_locations, sizeof *beneath);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        struct profile_location *location = &p->locations[l];
        for (uint32_t i = 0; i < location->n_lines; i++) {
            if (matches[p->lines[location->first_line + i].function]) {
                beneath[l] = true;
                location->first_line += i;
                location->n_lines -= i;
                break;
            }
        }
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        struct profile_sample *sample = &p->samples[s];
        for (uint32_t i = 0; i < sample->n_locations; i++) {
            if (beneath[p->sample_locations[sample->first_location + i]]) {
                sample->first_location += i;
                sample->n_locations -= i;
                break;
            }
        }
    }
    free(beneath);
    free(matches);
}
