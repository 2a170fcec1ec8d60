/* hook_state.h - what all parts of the hook ask of the whole. */
#ifndef APPROF_HOOK_STATE_H
#define APPROF_HOOK_STATE_H

#include <stdbool.h>

/* True while allocations are counted in this process: from the constructor's end on, unless the
 * process is not to be profiled or no tables could be had. */
extern bool hook_is_active;
static inline bool hook_active(void)
{
    return __atomic_load_n(&hook_is_active, __ATOMIC_ACQUIRE);
}

/* True once the target has installed a seccomp filter (or asked for strict mode): from then on the
 * hook makes no system call. */
bool hook_quiet(void);
void hook_become_quiet(void);

/* One line on stderr, at most once per key for the life of the process: "approf: ...". No stdio, no
 * allocation. Only for what must be said: bad variables, and with APPROF_VERBOSE everything else.
 */
void hook_say(const char *text); /* only with APPROF_VERBOSE */
void hook_complain(const char *key, const char *text, const char *hint);

#endif
