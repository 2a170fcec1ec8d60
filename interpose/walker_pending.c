/* walker_pending.c - stands in for parts of the hook that the walker needs and that are not in the
 * tree yet: weak, so that they take over by being linked. Goes as soon as they are there. */
#include "hook_state.h"
#include "tables.h"

__attribute__((weak)) bool hook_quiet(void)
{
    return false;
}

__attribute__((weak)) void hook_complain(const char *key, const char *text, const char *hint)
{
    (void)key, (void)text, (void)hint;
}

__attribute__((weak)) uint32_t tables_add_module(const struct heap_module *module)
{
    (void)module;
    return 0;
}

__attribute__((weak)) struct heap_module *tables_module(uint32_t id)
{
    (void)id;
    return NULL;
}
