/* unwind_rules.h - the walker's memory: for each return address seen lately, how to step over its
 * frame. A fixed table, shared by all threads, without locks; an entry that two threads write at
 * once reads as a miss.
 *
 * An entry is two words, the rule and the frame (module id and address, as HEAP_FRAME) combined
 * with a product of the rule, so that words of two different writes don't fit each other. Loads and
 * stores are atomic; acquire and release order them after the module's registration.
 */
#ifndef APPROF_UNWIND_RULES_H
#define APPROF_UNWIND_RULES_H

#include "cfi.h"
#include "heap_tables.h"
#include <stdatomic.h>

/* A rule in 64 bits. Bits 0-15 are these flags, 16-31 the signed offset of the saved frame pointer
 * in words, 32-63 the signed CFA offset in bytes. With RULE_DEREF, 32-47 are the offset of the load
 * and 48-63 the addend, with RULE_BASE_OTHER 32-47 the offset and 48-63 the register; offsets and
 * addend signed and in words. */
enum {
    RULE_VALID = 1 << 0,
    RULE_PERMANENT = 1 << 1, /* its module can't be unloaded */
    RULE_BASE_FP = 1 << 2,   /* else the stack pointer */
    RULE_FP_SAVED = 1 << 3,  /* at CFA + offset */
    RULE_SPECIAL = 1 << 4,   /* any of the following is set: leave the fast path */
    RULE_DEREF = 1 << 5,
    RULE_FP_AT_FP = 1 << 6, /* saved at frame pointer + offset */
    RULE_FP_AT_SP = 1 << 7,
    RULE_FP_LOST = 1 << 8,
    RULE_END = 1 << 9,         /* outermost frame */
    RULE_SIGNAL = 1 << 10,     /* registers lie in the ucontext at the stack pointer */
    RULE_NO_CFI = 1 << 11,     /* nothing says how: try the frame pointer */
    RULE_REFUSED = 1 << 12,    /* beyond our reader: ask libunwind if it is there */
    RULE_BASE_OTHER = 1 << 13, /* another register, known in interrupted frames */
};

static inline int64_t rule_fp_offset(uint64_t rule)
{
    return (int64_t)(int16_t)(rule >> 16) * 8;
}
static inline int64_t rule_cfa_offset(uint64_t rule)
{
    return (int32_t)(rule >> 32);
}
static inline int64_t rule_load_offset(uint64_t rule)
{
    return (int64_t)(int16_t)(rule >> 32) * 8;
}
static inline unsigned rule_register(uint64_t rule)
{
    return (uint16_t)(rule >> 48);
}
static inline int64_t rule_load_addend(uint64_t rule)
{
    return (int64_t)(int16_t)(rule >> 48) * 8;
}

/* RULE_VALID and the rest from what the CFI reader found, or RULE_REFUSED where it doesn't fit. */
uint64_t rule_pack(const struct cfi_rule *cfi);

enum { RULE_SETS = 8192, RULE_WAYS = 2 };

struct rule_entry {
    _Atomic uint64_t rule;
    _Atomic uint64_t frame; /* HEAP_FRAME ^ rule * RULE_MIX */
};
#define RULE_MIX UINT64_C(0x9e3779b97f4a7c15)

extern struct rule_entry rule_table[RULE_SETS][RULE_WAYS] __attribute__((visibility("hidden")));

/* Return addresses differ most in their low bits, but calls of one function are close together. */
static inline struct rule_entry *rule_set(uintptr_t pc)
{
    return rule_table[(pc ^ pc >> 11) % RULE_SETS];
}

/* The rule for a frame whose address is pc, and the frame with its module id. An empty entry holds
 * address 0, which nobody looks for. */
static inline bool rule_find(uintptr_t pc, uint64_t *frame, uint64_t *rule)
{
    const struct rule_entry *set = rule_set(pc);
    for (unsigned way = 0; way < RULE_WAYS; way++) {
        *rule = atomic_load_explicit(&set[way].rule, memory_order_acquire);
        uint64_t mixed = atomic_load_explicit(&set[way].frame, memory_order_relaxed);
        *frame = mixed ^ *rule * RULE_MIX;
        if (*frame << 16 == pc << 16)
            return true;
    }
    return false;
}

/* Remembers a rule in place of an older one for the same address, or of any other. */
void rule_insert(uint64_t frame, uint64_t rule);

#endif
