/* walker_pending.c - stands in for parts of the hook that the walker and the tables need and that are
 * not in the tree yet: weak, so that they take over by being linked. Goes as soon as they are there. */
#include "hook_state.h"

__attribute__((weak)) bool hook_quiet(void)
{
    return false;
}

__attribute__((weak)) void hook_complain(const char *key, const char *text, const char *hint)
{
    (void)key, (void)text, (void)hint;
}

__attribute__((weak)) void hook_say(const char *text)
{
    (void)text;
}
