/* sanitizer.c - see sanitizer.h. */
#include "sanitizer.h"

#include <stddef.h>
#include <sys/auxv.h>

#include "elf_lookup.h"
#include "hook_state.h"
#include "options.h"

void sanitizer_start(void)
{
    const struct link_map *runtime = NULL;
    void (*init)(void);
    *(void **)&init = elf_lookup_from(elf_first_object(), "__asan_init", &runtime);
    if (init == NULL || runtime == elf_first_object()) /* a static one does not look around */
        return;
    /* An object without a name is passed over, as the kernel's page has none in old C libraries. */
    struct link_map *own = (struct link_map *)elf_own_object();
    char *name = own->l_name;
    own->l_name = (char *)"";
    init();
    own->l_name = name;
}

/* gcc's static runtimes export only what they replace. No mere allocator replaces these. */
static bool is_static_runtime(const struct link_map *program)
{
    static const char *const replaced[] = {"malloc", "_exit", "pthread_create"};
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (elf_lookup_in(program, replaced[i]) == NULL)
            return false;
    return true;
}

/* options_read calls functions that may be the runtime's. */
static bool asks_for_words(char **environment)
{
    static const char wanted[] = "APPROF_VERBOSE=1";
    for (; environment != NULL && *environment != NULL; environment++) {
        size_t i = 0;
        while (i < sizeof wanted && (*environment)[i] == wanted[i])
            i++;
        if (i == sizeof wanted)
            return getauxval(AT_SECURE) == 0;
    }
    return false;
}

bool sanitizer_allocates(char **environment)
{
    const struct link_map *program = elf_first_object();
    if (elf_lookup_from(program, "__sanitizer_get_ownership", NULL) == NULL &&
        !is_static_runtime(program))
        return false;
    hook_options.verbose = asks_for_words(environment);
    hook_say("a sanitizer's allocator is in this process: not profiled");
    return true;
}
