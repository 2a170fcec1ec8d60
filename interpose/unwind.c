/* unwind.c - picks the walker (APPROF_UNWIND) and hands on to it. */
#include "hook_state.h"
#include "modules.h"
#include "unwind_backend.h"
#include <string.h>

static const struct unwind_backend *const backends[] = {&unwind_approf, &unwind_libunwind,
                                                        &unwind_both, &unwind_null};

/* Written once, by the constructor; a walk before that uses the default. */
static const struct unwind_backend *chosen = &unwind_approf;

bool unwind_init(const char *backend)
{
    modules_init();
    bounds_init();
    if (backend == NULL || backend[0] == 0)
        backend = unwind_approf.name;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        if (strcmp(backends[i]->name, backend) == 0 && backends[i]->init()) {
            chosen = backends[i];
            return true;
        }
    }
    hook_complain("unwind", "APPROF_UNWIND: this stack walker can't be had, the default is used",
                  "libunwind is libunwind-x86_64.so.8, Debian's package libunwind8");
    return false;
}

void unwind_capture(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack)
{
    chosen->capture(start, slot, max, stack);
}

void unwind_after_fork(void)
{
    chosen->after_fork();
}
