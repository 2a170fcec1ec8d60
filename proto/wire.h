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
#include <string.h>

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

/* The general case of wire_varint: near the end of the bytes, or longer than 8. */
static inline bool wire_varint_slow(struct wire *wire, uint64_t *value)
{
    const uint8_t *at = wire->at;
    size_t left = (size_t)(wire->end - at);
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

#define WIRE_HIGH_BITS UINT64_C(0x8080808080808080)

/* Without a branch on the length, which no branch predictor can guess in a list of ids: eight bytes
 * at once, those after the first without a high bit are cut off, and the groups of 7 bits moved
 * together in three steps. */
static inline bool wire_varint(struct wire *wire, uint64_t *value)
{
    if (wire->end - wire->at < 8)
        return wire_varint_slow(wire, value);
    uint64_t v;
    memcpy(&v, wire->at, 8); /* little-endian, as everything here */
    uint64_t stops = ~v & WIRE_HIGH_BITS;
    if (!stops)
        return wire_varint_slow(wire, value);
    wire->at += (unsigned)__builtin_ctzll(stops) / 8 + 1;
    v &= (stops ^ (stops - 1)) & ~WIRE_HIGH_BITS;
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    *value = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    return true;
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
