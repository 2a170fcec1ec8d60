/* walker_stubs.h - what the walker asks of the rest of the hook, in a few lines, so that tests can
 * link it alone. Include it in one source of a test only. */
#ifndef APPROF_WALKER_STUBS_H
#define APPROF_WALKER_STUBS_H

#include "hook_state.h"
#include "tables.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STUB_MODULES = 4096 };
static struct heap_module stub_modules[STUB_MODULES + 1];
static uint32_t stub_n_modules; /* modules.c adds one at a time */
static bool stub_quiet;

bool hook_quiet(void)
{
    return stub_quiet;
}

void hook_say(const char *text)
{
    (void)text;
}

void hook_complain(const char *key, const char *text, const char *hint)
{
    dprintf(STDERR_FILENO, "approf: %s: %s\nhint: %s\n", key, text, hint);
}

uint32_t tables_add_module(const struct heap_module *module)
{
    if (stub_n_modules == STUB_MODULES)
        return 0;
    stub_modules[++stub_n_modules] = *module;
    return stub_n_modules;
}

struct heap_module *tables_module(uint32_t id)
{
    return id >= 1 && id <= stub_n_modules ? &stub_modules[id] : NULL;
}

#endif
