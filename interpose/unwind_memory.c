/* unwind_memory.c - see unwind_memory.h. */
#include "unwind_memory.h"
#include "unwind_rules.h"
#include <string.h>

/* What a step that must always be taken anew has for its second word: never equal. */
static const uintptr_t zero;
enum { NEVER = 1 };

enum { LOSSES = 4, SKIP = 60 };

/* Stacks with the same key are followed until they differ: mostly at once, and not too far in all.
 */
enum { FOLLOW = 64 };

struct walked_stack *walked_elsewhere(struct walk_memory *memory, const struct unwind_start *start,
                                      const struct thread_slot *slot, uint32_t max)
{
    if (memory->skip > 0)
        return NULL;
    uint64_t key = walk_key(start->pc, start->sp);
    unsigned home = walk_home(key);
    ptrdiff_t left = FOLLOW;
    for (unsigned k = 1; k < WALK_STACKS && left > 0; k++) {
        struct walked_stack *s = &memory->stacks[(home + k) % WALK_STACKS];
        if (memory->keys[s - memory->stacks] != key || !walked_here(s, start, slot, max))
            continue;
        const struct walked_frame *to = walked_follow(s->first);
        if (to == s->last)
            return s;
        left -= to - s->first;
    }
    return NULL;
}

static uintptr_t sp_or_never(const struct recall *r)
{
    return r->at < r->end ? r->at->sp : UINTPTR_MAX;
}

void recall_start(struct recall *r, const struct walk *walk, uint32_t max)
{
    struct walk_memory *memory = walk->slot->memory;
    *r = (struct recall){.memory = NULL};
    if (memory == NULL || max > WALK_MEMORY)
        return;
    if (memory->skip > 0) {
        memory->skip--;
        return;
    }
    r->memory = memory;
    r->from = memory->latest;
    uint64_t key = walk_key(walk->pc, walk->sp);
    unsigned home = walk_home(key);
    for (unsigned k = WALK_STACKS; k-- > 0;) {
        unsigned i = (home + k) % WALK_STACKS;
        if (memory->keys[i] == key)
            r->from = &memory->stacks[i];
        if (memory->keys[i] == 0)
            r->to = &memory->stacks[i];
    }
    if (r->to == NULL)
        r->to = &memory->stacks[memory->oldest++ % WALK_STACKS];
}

void recall_begin(struct recall *r, const struct walk *walk)
{
    if (r->from == NULL || r->from->first == NULL || r->from->high != remembered_top(walk)) {
        r->at = r->end = NULL;
    } else if (r->end == NULL) {
        r->at = r->from->first;
        r->end = &r->from->walked[WALK_MEMORY];
    }
    r->until = sp_or_never(r);
}

bool recall_frames(struct recall *r, struct walk *walk, uint32_t max, struct unwind_stack *stack)
{
    const struct walked_frame *at = r->at, *end = r->end;
    while (at < end && at->sp < walk->sp)
        at++;
    if (at == end || !walked_begins(at, walk->pc, walk->sp, walk->fp)) {
        r->at = at + (at < end && at->sp == walk->sp);
        r->until = sp_or_never(r);
        return false;
    }
    const struct walked_frame *to = walked_follow(at);
    uint32_t left = (uint32_t)(end - at), same = (uint32_t)(to - at);
    const uint64_t *frames = &r->from->frames[WALK_MEMORY - left];
    if (to == r->from->last && left <= max - r->n) {
        memcpy(&stack->room[r->n], frames, left * sizeof *frames);
        r->shared = left;
        return true;
    }
    /* As if these had been walked. Their rules are known to be plain, and lasting; what else the
     * rule says is in the word that it reads. */
    if (same > max - r->n)
        same = max - r->n;
    for (; same > 0; same--, at++) {
        uint64_t rule = RULE_VALID | RULE_PERMANENT | (at->fp != ANY_FP ? RULE_BASE_FP : 0);
        struct fresh_frame *fresh = &r->memory->fresh[r->n];
        *fresh = (struct fresh_frame){.sp = at->sp, .fp = walk->fp};
        if ((uintptr_t)at->fp_slot != at[1].sp + ARCH_RA_OFFSET) {
            uint64_t words = ((uintptr_t)at->fp_slot - at[1].sp) / ARCH_WORD;
            rule |= RULE_FP_SAVED | (words & 0xffff) << 16;
            walk->fp = at->fp_word;
        }
        fresh->rule = rule;
        stack->room[r->n++] = *frames++;
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

/* Fills in r->to with shared frames of r->from, and before them those that were walked. */
static void fill_in(struct recall *r, const struct walk *walk, bool ended,
                    const struct unwind_stack *stack)
{
    struct walked_stack *to = r->to;
    uint32_t n = r->n, shared = r->shared;
    to->first = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct walked_frame *w = &to->walked[WALK_MEMORY - shared];
    if (shared > 0 && r->from != to)
        memcpy(w, &r->from->walked[WALK_MEMORY - shared], shared * sizeof *w);
    memcpy(&to->frames[WALK_MEMORY - shared - n], stack->room, (n + shared) * sizeof *to->frames);
    uintptr_t sp = shared > 0 ? w->sp : walk->sp;
    uint64_t hash = shared > 0 ? w->hash : 0;
    bool fp_matters = shared > 0 && w->fp != ANY_FP;
    if (shared == 0 && n > 0)
        r->memory->fresh[n - 1].rule |= RULE_SPECIAL;
    for (uint32_t i = n; i-- > 0;) {
        w--;
        w->pc = HEAP_FRAME_PC(stack->room[i]);
        w->hash = hash = unwind_hash_add(hash, stack->room[i]);
        fp_matters = note_step(w, &r->memory->fresh[i], sp, fp_matters);
        sp = w->sp;
    }
    to->last = ended ? &to->walked[WALK_MEMORY - 1] : NULL;
    to->high = remembered_top(walk);
    to->hash = unwind_hash_end(hash, n + shared);
    to->count = n + shared;
    to->place = (struct tables_place){0};
    r->memory->keys[to - r->memory->stacks] = walk_key(w->pc, w->sp);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    to->first = w;
    r->memory->latest = to;
}

void remember(struct recall *r, const struct walk *walk, bool ended, struct unwind_stack *stack)
{
    stack->n_frames = r->n + r->shared;
    stack->frames = stack->room;
    if (r->memory != NULL && stack->n_frames > 0 && remembered_top(walk) != 0) {
        fill_in(r, walk, ended, stack);
        judge_use(r->memory, r->n, r->shared);
        stack->hash = r->to->hash;
        stack->place = &r->to->place;
        return;
    }
    uint64_t hash = r->shared > 0 ? r->from->walked[WALK_MEMORY - r->shared].hash : 0;
    for (uint32_t i = r->n; i-- > 0;)
        hash = unwind_hash_add(hash, stack->room[i]);
    stack->hash = unwind_hash_end(hash, stack->n_frames);
    stack->place = NULL;
}
