/* label_units.h - the unit of each numeric label key.
 *
 * The first unit met in the samples; without any, bytes for `alignment` and `request`, otherwise
 * the key itself (pprof-spec 4.3): so a label `bytes` counts bytes.
 */
#ifndef APPROF_LABEL_UNITS_H
#define APPROF_LABEL_UNITS_H

#include "profile.h"

struct label_units {
    string_id *of_key; /* by key; PROFILE_NONE where no numeric label has it */
    uint32_t n;
};

/* With tell, units that one key mixes are named on stderr. May add a string to the profile. */
void label_units_find(struct profile *profile, bool tell, struct label_units *units);
void label_units_free(struct label_units *units);

static inline const char *label_unit(const struct profile *profile, const struct label_units *units,
                                     string_id key)
{
    string_id unit = key < units->n ? units->of_key[key] : PROFILE_NONE;
    return unit == PROFILE_NONE ? profile_text(profile, key) : profile_text(profile, unit);
}

#endif
