/* unwind_backend.h - the walkers behind unwind.h, and the state that they share. Each is a table of
 * functions; unwind.c picks one. The contract of unwind_capture holds for capture.
 */
#ifndef APPROF_UNWIND_BACKEND_H
#define APPROF_UNWIND_BACKEND_H

#include "arch_x86_64.h"
#include "unwind.h"
#include "unwind_bounds.h"

struct unwind_backend {
    const char *name;
    bool (*init)(void); /* from the constructor; false if it can't be had here */
    void (*capture)(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack);
    void (*after_fork)(void);
};

extern const struct unwind_backend unwind_approf, unwind_libunwind, unwind_both, unwind_null;

/* A walk under way. pc is the frame as HEAP_FRAME has it: a return address, or an interrupted
 * address plus one, so that pc - 1 always lies in the instruction. */
struct walk {
    uintptr_t pc, sp, fp;
    struct stack_region region;
    struct thread_slot *slot;
    uint32_t module;          /* the id that was last checked in this walk, 0 for none */
    uintptr_t interrupted_sp; /* of the last interrupted frame, 0 before there is one ... */
    uintptr_t registers[ARCH_DWARF_RA]; /* ... and all its registers, by DWARF number */
};

enum walk_step {
    WALK_NEXT, /* pc, sp and fp are the caller's */
    WALK_END,  /* that was the outermost frame */
    WALK_LOST, /* there is no telling: the stack is truncated here */
};

/* Lets libunwind step over one frame whose rule our reader refused. Only once libunwind has been
 * opened (unwind_libunwind.init); WALK_LOST otherwise, and after a fork or under hook_quiet(). */
enum walk_step unwind_libunwind_step(struct walk *walk);

/* Starts a walk, frame 0 being start's. */
void walk_begin(struct walk *walk, const struct unwind_start *start, struct thread_slot *slot);

/* Adds up the hash of a stack, one frame at a time, from 0 and the outermost frame inwards;
 * finished by unwind_hash_end. */
static inline uint64_t unwind_hash_add(uint64_t hash, uint64_t frame)
{
    hash = (hash ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}
static inline uint64_t unwind_hash_end(uint64_t hash, uint32_t n_frames)
{
    hash = (hash ^ n_frames) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

#endif
