/* cfi_reader.h - a cursor over untrusted bytes, and what the parts of the CFI reader hand each
 * other. Reading past the end yields 0 and sets bad, once for all; callers check it at the end.
 */
#ifndef APPROF_CFI_READER_H
#define APPROF_CFI_READER_H

#include "cfi.h"
#include <string.h>

struct cfi_cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline uint64_t cfi_read(struct cfi_cursor *c, size_t bytes)
{
    uint64_t value = 0;
    if (c->bad || (size_t)(c->end - c->at) < bytes) {
        c->bad = true;
        return 0;
    }
    memcpy(&value, c->at, bytes);
    c->at += bytes;
    return value;
}

static inline uint8_t cfi_u8(struct cfi_cursor *c)
{
    return (uint8_t)cfi_read(c, 1);
}

static inline void cfi_skip(struct cfi_cursor *c, uint64_t bytes)
{
    if (c->bad || (uint64_t)(c->end - c->at) < bytes)
        c->bad = true;
    else
        c->at += bytes;
}

static inline int64_t cfi_sign_extend(uint64_t value, unsigned bits)
{
    if (bits >= 64)
        return (int64_t)value;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* LEB128. Bits past 64 make it bad. */
static inline uint64_t cfi_leb(struct cfi_cursor *c, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !c->bad; shift += 7) {
        uint8_t byte = cfi_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return is_signed ? (uint64_t)cfi_sign_extend(value, shift + 7) : value;
    }
    c->bad = true;
    return 0;
}

static inline uint64_t cfi_uleb(struct cfi_cursor *c)
{
    return cfi_leb(c, false);
}

static inline int64_t cfi_sleb(struct cfi_cursor *c)
{
    return (int64_t)cfi_leb(c, true);
}

/* A pointer in one of the DW_EH_PE encodings; data is the base of datarel ones (0 if there is
 * none). Indirect ones and text-, function- and aligned ones make the cursor bad. */
uintptr_t cfi_encoded(struct cfi_cursor *c, uint8_t encoding, uintptr_t data);

/* A frame description entry with what its CIE says. */
struct cfi_fde {
    uintptr_t start, end; /* code that it covers */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* of addresses in the instructions */
    bool signal;
    struct cfi_cursor initial; /* the CIE's instructions */
    struct cfi_cursor program; /* the FDE's own */
};

/* Runs the instructions up to pc and makes the rule out of the row that they yield. */
enum cfi_status cfi_run(const struct cfi_fde *fde, uintptr_t pc, struct cfi_rule *rule);

/* The value of an expression: a base, an offset and at most one load. */
enum cfi_term { CFI_TERM_CONST, CFI_TERM_SP, CFI_TERM_FP, CFI_TERM_CFA };
struct cfi_value {
    enum cfi_term term;
    bool deref; /* *(term + offset) + add */
    uint64_t offset, add;
};

/* Evaluates an expression at pc. with_cfa: the CFA is pushed first, as for a register's rule. False
 * if the result has no such form. */
bool cfi_evaluate(struct cfi_cursor expression, uintptr_t pc, bool with_cfa,
                  struct cfi_value *result);

#endif
