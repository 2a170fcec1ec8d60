/* boot_arena.h - blocks for whoever allocates while the next allocator is still being looked up.
 *
 * A static array that is only handed out, never taken back; a few hundred bytes are typical, mostly
 * none. Lock-free. Returns NULL with ENOMEM when it is used up, and never aborts.
 */
#ifndef APPROF_BOOT_ARENA_H
#define APPROF_BOOT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed. align must be a power of two. */
void *boot_arena_alloc(size_t size, size_t align);
bool boot_arena_owns(const void *p);
bool boot_arena_used(void);
/* Copies a block of the arena, whose size it does not know exactly, into room bytes. */
void boot_arena_copy(void *to, const void *from, size_t room);

#endif
