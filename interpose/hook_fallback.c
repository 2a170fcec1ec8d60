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

void *fallback_reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return target_realloc(p, bytes);
}

void fallback_cfree(void *p)
{
    free(p);
}

void fallback_free_sized(void *p, size_t size)
{
    (void)size;
    free(p);
}

void fallback_free_aligned_sized(void *p, size_t align, size_t size)
{
    (void)align, (void)size;
    free(p);
}

/* Without any C++ library there is nobody who could catch bad_alloc; a null pointer it is. */
void *fallback_new(size_t size)
{
    return malloc(size != 0 ? size : 1);
}

void *fallback_new_nothrow(size_t size, const void *t)
{
    (void)t;
    return fallback_new(size);
}

void *fallback_new_aligned(size_t size, size_t a)
{
    return target_memalign(a, size != 0 ? size : 1);
}

void *fallback_new_aligned_nothrow(size_t size, size_t a, const void *t)
{
    (void)t;
    return fallback_new_aligned(size, a);
}

void fallback_delete_nothrow(void *p, const void *t)
{
    (void)t;
    free(p);
}

void fallback_delete_aligned_nothrow(void *p, size_t a, const void *t)
{
    (void)a, (void)t;
    free(p);
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
        return flags & X_ZERO ? target_calloc(1, size) : malloc(size);
    void *p = target_memalign(X_ALIGN(flags), size);
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
            free(p);
        }
        return moved;
    }
    void *moved = target_realloc(p, size);
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
    free(p);
}

void fallback_sdallocx(void *p, size_t size, int flags)
{
    (void)size, (void)flags;
    free(p);
}
