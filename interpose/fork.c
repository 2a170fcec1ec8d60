/* fork.c - see fork.h. */
#include "fork.h"

#include "hook_state.h"
#include "modules.h"
#include "slots.h"
#include "startup.h"
#include "unwind.h"

bool fork_child_start(void)
{
    if (!slots_child_begin())
        return false;
    if (hook_quiet()) { /* the filter came before the fork: no system calls, so no tables */
        __atomic_store_n(&hook_is_active, false, __ATOMIC_RELEASE);
        return false;
    }
    unwind_after_fork();
    modules_after_fork();
    const struct heap_header *parents = tables_header();
    startup.tables.rate = parents->rate;
    if (!tables_after_fork(&startup.tables)) {
        __atomic_store_n(&hook_is_active, false, __ATOMIC_RELEASE);
        return false;
    }
    slots_child_done();
    return true;
}
