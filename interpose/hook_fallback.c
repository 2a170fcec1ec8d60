/* hook_fallback.c - for functions that we export although nothing beneath defines them.
 *
 * A program may ask for such a function with a weak reference or dlsym and find ours: it gets what
 * the function promises, made of what the allocator does have. Reached through resolve.c only.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "hook_fallback.h"

/* The program's allocator: through us, unless another stands before us. */
static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
} program = {malloc, free, calloc, realloc, memalign};

void fallback_onto(void *(*find)(const char *symbol))
{
#define ONTO(name)                                                      \
    do {                                                                \
        void *found = find(#name);                                      \
        if (found != NULL)                                              \
            *(void *__attribute__((may_alias)) *)&program.name = found; \
    } while (0)
    ONTO(malloc);
    ONTO(free);
    ONTO(calloc);
    ONTO(realloc);
    ONTO(memalign);
#undef ONTO
}

void *fallback_reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return program.realloc(p, bytes);
}

void fallback_cfree(void *p)
{
    program.free(p);
}

void fallback_free_sized(void *p, size_t size)
{
    (void)size;
    program.free(p);
}

void fallback_free_aligned_sized(void *p, size_t align, size_t size)
{
    (void)align, (void)size;
    program.free(p);
}

/* Without any C++ library there is nobody who could catch bad_alloc; a null pointer it is. */
void *fallback_new(size_t size)
{
    return program.malloc(size != 0 ? size : 1);
}

void *fallback_new_nothrow(size_t size, const void *t)
{
    (void)t;
    return fallback_new(size);
}

void *fallback_new_aligned(size_t size, size_t a)
{
    return program.memalign(a, size != 0 ? size : 1);
}

void *fallback_new_aligned_nothrow(size_t size, size_t a, const void *t)
{
    (void)t;
    return fallback_new_aligned(size, a);
}

void fallback_delete_nothrow(void *p, const void *t)
{
    (void)t;
    program.free(p);
}

void fallback_delete_aligned_nothrow(void *p, size_t a, const void *t)
{
    (void)a, (void)t;
    program.free(p);
}

/* jemalloc's flags: the low six bits are the logarithm of the alignment, the next asks for zeros;
 * the rest choose caches and arenas, which nobody here has. */
#define X_ALIGN(flags) ((size_t)1 << ((flags)&63))
#define X_ZERO         64

void *fallback_mallocx(size_t size, int flags)
{
    if (size == 0)
        return NULL;
    if (X_ALIGN(flags) <= 16)
        return flags & X_ZERO ? program.calloc(1, size) : program.malloc(size);
    void *p = program.memalign(X_ALIGN(flags), size);
    if (p != NULL && flags & X_ZERO)
        memset(p, 0, size);
    return p;
}

void *fallback_rallocx(void *p, size_t size, int flags)
{
    size_t old = malloc_usable_size(p);
    if (X_ALIGN(flags) > 16) {
        void *moved = fallback_mallocx(size, flags);
        if (moved != NULL) {
            memcpy(moved, p, old < size ? old : size);
            program.free(p);
        }
        return moved;
    }
    void *moved = program.realloc(p, size);
    if (moved != NULL && flags & X_ZERO && size > old)
        memset((char *)moved + old, 0, size - old);
    return moved;
}

size_t fallback_xallocx(void *p, size_t size, size_t extra, int flags)
{
    (void)size, (void)extra, (void)flags;
    return malloc_usable_size(p);
}

void fallback_dallocx(void *p, int flags)
{
    (void)flags;
    program.free(p);
}

void fallback_sdallocx(void *p, size_t size, int flags)
{
    (void)size, (void)flags;
    program.free(p);
}
