/* profile_scan.h - the first pass over a profile's bytes: are they well-formed, and how much is
 * there.
 *
 * After a successful scan every nested message, varint and length of the fields that we know has
 * been checked, so that the decoder's passes need not check the wire again, and it can allocate
 * everything once, in its exact size. Nothing is allocated here.
 */
#ifndef APPROF_PROFILE_SCAN_H
#define APPROF_PROFILE_SCAN_H

#include "profile_codec.h"
#include "wire.h"

enum profile_count {
    COUNT_NONE, /* not counted */
    COUNT_SAMPLE_TYPE,
    COUNT_SAMPLE,
    COUNT_MAPPING,
    COUNT_LOCATION,
    COUNT_FUNCTION,
    COUNT_STRING,
    COUNT_COMMENT,
    COUNT_LOCATION_ID,
    COUNT_VALUE,
    COUNT_LABEL,
    COUNT_LINE,
    N_COUNTS,
};

struct profile_scan {
    uint32_t counts[N_COUNTS];
};

/* Field numbers of the message Profile, for the passes that follow. */
enum profile_field {
    FIELD_SAMPLE_TYPE = 1,
    FIELD_SAMPLE = 2,
    FIELD_MAPPING = 3,
    FIELD_LOCATION = 4,
    FIELD_FUNCTION = 5,
    FIELD_STRING = 6,
    FIELD_DROP_FRAMES = 7,
    FIELD_KEEP_FRAMES = 8,
    FIELD_TIME_NANOS = 9,
    FIELD_DURATION_NANOS = 10,
    FIELD_PERIOD_TYPE = 11,
    FIELD_PERIOD = 12,
    FIELD_COMMENT = 13,
    FIELD_DEFAULT_SAMPLE_TYPE = 14,
    FIELD_DOC_URL = 15,
};

/* n is at most PROFILE_MAX_BYTES (so that no count overflows). Errors: unrecognized or
 * concatenated, whichever comes first in the bytes. */
bool profile_scan(const void *bytes, size_t n, struct profile_scan *scan,
                  struct profile_error *error);

#endif
