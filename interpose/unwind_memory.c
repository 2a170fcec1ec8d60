/* unwind_memory.c - see unwind_memory.h. */
#include "unwind_memory.h"
#include "unwind_rules.h"
#include <string.h>

/* What a step that must always be taken anew has for its second word: never equal. */
static const uintptr_t zero;
enum { NEVER = 1 };

static uintptr_t sp_or_never(const struct recall *r)
{
    return r->at < r->end ? r->at->sp : UINTPTR_MAX;
}

void recall_begin(struct recall *r, const struct walk *walk)
{
    if (r->memory == NULL || r->memory->count == 0 || r->memory->high != remembered_top(walk)) {
        r->at = r->end = NULL;
    } else if (r->end == NULL) {
        r->end = &r->memory->walked[HEAP_MAX_DEPTH];
        r->at = r->end - r->memory->count;
    }
    r->until = sp_or_never(r);
}

bool recall_frames(struct recall *r, struct walk *walk, uint32_t max, struct unwind_stack *stack)
{
    const struct walked_frame *at = r->at, *end = r->end;
    while (at < end && at->sp < walk->sp)
        at++;
    if (at == end || at->sp != walk->sp || at->pc != walk->pc || at->fp != walk->fp) {
        r->at = at + (at < end && at->sp == walk->sp);
        r->until = sp_or_never(r);
        return false;
    }
    struct walk_memory *memory = r->memory;
    const struct walked_frame *to = walked_follow(at);
    uint32_t left = (uint32_t)(end - at), same = (uint32_t)(to - at);
    const uint64_t *frames = &memory->frames[HEAP_MAX_DEPTH - left];
    if (to + 1 == end && memory->ended && left <= max - r->n) {
        memcpy(&stack->frames[r->n], frames, left * sizeof *frames);
        r->shared = left;
        return true;
    }
    /* As if these had been walked. Their rules are known to be plain, and lasting; what else the
     * rule says is in the word that it reads. */
    if (same > max - r->n)
        same = max - r->n;
    for (; same > 0; same--, at++) {
        bool saved = (uintptr_t)at->fp_slot != at[1].sp + ARCH_RA_OFFSET;
        int64_t offset = saved ? (int64_t)((uintptr_t)at->fp_slot - at[1].sp) : 0;
        stack->frames[r->n] = *frames++;
        memory->fresh[r->n++] = (struct fresh_frame){
            .sp = at->sp,
            .fp = at->fp,
            .rule = RULE_VALID | RULE_PERMANENT |
                    (saved ? RULE_FP_SAVED | (uint64_t)(uint16_t)(offset / ARCH_WORD) << 16 : 0)};
    }
    walk->pc = at->pc;
    walk->sp = at->sp;
    walk->fp = at->fp;
    r->at = at + 1;
    r->until = sp_or_never(r);
    return false;
}

/* What the step over a frame read, when the caller's frame has sp and fp. */
static void note_step(struct walked_frame *w, uint64_t rule, uintptr_t sp, uintptr_t fp)
{
    uintptr_t saved_at = sp + (uintptr_t)rule_fp_offset(rule);
    if ((rule & (RULE_SPECIAL | RULE_PERMANENT)) != RULE_PERMANENT ||
        ((rule & RULE_FP_SAVED) && saved_at < w->sp)) {
        w->fp_slot = &zero;
        w->fp_word = NEVER;
    } else if (rule & RULE_FP_SAVED) {
        w->fp_slot = (const uintptr_t *)saved_at;
        w->fp_word = fp;
    } else {
        w->fp_slot = (const uintptr_t *)(sp + ARCH_RA_OFFSET);
        w->fp_word = *w->fp_slot;
    }
}

void remember(struct recall *r, const struct walk *walk, bool ended, struct unwind_stack *stack)
{
    struct walk_memory *memory = r->memory;
    uint32_t n = r->n, shared = r->shared;
    uint64_t hash = 0;
    stack->n_frames = n + shared;
    stack->repeated = n == 0 && shared > 0 && memory->count == shared;
    if (shared > 0)
        hash = memory->walked[HEAP_MAX_DEPTH - shared].hash;
    if (stack->repeated) {
        stack->hash = unwind_hash_end(hash, stack->n_frames);
        return;
    }
    uintptr_t top = remembered_top(walk);
    if (memory == NULL || top == 0) {
        if (memory != NULL)
            memory->count = 0;
        for (uint32_t i = n; i-- > 0;)
            hash = unwind_hash_add(hash, stack->frames[i]);
        stack->hash = unwind_hash_end(hash, stack->n_frames);
        return;
    }
    memory->count = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct walked_frame *w = &memory->walked[HEAP_MAX_DEPTH - shared];
    uintptr_t sp = shared > 0 ? w->sp : walk->sp, fp = shared > 0 ? w->fp : walk->fp;
    memcpy(&memory->frames[HEAP_MAX_DEPTH - shared - n], stack->frames, n * sizeof(uint64_t));
    if (shared == 0 && n > 0)
        memory->fresh[n - 1].rule |= RULE_SPECIAL;
    for (uint32_t i = n; i-- > 0;) {
        const struct fresh_frame *fresh = &memory->fresh[i];
        w--;
        w->pc = HEAP_FRAME_PC(stack->frames[i]);
        w->sp = fresh->sp;
        w->fp = fresh->fp;
        w->hash = hash = unwind_hash_add(hash, stack->frames[i]);
        note_step(w, fresh->rule, sp, fp);
        sp = fresh->sp;
        fp = fresh->fp;
    }
    memory->high = top;
    memory->ended = ended;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memory->count = n + shared;
    stack->hash = unwind_hash_end(hash, stack->n_frames);
}
