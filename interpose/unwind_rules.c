/* unwind_rules.c - filling the table of cached rules; the look-up is inline in the header. */
#include "unwind_rules.h"

struct rule_entry rule_table[RULE_SETS][RULE_WAYS] __attribute__((aligned(64)));

static bool in_words(int64_t bytes)
{
    return bytes % 8 == 0 && bytes / 8 >= INT16_MIN && bytes / 8 <= INT16_MAX;
}

static uint64_t field(int64_t value, unsigned bits, unsigned shift)
{
    return ((uint64_t)value & ((UINT64_C(1) << bits) - 1)) << shift;
}

uint64_t rule_pack(const struct cfi_rule *cfi)
{
    const uint64_t refused = RULE_VALID | RULE_SPECIAL | RULE_REFUSED;
    if (cfi->signal)
        return RULE_VALID | RULE_SPECIAL | RULE_SIGNAL;
    if (cfi->end)
        return RULE_VALID | RULE_SPECIAL | RULE_END;

    uint64_t rule = RULE_VALID | (cfi->base == CFI_BASE_FP ? RULE_BASE_FP : 0);
    if (cfi->base == CFI_BASE_OTHER) {
        if (!in_words(cfi->offset))
            return refused;
        rule |= RULE_SPECIAL | RULE_BASE_OTHER;
        rule |= field(cfi->offset / 8, 16, 32) | field(cfi->reg, 16, 48);
    } else if (cfi->deref) {
        if (!in_words(cfi->offset) || !in_words(cfi->add))
            return refused;
        rule |= RULE_SPECIAL | RULE_DEREF;
        rule |= field(cfi->offset / 8, 16, 32) | field(cfi->add / 8, 16, 48);
    } else {
        if (cfi->offset < INT32_MIN || cfi->offset > INT32_MAX)
            return refused;
        rule |= field(cfi->offset, 32, 32);
    }

    switch (cfi->fp) {
    case CFI_FP_SAME:
        return rule;
    case CFI_FP_LOST:
        return rule | RULE_SPECIAL | RULE_FP_LOST;
    case CFI_FP_AT_CFA:
        rule |= RULE_FP_SAVED;
        break;
    case CFI_FP_AT_FP:
        rule |= RULE_SPECIAL | RULE_FP_AT_FP;
        break;
    case CFI_FP_AT_SP:
        rule |= RULE_SPECIAL | RULE_FP_AT_SP;
        break;
    }
    return in_words(cfi->fp_offset) ? rule | field(cfi->fp_offset / 8, 16, 16) : refused;
}

void rule_insert(uint64_t frame, uint64_t rule)
{
    uint64_t pc = HEAP_FRAME_PC(frame), old;
    struct rule_entry *set = rule_set(pc), *victim = NULL;
    for (unsigned way = 0; way < RULE_WAYS && victim == NULL; way++) {
        uint64_t there = atomic_load_explicit(&set[way].rule, memory_order_relaxed);
        old = atomic_load_explicit(&set[way].frame, memory_order_relaxed) ^ there * RULE_MIX;
        if (there == 0 || HEAP_FRAME_PC(old) == pc)
            victim = &set[way];
    }
    if (victim == NULL) {
        /* The first way keeps what came last, the second what was there before. */
        uint64_t there = atomic_load_explicit(&set[0].rule, memory_order_relaxed);
        old = atomic_load_explicit(&set[0].frame, memory_order_relaxed);
        atomic_store_explicit(&set[1].frame, old, memory_order_relaxed);
        atomic_store_explicit(&set[1].rule, there, memory_order_release);
        victim = &set[0];
    }
    atomic_store_explicit(&victim->frame, frame ^ rule * RULE_MIX, memory_order_relaxed);
    atomic_store_explicit(&victim->rule, rule, memory_order_release);
}
