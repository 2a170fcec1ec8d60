/* label_units.c - see label_units.h. */
#include "label_units.h"

#include "memory.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The other units of a key, sorted, each once. */
static void tell_mixture(const struct profile *p, string_id key, string_id used)
{
    const char **others = NULL;
    size_t n = 0, room = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        const struct profile_label *labels = p->labels + p->samples[s].first_label;
        for (uint32_t i = 0; i < p->samples[s].n_labels; i++) {
            if (labels[i].key == key && !labels[i].str && labels[i].num_unit &&
                labels[i].num_unit != used) {
                const char *unit = profile_text(p, labels[i].num_unit);
                bool known = false;
                for (size_t k = 0; k < n && !known; k++) {
                    known = strcmp(others[k], unit) == 0;
                }
                if (!known && n < 64) {
                    MEMORY_ROOM(others, n, room);
                    others[n++] = unit;
                }
            }
        }
    }
    char list[1024] = "";
    size_t length = 0;
    if (n > 0) {
        qsort(others, n, sizeof *others, by_text);
    }
    for (size_t k = 0; k < n && length < sizeof list; k++) {
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%s", k ? ", " : "", others[k]);
    }
    message_note("For tag %s used unit %s, also encountered unit(s) %s", profile_text(p, key),
                 profile_text(p, used), list);
    free(others);
}

void label_units_find(struct profile *profile, bool tell, struct label_units *units)
{
    units->n = profile->n_strings;
    units->of_key = memory_array(units->n, sizeof *units->of_key);
    memset(units->of_key, 0xff, units->n * sizeof *units->of_key);
    bool *mixed = memory_array(units->n, sizeof *mixed);
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        const struct profile_label *labels = profile->labels + profile->samples[s].first_label;
        for (uint32_t i = 0; i < profile->samples[s].n_labels; i++) {
            const struct profile_label *label = &labels[i];
            if (label->str) {
                continue;
            }
            string_id *unit = &units->of_key[label->key];
            if (*unit == PROFILE_NONE || *unit == 0) {
                *unit = label->num_unit;
            } else if (label->num_unit && label->num_unit != *unit) {
                mixed[label->key] = true;
            }
        }
    }
    string_id bytes = PROFILE_NONE;
    for (string_id key = 0; key < units->n; key++) {
        if (units->of_key[key] == 0) {
            const char *text = profile_text(profile, key);
            units->of_key[key] = key;
            if (strcmp(text, "alignment") == 0 || strcmp(text, "request") == 0) {
                bytes = bytes == PROFILE_NONE ? profile_intern_text(profile, "bytes") : bytes;
                units->of_key[key] = bytes;
            }
        }
        if (tell && mixed[key]) {
            tell_mixture(profile, key, units->of_key[key]);
        }
    }
    free(mixed);
}

void label_units_free(struct label_units *units)
{
    free(units->of_key);
    *units = (struct label_units){0};
}
