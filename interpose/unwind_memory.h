/* unwind_memory.h - the last stack that was walked, so that the next one walks only where it
 * differs.
 *
 * A step from one frame to its caller depends on the frame's address, stack pointer and frame
 * pointer, on the rule for the address, and on at most two words of the stack: the return address,
 * and the saved frame pointer. Where the module can't be unloaded the rule never changes. So when a
 * walk reaches a frame that the last walk had too, with all three the same, and those two words
 * still hold what they held, it goes where the last one went: that is looked at word by word, and
 * nothing else has to be known of how the words came to be there. The frame pointer may even differ
 * where a frame saves it before any computes an address from it: in code without frame pointers it
 * is a register like any other. Consecutive stacks of a thread
 * share most of their outer frames, and looking costs a seventh of walking.
 *
 * Steps that depend on more (signal frames, code without CFI, modules that can be unloaded, another
 * stack than the thread's own) are never taken from here. The words lie above the stack pointer and
 * below the stack's top, like those of any other step, so they can be read.
 *
 * Where stacks are short or have little in common, remembering costs more than it saves: after a
 * few walks of that kind the memory is left alone for many.
 *
 * The hash of a stack is added up from the outermost frame, so that a common part has a common
 * hash. One walk at a time uses a memory; count is 0 while it changes, should a signal handler jump
 * out of the walk.
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

struct walk_memory {
    uintptr_t high; /* of the stack that these frames are on */
    uint32_t count; /* the last ones of walked[] and frames[], leaf first */
    bool ended;     /* the last of them is the outermost frame, by its rule */
    uint8_t losses; /* walks in a row that took longer for it */
    uint8_t skip;   /* walks that are still to do without */
    uint64_t frames[WALK_MEMORY];
    struct walked_frame walked[WALK_MEMORY];
    struct fresh_frame fresh[WALK_MEMORY];
};

/* How far a walk has got in what is remembered. */
struct recall {
    struct walk_memory *memory; /* or NULL */
    const struct walked_frame *at, *end;
    uintptr_t until; /* there is nothing to recall before this stack pointer */
    uint32_t n;      /* frames of the stack so far */
    uint32_t shared; /* outer frames that are the last walk's, once the walk has ended with them */
};

/* The memory that a walk of at most max frames is to use, or NULL. */
static inline struct walk_memory *memory_for_walk(struct walk_memory *memory, uint32_t max)
{
    if (memory == NULL || max > WALK_MEMORY)
        return NULL;
    if (memory->skip == 0)
        return memory;
    memory->skip--;
    return NULL;
}

/* At the start of a walk, and when it has got to another stack. */
void recall_begin(struct recall *recall, const struct walk *walk);

/* When walk->sp has reached until: takes over as many frames as are the same, at most up to max,
 * and moves walk and n past them. True when that was the rest of the stack (shared says how much).
 */
bool recall_frames(struct recall *recall, struct walk *walk, uint32_t max,
                   struct unwind_stack *stack);

/* The walk has ended: fills in n_frames, hash and repeated, and makes this walk the one that is
 * remembered. ended: the outermost frame was found by the rule of a module that stays. walk->sp is
 * that of the last frame's caller. */
void remember(struct recall *recall, const struct walk *walk, bool ended,
              struct unwind_stack *stack);

/* The top of the stack that frames may be remembered of: the thread's own, if the walk is there. */
static inline uintptr_t remembered_top(const struct walk *walk)
{
    return walk->region.foreign ? 0 : walk->region.high;
}

/* From a frame that is the same, the last frame that is the same as well. The outermost frame's
 * step is never taken. */
static inline const struct walked_frame *walked_follow(const struct walked_frame *w)
{
    while (*w->fp_slot == w->fp_word && ((const uintptr_t *)w[1].sp)[-1] == w[1].pc)
        w++;
    return w;
}

#endif
