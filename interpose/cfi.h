/* cfi.h - reads one unwind rule out of a module's .eh_frame_hdr and .eh_frame.
 *
 * The answer says, for one address, how to get from a frame to its caller's: where the canonical
 * frame address (CFA: the stack pointer before the call) is, and where the caller's frame pointer
 * was saved. The return address is always where the ABI puts it, else the rule is refused.
 *
 * Source: LSB core, "Exception Frames", and DWARF 4 section 6.4. Not read, and refused: search
 * tables other than datarel|sdata4, indirect pointers, expressions that are more than a register,
 * an offset and one load (a PLT's comes out as one, since its program counter is known).
 *
 * The tables are untrusted: every read lies inside the ranges that the caller gives, all loops are
 * bounded by the bytes that they read. No state, no system call, no allocation: safe anywhere.
 */
#ifndef APPROF_CFI_H
#define APPROF_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readable ranges: [hdr, hdr_end) is .eh_frame_hdr, [frame, frame_end) holds .eh_frame (it may be
 * larger: the whole segment). */
struct cfi_tables {
    const uint8_t *hdr, *hdr_end;
    const uint8_t *frame, *frame_end;
};

enum cfi_status {
    CFI_FOUND,
    CFI_NONE,    /* nothing covers this address */
    CFI_REFUSED, /* something does, but it is damaged or beyond this reader */
};

enum cfi_base {
    CFI_BASE_SP,
    CFI_BASE_FP,
    CFI_BASE_OTHER, /* the register in reg, which is known in an interrupted frame only */
};

enum cfi_fp {
    CFI_FP_SAME,   /* the frame left it alone */
    CFI_FP_AT_CFA, /* saved at CFA + fp_offset */
    CFI_FP_AT_FP,  /* saved at frame pointer + fp_offset */
    CFI_FP_AT_SP,  /* saved at stack pointer + fp_offset */
    CFI_FP_LOST,   /* can't be recovered */
};

struct cfi_rule {
    enum cfi_base base;
    uint8_t reg;    /* DWARF number, with CFI_BASE_OTHER */
    bool deref;     /* CFA = *(base + offset) + add, else CFA = base + offset */
    int64_t offset; /* bytes */
    int64_t add;
    enum cfi_fp fp;
    int64_t fp_offset;
    bool end;    /* the return address is undefined: this is the outermost frame */
    bool signal; /* marked as a signal frame; nothing else is filled in */
};

/* pc is an address inside the instruction: return address less one, or the interrupted one. */
enum cfi_status cfi_find_rule(const struct cfi_tables *tables, uintptr_t pc, struct cfi_rule *rule);

/* Where .eh_frame begins, from the header, or 0 if the header can't be read. Only hdr and hdr_end
 * are used. */
uintptr_t cfi_frame_address(const struct cfi_tables *tables);

#endif
