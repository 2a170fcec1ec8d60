/* hook_jemalloc.c - jemalloc's own API: mallocx, rallocx, xallocx, dallocx, sdallocx.
 *
 * nallocx and sallocx only compute or look up sizes, and mallctl has no blocks of the program's.
 */
#include "hooks.h"

void *counted_mallocx(size_t size, int flags)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    return hook_leave(slot, real_mallocx(size, flags), size, &start);
}

void *counted_rallocx(void *p, size_t size, int flags)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    struct hook_move move;
    hook_move_begin(slot, &move, p);
    void *moved = real_rallocx(p, size, flags);
    hook_move_end(&move, moved != NULL);
    return hook_leave(slot, moved, size, &start);
}

/* Grows or shrinks in place and returns the real size afterwards: at least size when it worked. It
 * counts, like realloc, as a free and a new allocation of the size asked for; when it did not
 * reach that size nothing has changed for us. */
size_t counted_xallocx(void *p, size_t size, size_t extra, int flags)
{
    struct unwind_start start = UNWIND_START_HERE();
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    struct hook_move move;
    hook_move_begin(slot, &move, p);
    size_t reached = real_xallocx(p, size, extra, flags);
    hook_move_end(&move, reached >= size);
    hook_leave(slot, reached >= size ? p : NULL, size, &start);
    return reached;
}

void counted_dallocx(void *p, int flags)
{
    if (!hook_not_live(p))
        hook_forget(p, HOOK_FRAME());
    real_dallocx(p, flags);
}

void counted_sdallocx(void *p, size_t size, int flags)
{
    if (!hook_not_live(p))
        hook_forget(p, HOOK_FRAME());
    real_sdallocx(p, size, flags);
}
