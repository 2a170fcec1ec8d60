/* unwind_memory.h - the stacks that were walked last, so that the next one is walked only where it
 * differs from them.
 *
 * A step from one frame to its caller depends on the frame's address, stack pointer and frame
 * pointer, on the rule for the address, and on at most two words of the stack: the return address,
 * and the saved frame pointer. Where the module can't be unloaded the rule never changes. So when a
 * walk reaches a frame that a remembered walk had too, with all three the same, and those two words
 * still hold what they held, it goes where that one went: that is looked at word by word, and
 * nothing else has to be known of how the words came to be there. The frame pointer may even differ
 * where a frame saves it before any computes an address from it: in code without frame pointers it
 * is a register like any other.
 *
 * A few stacks are remembered: who allocates at several places in turn finds each of them whole,
 * with what the tables know of it. Which of them begins like a walk is told by a key; it is looked
 * for first where that key would have it, and there a new one goes, or into the next free place, or
 * where the oldest is. A walk that is none of them shares its outer frames with the one before,
 * mostly: taking over a frame costs a seventh of walking it.
 *
 * Steps that depend on more (signal frames, code without CFI, modules that can be unloaded, another
 * stack than the thread's own) are never taken from here. The words lie above the stack pointer and
 * below the stack's top, like those of any other step, so they can be read.
 *
 * Where stacks have little in common, remembering costs more than it saves: after a few walks of
 * that kind nothing new is remembered for many, and the rest is looked for at home only.
 *
 * The hash of a stack is added up from the outermost frame, so that a common part has a common
 * hash. One walk at a time uses a memory; first is NULL while a stack changes, should a signal
 * handler jump out of the walk.
 */
#ifndef APPROF_UNWIND_MEMORY_H
#define APPROF_UNWIND_MEMORY_H

#include "unwind_backend.h"

/* What no frame pointer is, since it is misaligned (nor LOST_FP of unwind_walk.c). */
enum { ANY_FP = 3 };

/* Walks that may be longer than the default depth are not remembered. */
enum { WALK_MEMORY = 128 };

struct walked_frame {
    uintptr_t pc, sp, fp;     /* as in struct walk, before the step to the caller; or ANY_FP */
    const uintptr_t *fp_slot; /* what the step reads besides the return address ... */
    uintptr_t fp_word;        /* ... and what that was */
    uint64_t hash;            /* of this frame and all further out */
};

/* A frame that the present walk has walked itself; its address is in the stack. */
struct fresh_frame {
    uintptr_t sp, fp;
    uint64_t rule; /* with RULE_SPECIAL where the step must always be taken anew */
};

/* One stack. The arrays are filled from their ends, the outermost frame last. */
struct walked_stack {
    struct walked_frame walked[WALK_MEMORY];
    uint64_t frames[WALK_MEMORY];
    const struct walked_frame *first; /* the leaf; NULL: nothing is remembered here */
    const struct walked_frame *last;  /* the outermost frame, if its rule says so, or NULL */
    uintptr_t high;                   /* of the stack that these frames are on */
    uint64_t hash;
    uint32_t count;
    struct tables_place place;
};

enum { WALK_STACKS_BITS = 3, WALK_STACKS = 1 << WALK_STACKS_BITS };

struct walk_memory {
    uint64_t keys[WALK_STACKS];  /* walk_key of each, 0 where there has been none */
    struct walked_stack *latest; /* the one that was filled in last, or NULL */
    uint8_t losses;              /* walks in a row that took longer for it */
    uint8_t skip;                /* walks that are still not to be remembered */
    uint8_t oldest;              /* which goes next, modulo their number */
    struct fresh_frame fresh[WALK_MEMORY];
    struct walked_stack stacks[WALK_STACKS];
};

/* How far a walk has got in what is remembered. */
struct recall {
    struct walk_memory *memory; /* or NULL */
    struct walked_stack *to;    /* where this walk will be remembered */
    const struct walked_stack *from;
    const struct walked_frame *at, *end; /* of from */
    uintptr_t until;                     /* there is nothing to recall before this stack pointer */
    uint32_t n;                          /* frames of the stack so far */
    uint32_t shared; /* outer frames that are from's, once the walk has ended with them */
};

/* The same for walks that begin at the same place; seldom for others. */
static inline uint64_t walk_key(uintptr_t pc, uintptr_t sp)
{
    return (uint64_t)(pc * 8 + sp) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Where a stack with this key is looked for first. */
static inline unsigned walk_home(uint64_t key)
{
    return (unsigned)(key >> (64 - WALK_STACKS_BITS));
}

/* From a frame that is the same, the last frame that is the same as well. The outermost frame's
 * step is never taken. */
static inline const struct walked_frame *walked_follow(const struct walked_frame *w)
{
    while (*w->fp_slot == w->fp_word && ((const uintptr_t *)w[1].sp)[-1] == w[1].pc)
        w++;
    return w;
}

static inline bool walked_begins(const struct walked_frame *w, uintptr_t pc, uintptr_t sp,
                                 uintptr_t fp)
{
    return w->sp == sp && w->pc == pc && (w->fp == fp || w->fp == ANY_FP);
}

/* Whether a walk from start, of at most max frames, begins as this stack does. */
static inline bool walked_here(const struct walked_stack *s, const struct unwind_start *start,
                               const struct thread_slot *slot, uint32_t max)
{
    return s->first != NULL && walked_begins(s->first, start->pc, start->sp, start->fp) &&
           s->high == slot->stack_high && start->sp >= slot->stack_low && s->count <= max;
}

/* Whether it would give this very stack, from the leaf to the outermost frame. */
static inline bool walked_again(const struct walked_stack *s, const struct unwind_start *start,
                                const struct thread_slot *slot, uint32_t max)
{
    return walked_here(s, start, slot, max) && walked_follow(s->first) == s->last;
}

/* One that is not at home, but for which walked_again is true; or NULL. */
struct walked_stack *walked_elsewhere(struct walk_memory *memory, const struct unwind_start *start,
                                      const struct thread_slot *slot, uint32_t max);

/* Before a walk of at most max frames. */
void recall_start(struct recall *recall, const struct walk *walk, uint32_t max);

/* At the start of a walk, and when it has got to another stack. */
void recall_begin(struct recall *recall, const struct walk *walk);

/* When walk->sp has reached until: takes over as many frames as are the same, at most up to max,
 * and moves walk and n past them. True when that was the rest of the stack (shared says how much).
 */
bool recall_frames(struct recall *recall, struct walk *walk, uint32_t max,
                   struct unwind_stack *stack);

/* The walk has ended: fills in n_frames, hash, frames and place, and remembers it. ended: the
 * outermost frame was found by the rule of a module that stays. walk->sp is that of the last
 * frame's caller. */
void remember(struct recall *recall, const struct walk *walk, bool ended,
              struct unwind_stack *stack);

/* The top of the stack that frames may be remembered of: the thread's own, if the walk is there. */
static inline uintptr_t remembered_top(const struct walk *walk)
{
    return walk->region.foreign ? 0 : walk->region.high;
}

#endif
