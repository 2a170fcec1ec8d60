/* wire.h - reading protobuf's wire format, as strictly as pprof does.
 *
 * Wire types 0, 1, 2 and 5; varints of at most 10 bytes (bits beyond the 64th are dropped). Works
 * on bytes in memory, reads nothing past end, allocates nothing.
 */
#ifndef APPROF_WIRE_H
#define APPROF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

/* What is left to read. */
struct wire {
    const uint8_t *at, *end;
};

struct wire_field {
    uint64_t number;
    uint32_t type;
    uint64_t value;    /* WIRE_VARINT, else 0 */
    struct wire bytes; /* WIRE_BYTES, else empty */
};

static inline bool wire_varint(struct wire *wire, uint64_t *value)
{
    const uint8_t *at = wire->at;
    size_t left = (size_t)(wire->end - at);
    if (left && at[0] < 0x80) {
        *value = at[0];
        wire->at = at + 1;
        return true;
    }
    uint64_t v = 0;
    for (unsigned i = 0; i < 10 && i < left; i++) {
        v |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            *value = v;
            wire->at = at + i + 1;
            return true;
        }
    }
    return false;
}

/* Reads the next field. False at malformed bytes; don't call it at the end. */
static inline bool wire_next(struct wire *wire, struct wire_field *field)
{
    uint64_t tag, length;
    if (!wire_varint(wire, &tag))
        return false;
    field->number = tag >> 3;
    field->type = tag & 7;
    field->value = 0;
    field->bytes.at = field->bytes.end = wire->at;
    size_t left = (size_t)(wire->end - wire->at);
    switch (field->type) {
    case WIRE_VARINT:
        return wire_varint(wire, &field->value);
    case WIRE_FIXED64:
        if (left < 8)
            return false;
        wire->at += 8;
        return true;
    case WIRE_FIXED32:
        if (left < 4)
            return false;
        wire->at += 4;
        return true;
    case WIRE_BYTES:
        if (!wire_varint(wire, &length) || length > (size_t)(wire->end - wire->at))
            return false;
        field->bytes.at = wire->at;
        wire->at += length;
        field->bytes.end = wire->at;
        return true;
    default:
        return false;
    }
}

#endif
