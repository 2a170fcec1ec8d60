/* profile_scan.c - the first pass over a profile's bytes (see profile_scan.h). */
#include "profile_scan.h"

#include <string.h>

enum message { PROFILE, VALUE_TYPE, SAMPLE, LABEL, MAPPING, LOCATION, LINE, FUNCTION, N_MESSAGES };

enum shape {
    UNKNOWN, /* skipped, whatever its wire type */
    INT,
    INTS, /* repeated: packed or not */
    STRING,
    MESSAGE,
};

struct field_shape {
    uint8_t shape, message, count;
};

enum { MOST_FIELDS = 16 };

/* What is known, by message and field number. */
static const struct field_shape shapes[N_MESSAGES][MOST_FIELDS] = {
    [PROFILE] = {[FIELD_SAMPLE_TYPE] = {MESSAGE, VALUE_TYPE, COUNT_SAMPLE_TYPE},
                 [FIELD_SAMPLE] = {MESSAGE, SAMPLE, COUNT_SAMPLE},
                 [FIELD_MAPPING] = {MESSAGE, MAPPING, COUNT_MAPPING},
                 [FIELD_LOCATION] = {MESSAGE, LOCATION, COUNT_LOCATION},
                 [FIELD_FUNCTION] = {MESSAGE, FUNCTION, COUNT_FUNCTION},
                 [FIELD_STRING] = {STRING, 0, COUNT_STRING},
                 [FIELD_DROP_FRAMES] = {INT, 0, 0},
                 [FIELD_KEEP_FRAMES] = {INT, 0, 0},
                 [FIELD_TIME_NANOS] = {INT, 0, 0},
                 [FIELD_DURATION_NANOS] = {INT, 0, 0},
                 [FIELD_PERIOD_TYPE] = {MESSAGE, VALUE_TYPE, 0},
                 [FIELD_PERIOD] = {INT, 0, 0},
                 [FIELD_COMMENT] = {INTS, 0, COUNT_COMMENT},
                 [FIELD_DEFAULT_SAMPLE_TYPE] = {INT, 0, 0},
                 [FIELD_DOC_URL] = {INT, 0, 0}},
    [VALUE_TYPE] = {[1] = {INT, 0, 0}, [2] = {INT, 0, 0}},
    [SAMPLE] = {[1] = {INTS, 0, COUNT_LOCATION_ID},
                [2] = {INTS, 0, COUNT_VALUE},
                [3] = {MESSAGE, LABEL, COUNT_LABEL}},
    [LABEL] = {[1] = {INT, 0, 0}, [2] = {INT, 0, 0}, [3] = {INT, 0, 0}, [4] = {INT, 0, 0}},
    [MAPPING] = {[1] = {INT, 0, 0},
                 [2] = {INT, 0, 0},
                 [3] = {INT, 0, 0},
                 [4] = {INT, 0, 0},
                 [5] = {INT, 0, 0},
                 [6] = {INT, 0, 0},
                 [7] = {INT, 0, 0},
                 [8] = {INT, 0, 0},
                 [9] = {INT, 0, 0},
                 [10] = {INT, 0, 0}},
    [LOCATION] = {[1] = {INT, 0, 0},
                  [2] = {INT, 0, 0},
                  [3] = {INT, 0, 0},
                  [4] = {MESSAGE, LINE, COUNT_LINE},
                  [5] = {INT, 0, 0}},
    [LINE] = {[1] = {INT, 0, 0}, [2] = {INT, 0, 0}, [3] = {INT, 0, 0}},
    [FUNCTION] = {[1] = {INT, 0, 0},
                  [2] = {INT, 0, 0},
                  [3] = {INT, 0, 0},
                  [4] = {INT, 0, 0},
                  [5] = {INT, 0, 0}},
};

/* Checks a packed list and counts its numbers: each has one byte without the high bit, after at
 * most nine with it. */
static bool scan_packed(struct wire wire, uint32_t *count)
{
    const uint8_t *at = wire.at;
    uint32_t n = 0;
    unsigned run = 0; /* bytes with the high bit just before at */
    for (; wire.end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t stops = ~word & WIRE_HIGH_BITS;
        if (!stops) {
            run += 8;
            continue;
        }
        /* Eight bytes are too few for a run of their own. */
        if (run + (unsigned)__builtin_ctzll(stops) / 8 > 9)
            return false;
        run = (unsigned)__builtin_clzll(stops) / 8;
        n += (uint32_t)((stops >> 7) * UINT64_C(0x0101010101010101) >> 56); /* bits set */
    }
    for (; at < wire.end; at++) {
        if (*at >= 0x80) {
            run++;
            continue;
        }
        if (run > 9)
            return false;
        run = 0;
        n++;
    }
    *count += n;
    return run == 0;
}

/* Recursion ends with the table: Profile, Location or Sample, Line or Label. */
static bool scan_message(struct profile_scan *scan, struct wire wire, enum message message)
{
    struct wire_field field;
    while (wire.at < wire.end) {
        if (!wire_next(&wire, &field))
            return false;
        if (field.number >= MOST_FIELDS)
            continue;
        const struct field_shape *shape = &shapes[message][field.number];
        switch ((enum shape)shape->shape) {
        case UNKNOWN:
            break;
        case INT:
            if (field.type != WIRE_VARINT)
                return false;
            break;
        case INTS:
            if (field.type == WIRE_VARINT)
                scan->counts[shape->count]++;
            else if (field.type != WIRE_BYTES ||
                     !scan_packed(field.bytes, &scan->counts[shape->count]))
                return false;
            break;
        case STRING:
        case MESSAGE:
            if (field.type != WIRE_BYTES)
                return false;
            scan->counts[shape->count]++;
            if (shape->shape == MESSAGE && !scan_message(scan, field.bytes, shape->message))
                return false;
            break;
        }
    }
    return true;
}

static bool unrecognized(struct profile_error *error)
{
    return profile_error_set(error, PROFILE_ERROR_UNRECOGNIZED, "unrecognized profile format");
}

bool profile_scan(const void *bytes, size_t n, struct profile_scan *scan,
                  struct profile_error *error)
{
    memset(scan, 0, sizeof *scan);
    struct wire wire = {.at = bytes, .end = (const uint8_t *)bytes + n};
    bool timed = false;
    /* One top-level field at a time: two of them have rules that depend on what came before. */
    while (wire.at < wire.end) {
        struct wire one = {.at = wire.at};
        struct wire_field field;
        if (!wire_next(&wire, &field))
            return unrecognized(error);
        if (field.number == FIELD_TIME_NANOS && timed)
            return profile_error_set(error, PROFILE_ERROR_CONCATENATED,
                                     "concatenated profiles detected");
        bool first_string = field.number == FIELD_STRING && !scan->counts[COUNT_STRING];
        one.end = wire.at;
        if (!scan_message(scan, one, PROFILE))
            return unrecognized(error);
        if (first_string && field.bytes.at != field.bytes.end)
            return unrecognized(error);
        if (field.number == FIELD_TIME_NANOS)
            timed = field.value != 0;
    }
    return scan->counts[COUNT_STRING] ? true : unrecognized(error);
}
