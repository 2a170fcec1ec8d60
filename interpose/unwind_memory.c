/* unwind_memory.c - see unwind_memory.h. */
#include "unwind_memory.h"
#include "unwind_rules.h"
#include <string.h>

/* What a step that must always be taken anew has for its second word: never equal. */
static const uintptr_t zero;
enum { NEVER = 1 };

enum { LOSSES = 4, SKIP = 60 };

static uintptr_t sp_or_never(const struct recall *r)
{
    return r->at < r->end ? r->at->sp : UINTPTR_MAX;
}

void recall_begin(struct recall *r, const struct walk *walk)
{
    if (r->memory == NULL || r->memory->count == 0 || r->memory->high != remembered_top(walk)) {
        r->at = r->end = NULL;
    } else if (r->end == NULL) {
        r->end = &r->memory->walked[WALK_MEMORY];
        r->at = r->end - r->memory->count;
    }
    r->until = sp_or_never(r);
}

bool recall_frames(struct recall *r, struct walk *walk, uint32_t max, struct unwind_stack *stack)
{
    const struct walked_frame *at = r->at, *end = r->end;
    while (at < end && at->sp < walk->sp)
        at++;
    if (at == end || at->sp != walk->sp || at->pc != walk->pc ||
        (at->fp != walk->fp && at->fp != ANY_FP)) {
        r->at = at + (at < end && at->sp == walk->sp);
        r->until = sp_or_never(r);
        return false;
    }
    struct walk_memory *memory = r->memory;
    const struct walked_frame *to = walked_follow(at);
    uint32_t left = (uint32_t)(end - at), same = (uint32_t)(to - at);
    const uint64_t *frames = &memory->frames[WALK_MEMORY - left];
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
        uint64_t rule = RULE_VALID | RULE_PERMANENT | (at->fp != ANY_FP ? RULE_BASE_FP : 0);
        struct fresh_frame *fresh = &memory->fresh[r->n];
        *fresh = (struct fresh_frame){.sp = at->sp, .fp = walk->fp};
        if ((uintptr_t)at->fp_slot != at[1].sp + ARCH_RA_OFFSET) {
            uint64_t words = ((uintptr_t)at->fp_slot - at[1].sp) / ARCH_WORD;
            rule |= RULE_FP_SAVED | (words & 0xffff) << 16;
            walk->fp = at->fp_word;
        }
        fresh->rule = rule;
        stack->frames[r->n++] = *frames++;
    }
    walk->pc = at->pc;
    walk->sp = at->sp;
    r->at = at + 1;
    r->until = sp_or_never(r);
    return false;
}

/* What a frame costs that is taken over, remembered anew, or only walked is about 10, 100 and 75
 * instructions, and asking and remembering cost 300. */
static void judge_use(struct walk_memory *memory, uint32_t n, uint32_t shared)
{
    if (65 * shared > 25 * n + 300) {
        memory->losses = 0;
    } else if (++memory->losses == LOSSES) {
        memory->losses = 0;
        memory->skip = SKIP;
        memory->count = 0; /* or the next walk that asks would be said to repeat this one */
    }
}

/* Notes what the step over a frame read, when the caller's frame has sp, and whether the frame
 * pointer matters, when it does (or not) from the caller's frame on. Returns whether it matters
 * from this frame on. Where a step is taken anew, it is taken with the frame pointer that there is.
 */
static bool note_step(struct walked_frame *w, const struct fresh_frame *fresh, uintptr_t sp,
                      bool fp_matters)
{
    uint64_t rule = fresh->rule;
    bool saved = rule & RULE_FP_SAVED;
    uintptr_t read_at = sp + (uintptr_t)(saved ? rule_fp_offset(rule) : ARCH_RA_OFFSET);
    fp_matters = (rule & RULE_BASE_FP) || (!saved && fp_matters);
    w->sp = fresh->sp;
    w->fp = fp_matters ? fresh->fp : ANY_FP;
    if ((rule & (RULE_SPECIAL | RULE_PERMANENT)) != RULE_PERMANENT || read_at < w->sp ||
        (fp_matters && fresh->fp == ANY_FP)) {
        w->fp = ANY_FP;
        w->fp_slot = &zero;
        w->fp_word = NEVER;
        return false;
    }
    w->fp_slot = (const uintptr_t *)read_at;
    w->fp_word = *w->fp_slot;
    return fp_matters;
}

void remember(struct recall *r, const struct walk *walk, bool ended, struct unwind_stack *stack)
{
    struct walk_memory *memory = r->memory;
    uint32_t n = r->n, shared = r->shared;
    uint64_t hash = 0;
    stack->n_frames = n + shared;
    stack->repeated = n == 0 && shared > 0 && memory->count == shared;
    if (shared > 0)
        hash = memory->walked[WALK_MEMORY - shared].hash;
    if (stack->repeated) {
        stack->hash = unwind_hash_end(hash, stack->n_frames);
        memory->losses = 0;
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
    struct walked_frame *w = &memory->walked[WALK_MEMORY - shared];
    uintptr_t sp = shared > 0 ? w->sp : walk->sp;
    bool fp_matters = shared > 0 && w->fp != ANY_FP;
    memcpy(&memory->frames[WALK_MEMORY - shared - n], stack->frames, n * sizeof(uint64_t));
    if (shared == 0 && n > 0)
        memory->fresh[n - 1].rule |= RULE_SPECIAL;
    for (uint32_t i = n; i-- > 0;) {
        w--;
        w->pc = HEAP_FRAME_PC(stack->frames[i]);
        w->hash = hash = unwind_hash_add(hash, stack->frames[i]);
        fp_matters = note_step(w, &memory->fresh[i], sp, fp_matters);
        sp = w->sp;
    }
    memory->high = top;
    memory->ended = ended;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memory->count = n + shared;
    judge_use(memory, n, shared);
    stack->hash = unwind_hash_end(hash, stack->n_frames);
}
