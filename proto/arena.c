/* arena.c - memory that is given back all at once (see arena.h).
 *
 * Two kinds of chunk, each one mapping. The head of the list serves small allocations from its free
 * end. Large allocations get a chunk of their own behind the head, which mremap can grow without
 * copying a byte: arrays of unknown length cost their size once, not twice.
 */
#include "arena.h"

#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum {
    ALIGNMENT = 16,
    PAGE = 4096, /* granularity of mappings; larger pages only make mmap round up further */
    FIRST_CHUNK = 64 << 10,
    LARGEST_CHUNK = 1 << 20,
    LARGE = 128 << 10, /* from here on an allocation has a chunk of its own ... */
    HUGE = 4 << 20,    /* ... and from here on of large pages, where the system has them */
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t mapped; /* bytes, this header included */
    size_t used;   /* likewise */
    bool own;      /* holds a single large allocation */
};

enum { HEADER = (sizeof(struct arena_chunk) + ALIGNMENT - 1) & ~(ALIGNMENT - 1) };

static bool round_up(size_t size, size_t unit, size_t *rounded)
{
    if (__builtin_add_overflow(size, unit - 1, rounded))
        return false;
    *rounded &= ~(unit - 1);
    return true;
}

static uint8_t *chunk_data(struct arena_chunk *chunk)
{
    return (uint8_t *)chunk + HEADER;
}

void arena_init(struct arena *arena, size_t limit)
{
    *arena = (struct arena){.limit = limit};
}

static bool may_map(const struct arena *arena, size_t more)
{
    size_t sum;
    return !__builtin_add_overflow(arena->used, more, &sum) &&
           (!arena->limit || sum <= arena->limit);
}

static struct arena_chunk *map_chunk(struct arena *arena, size_t size)
{
    if (!may_map(arena, size))
        return NULL;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    arena->used += size;
    struct arena_chunk *chunk = p;
    chunk->mapped = size;
    return chunk;
}

static void *fail(struct arena *arena)
{
    arena->failed = true;
    return NULL;
}

static void *alloc_large(struct arena *arena, size_t size)
{
    size_t mapped;
    if (__builtin_add_overflow(size, (size_t)HEADER, &mapped) || !round_up(mapped, PAGE, &mapped))
        return fail(arena);
    struct arena_chunk *chunk = map_chunk(arena, mapped);
    if (!chunk)
        return fail(arena);
    /* Hints, so that failure is no matter. What is this large is about to be filled: all its pages
     * at once cost a fraction of a fault for each. */
    madvise(chunk, mapped, size < HUGE ? MADV_POPULATE_WRITE : MADV_HUGEPAGE);
    chunk->own = true;
    chunk->used = HEADER + size;
    if (arena->chunks) {
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        arena->chunks = chunk;
    }
    return chunk_data(chunk);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (!round_up(size ? size : 1, ALIGNMENT, &size))
        return fail(arena);
    if (size >= LARGE)
        return alloc_large(arena, size);
    struct arena_chunk *head = arena->chunks;
    if (!head || head->own || head->mapped - head->used < size) {
        size_t want = FIRST_CHUNK;
        if (head && !head->own)
            want = head->mapped < LARGEST_CHUNK ? 2 * head->mapped : LARGEST_CHUNK;
        while (want < size + HEADER)
            want *= 2;
        struct arena_chunk *chunk = map_chunk(arena, want);
        if (!chunk)
            return fail(arena);
        chunk->used = HEADER;
        chunk->next = head;
        arena->chunks = head = chunk;
    }
    void *p = (uint8_t *)head + head->used;
    head->used += size;
    return p;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return fail(arena);
    return arena_alloc(arena, bytes);
}

/* Grows the chunk at *link, which holds one large allocation. */
static void *grow_large(struct arena *arena, struct arena_chunk **link, size_t new_size)
{
    struct arena_chunk *chunk = *link;
    size_t mapped;
    if (__builtin_add_overflow(new_size, (size_t)HEADER, &mapped) ||
        !round_up(mapped, PAGE, &mapped))
        return fail(arena);
    if (mapped > chunk->mapped) {
        size_t more = mapped - chunk->mapped;
        if (!may_map(arena, more))
            return fail(arena);
        void *moved = mremap(chunk, chunk->mapped, mapped, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED)
            return fail(arena);
        chunk = moved;
        chunk->mapped = mapped;
        arena->used += more;
        *link = chunk;
    }
    chunk->used = HEADER + new_size;
    return chunk_data(chunk);
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (!old)
        return arena_alloc(arena, new_size);
    if (new_size <= old_size)
        return old;
    if (old_size >= LARGE - ALIGNMENT) {
        for (struct arena_chunk **link = &arena->chunks; *link; link = &(*link)->next)
            if ((*link)->own && chunk_data(*link) == old)
                return grow_large(arena, link, new_size);
    }
    struct arena_chunk *head = arena->chunks;
    size_t have, want;
    if (!round_up(old_size ? old_size : 1, ALIGNMENT, &have) ||
        !round_up(new_size, ALIGNMENT, &want))
        return fail(arena);
    if (head && !head->own && want < LARGE &&
        (uint8_t *)old + have == (uint8_t *)head + head->used &&
        want - have <= head->mapped - head->used) {
        head->used += want - have;
        return old;
    }
    void *p = arena_alloc(arena, new_size);
    if (p)
        memcpy(p, old, old_size);
    return p;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t n)
{
    if (n == SIZE_MAX)
        return fail(arena);
    char *p = arena_alloc(arena, n + 1);
    if (p && n)
        memcpy(p, bytes, n);
    return p;
}

void arena_free(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        munmap(chunk, chunk->mapped);
        chunk = next;
    }
    arena_init(arena, arena->limit);
}
