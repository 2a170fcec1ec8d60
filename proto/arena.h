/* arena.h - memory that is given back all at once.
 *
 * Pages come straight from mmap, so an arena works inside a profiled process, where the target's
 * heap must never be touched, as well as in the command line tool. Zeroed, 16-aligned. Not
 * thread-safe: one owner at a time. An arena may be embedded; arena_init only sets fields, nothing
 * is mapped before the first allocation.
 */
#ifndef APPROF_ARENA_H
#define APPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes mapped so far */
    size_t limit;               /* most bytes that may be mapped; 0 is no limit */
    bool failed;                /* an allocation could not be served; sticky */
};

void arena_init(struct arena *arena, size_t limit);

/* NULL when the limit or the system refuses; arena->failed is set then. size 0 gives a unique
 * pointer. */
void *arena_alloc(struct arena *arena, size_t size);

/* count * size with overflow check. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* Grows an array that this arena gave out: the newest allocation of a chunk grows in place when
 * there is room, otherwise it is copied. old may be NULL. Returns NULL on failure, old stays valid.
 */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);

/* A NUL-terminated copy. */
char *arena_copy(struct arena *arena, const char *bytes, size_t n);

/* Unmaps everything; the arena may be used again. */
void arena_free(struct arena *arena);

#endif
