/* boot_arena.c - see boot_arena.h. */
#include "boot_arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { ARENA_SIZE = 256 * 1024 };

static char arena[ARENA_SIZE] __attribute__((aligned(4096)));
static size_t used; /* atomic */

void *boot_arena_alloc(size_t size, size_t align)
{
    if (align < 16)
        align = 16;
    size_t start, end, before = __atomic_load_n(&used, __ATOMIC_RELAXED);
    do {
        start = (before + align - 1) & -align;
        if (align > ARENA_SIZE || start > ARENA_SIZE || size > ARENA_SIZE - start) {
            errno = ENOMEM;
            return NULL;
        }
        end = start + (size != 0 ? size : 1);
    } while (!__atomic_compare_exchange_n(&used, &before, end, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_RELAXED));
    return arena + start;
}

bool boot_arena_owns(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena < ARENA_SIZE;
}

bool boot_arena_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_SEQ_CST) != 0;
}

/* What lies behind the block is arena too: copying too much is harmless. */
void boot_arena_copy(void *to, const void *from, size_t room)
{
    size_t rest = (size_t)(arena + ARENA_SIZE - (const char *)from);
    memcpy(to, from, room < rest ? room : rest);
}
