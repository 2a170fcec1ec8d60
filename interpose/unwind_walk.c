/* unwind_walk.c - the walker itself: frames are stepped over by cached rules (unwind_rules), which
 * are learned from the module's CFI (modules, cfi) when first met. */
#include "arch_x86_64.h"
#include "modules.h"
#include "unwind_backend.h"
#include "unwind_memory.h"
#include "unwind_rules.h"
#include <string.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A frame pointer that nothing follows from: every address made of it is misaligned. */
enum { LOST_FP = 1 };

static uintptr_t load(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

void walk_begin(struct walk *walk, const struct unwind_start *start, struct thread_slot *slot)
{
    walk->pc = start->pc;
    walk->sp = start->sp;
    walk->fp = start->fp;
    walk->slot = slot;
    walk->module = 0;
    walk->interrupted_sp = 0;
    bounds_begin(&walk->region);
    bounds_enter(&walk->region, slot, start->sp, true);
}

/* What to do about frames at pc in this module. */
static uint64_t make_rule(const struct module_view *module, uintptr_t pc)
{
    struct cfi_tables tables = {.hdr = module->eh_frame_hdr,
                                .hdr_end = (const uint8_t *)module->eh_frame_hdr_end,
                                .frame = (const uint8_t *)module->eh_start,
                                .frame_end = (const uint8_t *)module->eh_end};
    struct cfi_rule cfi;
    enum cfi_status status = tables.hdr == NULL ? CFI_NONE : cfi_find_rule(&tables, pc - 1, &cfi);

    /* A handler's return address is the trampoline's first byte. C libraries mark it in the CFI (or
     * have none for it), others of the sort don't use the mark as we would; so the code decides. */
    bool may_be_signal = status == CFI_NONE || (status == CFI_FOUND && cfi.signal);
    if (may_be_signal && pc >= module->text_start && pc < module->text_end &&
        module->text_end - pc >= ARCH_SIGRETURN_BYTES && arch_is_sigreturn((const uint8_t *)pc))
        return RULE_VALID | RULE_SPECIAL | RULE_SIGNAL;

    if (status == CFI_NONE)
        return RULE_VALID | RULE_SPECIAL | RULE_NO_CFI;
    if (status == CFI_REFUSED || cfi.signal)
        return RULE_VALID | RULE_SPECIAL | RULE_REFUSED;
    return rule_pack(&cfi);
}

/* The rule and frame for walk->pc when the table has none that may be used as it is. cached is what
 * it has, or 0. */
static __attribute__((noinline)) uint64_t learn(struct walk *walk, uint64_t cached, uint64_t *frame)
{
    uintptr_t pc = walk->pc;
    uint32_t id = HEAP_FRAME_MODULE(*frame);
    if (cached != 0 && (id == walk->module || modules_check(id, pc - 1))) {
        walk->module = id;
        return cached;
    }
    struct module_view module;
    if (!modules_find(pc - 1, &module)) {
        *frame = HEAP_FRAME(0, pc);
        return RULE_VALID | RULE_SPECIAL | RULE_NO_CFI;
    }
    *frame = HEAP_FRAME(module.id, pc);
    uint64_t rule = make_rule(&module, pc);
    if (module.permanent)
        rule |= RULE_PERMANENT;
    if (module.id != 0) {
        rule_insert(*frame, rule);
        walk->module = module.id;
    }
    return rule;
}

/* Without CFI: the frame record that the frame pointer should point at, if it looks like one. A
 * function that doesn't keep a frame pointer leaves any value there, so the return address must lie
 * in a module's code, or the saved frame pointer further up the same stack. */
static enum walk_step by_frame_pointer(struct walk *walk, bool in_module)
{
    uintptr_t fp = walk->fp;
    if (fp == 0 && in_module)
        return WALK_END; /* the ABI's mark of the outermost frame, which the loader's start has */
    if (fp % ARCH_WORD != 0 || fp < walk->sp || !bounds_hold(&walk->region, fp) ||
        !bounds_hold(&walk->region, fp + ARCH_WORD))
        return WALK_LOST;
    uintptr_t saved = load(fp), pc = load(fp + ARCH_WORD);
    if (pc == 0)
        return WALK_END;
    if (pc >= ARCH_USER_END)
        return WALK_LOST;
    bool chained = saved > fp && saved % ARCH_WORD == 0 && saved < walk->region.high;
    struct module_view module;
    if (!chained &&
        !(modules_find(pc - 1, &module) && pc - 1 >= module.text_start && pc - 1 < module.text_end))
        return WALK_LOST;
    walk->pc = pc;
    walk->sp = fp + ARCH_FRAME_RECORD;
    walk->fp = saved;
    return WALK_NEXT;
}

/* From a signal's trampoline to the code that the signal interrupted, maybe on another stack. */
static enum walk_step over_signal(struct walk *walk)
{
    uintptr_t context = walk->sp;
    if (context % ARCH_WORD != 0)
        return WALK_LOST;
    for (unsigned reg = 0; reg < ARCH_DWARF_RA; reg++) {
        uintptr_t at = context + arch_signal_register(reg);
        if (!bounds_hold(&walk->region, at))
            return WALK_LOST;
        walk->registers[reg] = load(at);
    }
    if (!bounds_hold(&walk->region, context + ARCH_SIGNAL_PC))
        return WALK_LOST;
    uintptr_t pc = load(context + ARCH_SIGNAL_PC), sp = walk->registers[ARCH_DWARF_SP];
    if (pc >= ARCH_USER_END - 1 || sp >= ARCH_USER_END)
        return WALK_LOST;
    if (sp < context || sp - walk->region.low >= walk->region.high - walk->region.low)
        bounds_enter(&walk->region, walk->slot, sp, false);
    walk->pc = pc + 1;
    walk->sp = walk->interrupted_sp = sp;
    walk->fp = walk->registers[ARCH_DWARF_FP];
    return WALK_NEXT;
}

/* Steps over the frame by a rule that the fast path doesn't know, or with an address that it found
 * outside of the region. */
static __attribute__((noinline)) enum walk_step special(struct walk *walk, uint64_t rule,
                                                        bool in_module)
{
    if (rule & RULE_END)
        return WALK_END;
    if (rule & RULE_SIGNAL)
        return over_signal(walk);
    if (rule & RULE_NO_CFI)
        return by_frame_pointer(walk, in_module);
    if (rule & RULE_REFUSED)
        return unwind_libunwind_step(walk);

    uintptr_t cfa = rule & RULE_BASE_FP ? walk->fp : walk->sp;
    if (rule & RULE_DEREF) {
        cfa += (uintptr_t)rule_load_offset(rule);
        if (cfa % ARCH_WORD != 0 || !bounds_hold(&walk->region, cfa))
            return WALK_LOST;
        cfa = load(cfa) + (uintptr_t)rule_load_addend(rule);
    } else if (rule & RULE_BASE_OTHER) {
        /* The stack pointer only grows from frame to frame, so this is the interrupted one. */
        if (walk->sp != walk->interrupted_sp || rule_register(rule) >= ARCH_DWARF_RA)
            return WALK_LOST;
        cfa = walk->registers[rule_register(rule)] + (uintptr_t)rule_load_offset(rule);
    } else {
        cfa += (uintptr_t)rule_cfa_offset(rule);
    }
    uintptr_t slot = cfa + ARCH_RA_OFFSET;
    if (cfa <= walk->sp || cfa % ARCH_WORD != 0 || !bounds_hold(&walk->region, slot))
        return WALK_LOST;
    uintptr_t pc = load(slot), fp = walk->fp;
    if (rule & RULE_FP_LOST) {
        fp = LOST_FP;
    } else if (rule & (RULE_FP_SAVED | RULE_FP_AT_FP | RULE_FP_AT_SP)) {
        uintptr_t at = rule & RULE_FP_SAVED ? cfa : rule & RULE_FP_AT_FP ? walk->fp : walk->sp;
        at += (uintptr_t)rule_fp_offset(rule);
        /* Compilers leave such rules standing where an epilogue has popped the register already.
         * Often nobody further out asks for it. */
        fp = at % ARCH_WORD == 0 && bounds_hold(&walk->region, at) ? load(at) : LOST_FP;
    }
    if (pc == 0)
        return WALK_END;
    if (pc >= ARCH_USER_END)
        return WALK_LOST;
    walk->pc = pc;
    walk->sp = cfa;
    walk->fp = fp;
    return WALK_NEXT;
}

/* Keeps the compiler from pairing two walk registers in a vector register, which costs more on the
 * way from one return address to the next than all else. */
#define SCALAR(x) __asm__("" : "+r"(x))

static __attribute__((noinline)) void walk_stack(const struct unwind_start *start,
                                                 struct thread_slot *slot, uint32_t max,
                                                 struct unwind_stack *stack)
{
    struct walk walk;
    struct recall recall;
    walk_begin(&walk, start, slot);
    recall_start(&recall, &walk, max);
    recall_begin(&recall, &walk);
    struct fresh_frame *fresh = recall.memory != NULL ? recall.memory->fresh : NULL;
    uintptr_t pc = walk.pc, sp = walk.sp, fp = walk.fp;
    uintptr_t low = walk.region.low, size = walk.region.high - low;
    uint32_t n = 0;
    bool ended = false;
    enum walk_step step = WALK_NEXT;

    while (n < max) {
        uint64_t frame, rule;
        SCALAR(pc);
        SCALAR(sp);
        SCALAR(fp);
        if (UNLIKELY(sp >= recall.until)) {
            walk.pc = pc;
            walk.sp = sp;
            walk.fp = fp;
            recall.n = n;
            ended = recall_frames(&recall, &walk, max, stack);
            if (ended)
                step = WALK_END;
            n = recall.n;
            pc = walk.pc;
            sp = walk.sp;
            fp = walk.fp;
            if (ended || n == max)
                break;
        }

        bool known = rule_find(pc, &frame, &rule);
        if (UNLIKELY(!known) ||
            (UNLIKELY(!(rule & RULE_PERMANENT)) && HEAP_FRAME_MODULE(frame) != walk.module)) {
            uint64_t learnt = frame; /* its address is taken, and frame is to stay in a register */
            walk.pc = pc;
            rule = learn(&walk, known ? rule : 0, &learnt);
            frame = learnt;
        }
        stack->room[n] = frame;
        if (fresh != NULL) {
            fresh[n].sp = sp;
            fresh[n].fp = fp;
            fresh[n].rule = rule;
        }
        n++;

        uintptr_t cfa = (rule & RULE_BASE_FP ? fp : sp) + (uintptr_t)rule_cfa_offset(rule);
        uintptr_t saved_at = cfa + (uintptr_t)rule_fp_offset(rule);
        bool plain = cfa > sp && cfa % ARCH_WORD == 0 && cfa + ARCH_RA_OFFSET - low < size &&
                     (!(rule & RULE_FP_SAVED) || saved_at - low < size);
        if (UNLIKELY((rule & RULE_SPECIAL) || !plain)) {
            if (fresh != NULL)
                fresh[n - 1].rule |= RULE_SPECIAL;
            walk.pc = pc;
            walk.sp = sp;
            walk.fp = fp;
            step = special(&walk, rule, HEAP_FRAME_MODULE(frame) != 0);
            if (step != WALK_NEXT) {
                ended = (rule & RULE_END) && (rule & RULE_PERMANENT);
                break;
            }
            pc = walk.pc;
            sp = walk.sp;
            fp = walk.fp;
            low = walk.region.low;
            size = walk.region.high - low;
            recall_begin(&recall, &walk);
            continue;
        }

        pc = load(cfa + ARCH_RA_OFFSET);
        if (rule & RULE_FP_SAVED)
            fp = load(saved_at);
        sp = cfa;
        if (UNLIKELY(pc - 1 >= ARCH_USER_END - 1)) {
            step = pc == 0 ? WALK_END : WALK_LOST;
            break;
        }
    }

    stack->flags = step == WALK_NEXT   ? HEAP_STACK_DEEP
                   : step == WALK_LOST ? HEAP_STACK_TRUNCATED
                                       : 0;
    walk.sp = sp;
    recall.n = n;
    remember(&recall, &walk, ended, stack);
}

static void capture(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack)
{
    struct walk_memory *memory = slot->memory;
    if (memory != NULL) {
        unsigned home = walk_home(walk_key(start->pc, start->sp));
        struct walked_stack *same = &memory->stacks[home];
        if (UNLIKELY(!walked_again(same, start, slot, max)))
            same = walked_elsewhere(memory, start, slot, max);
        if (LIKELY(same != NULL)) {
            stack->n_frames = same->count;
            stack->flags = 0;
            stack->hash = same->hash;
            stack->frames = &same->frames[WALK_MEMORY - same->count];
            stack->place = &same->place;
            return;
        }
    }
    walk_stack(start, slot, max, stack);
}

static bool always(void)
{
    return true;
}

static void nothing(void)
{
}

const struct unwind_backend unwind_approf = {
    .name = "approf",
    .init = always,
    .capture = capture,
    .after_fork = nothing,
};

/* The caller alone. */
static void capture_none(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                         struct unwind_stack *stack)
{
    struct module_view module;
    (void)slot;
    stack->n_frames = max > 0 ? 1 : 0;
    stack->flags = HEAP_STACK_TRUNCATED;
    stack->room[0] = HEAP_FRAME(modules_find(start->pc - 1, &module) ? module.id : 0, start->pc);
    stack->frames = stack->room;
    stack->place = NULL;
    stack->hash = unwind_hash_end(unwind_hash_add(0, stack->room[0]), stack->n_frames);
}

const struct unwind_backend unwind_null = {
    .name = "null",
    .init = always,
    .capture = capture_none,
    .after_fork = nothing,
};
