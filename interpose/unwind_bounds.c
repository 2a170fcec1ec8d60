/* unwind_bounds.c - the extent of stacks. */
#include "unwind_bounds.h"
#include "arch_x86_64.h"
#include "hook_state.h"
#include <sys/resource.h>
#include <unistd.h>

/* Exported by the loader: the stack pointer at the process's start. */
extern void *__libc_stack_end __attribute__((weak));

enum {
    FOREIGN_PROBES = 64, /* pages of foreign stacks in a walk */
    OWN_PROBES = 256,    /* a stack in use of 1 MiB is verified in one walk, of 8 MiB in eight */
};
#define SMALLEST_GAP  (UINT64_C(8) << 20)
#define LARGEST_GAP   (UINT64_C(100) << 20)
#define LARGEST_STACK (UINT64_C(1) << 30)

static uintptr_t initial_thread; /* its thread pointer; 0 if unknown */
static uintptr_t initial_top;
/* The kernel maps nothing else within this far below the initial stack's top. */
static uintptr_t initial_reach;

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(uintptr_t)(ARCH_PAGE - 1);
}

static uintptr_t later(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

void bounds_init(void)
{
    struct rlimit limit;
    if (&__libc_stack_end == NULL || __libc_stack_end == NULL)
        return;
    initial_top = page_of((uintptr_t)__libc_stack_end) + ARCH_PAGE;
    /* The kernel keeps a gap of the stack's limit, but at least 128 MiB, below the initial stack,
     * except where the limit is infinite. */
    initial_reach = SMALLEST_GAP;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > initial_reach)
        initial_reach = limit.rlim_cur < LARGEST_GAP ? limit.rlim_cur : LARGEST_GAP;
    if (gettid() == getpid())
        initial_thread = arch_thread_pointer();
}

void bounds_begin(struct stack_region *region)
{
    *region = (struct stack_region){.probes_left = FOREIGN_PROBES};
}

static bool on_initial_stack(uintptr_t sp)
{
    return sp < initial_top && initial_top - sp <= initial_reach;
}

/* Verifies the thread's own stack down to sp's page. slot->walker is the floor: where it was found
 * to end. The initial stack grows, so its floor is never noted. */
static bool verify_down(struct thread_slot *slot, uintptr_t sp, bool initial)
{
    uintptr_t low = slot->stack_low;
    bool quiet = hook_quiet();
    if (sp < (uintptr_t)slot->walker)
        return false;
    for (unsigned i = 0; low > sp && (i < OWN_PROBES || quiet); i++) {
        uintptr_t page = page_of(low - 1);
        if (quiet) {
            /* On the initial stack there is no doubt, only no proof: go on without. */
            if (!initial)
                break;
        } else if (!arch_probe_readable(page)) {
            if (!initial)
                slot->walker = (void *)low;
            break;
        }
        low = page;
    }
    slot->stack_low = low;
    return low <= sp;
}

void bounds_enter(struct stack_region *region, struct thread_slot *slot, uintptr_t sp, bool current)
{
    region->foreign = false;
    if (sp >= slot->stack_low && sp < slot->stack_high) {
        region->low = later(sp - ARCH_RED_ZONE, slot->stack_low);
        region->high = slot->stack_high;
        return;
    }

    uintptr_t thread = arch_thread_pointer();
    bool initial = on_initial_stack(sp) && (thread == initial_thread || initial_thread == 0);
    uintptr_t top = initial ? initial_top : thread;
    bool own = initial || (initial_thread != 0 && thread != initial_thread && sp < top &&
                           top - sp < LARGEST_STACK);
    if (own && slot->stack_high != top) {
        slot->stack_low = slot->stack_high = top;
        slot->walker = NULL;
    }
    if (own && verify_down(slot, sp, initial)) {
        region->low = later(sp - ARCH_RED_ZONE, slot->stack_low);
        region->high = slot->stack_high;
        return;
    }
    region->foreign = true;
    region->low = current ? later(sp - ARCH_RED_ZONE, page_of(sp)) : sp;
    region->high = current ? page_of(sp) + ARCH_PAGE : sp;
}

bool bounds_extend(struct stack_region *region, uintptr_t address)
{
    if (!region->foreign || address % ARCH_WORD != 0 || address >= ARCH_USER_END)
        return false;
    uintptr_t page = page_of(address);
    if (region->probes_left == 0 || hook_quiet())
        return false;
    region->probes_left--;
    if (!arch_probe_readable(page))
        return false;
    if (page != region->high)
        region->low = page;
    region->high = page + ARCH_PAGE;
    return true;
}
