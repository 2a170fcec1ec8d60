/* hook_state_weak.c - hook_state.h for programs that have tables but no hook: never quiet, nothing
 * to say. Weak: the hook's own definitions take their place. */
#include "hook_state.h"

__attribute__((weak)) bool hook_quiet(void)
{
    return false;
}

__attribute__((weak)) void hook_say(const char *text)
{
    (void)text;
}

__attribute__((weak)) void hook_complain(const char *key, const char *text, const char *hint)
{
    (void)key;
    (void)text;
    (void)hint;
}
