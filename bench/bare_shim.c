/* bare_shim.c - a preload that only forwards: what any preload costs before it does anything.
 *
 * The pointers start out as functions that look up the real ones, so that nothing is tested on the
 * way. glibc's dlsym allocates nothing when it finds what it looks for.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static void *first_malloc(size_t size);
static void *first_calloc(size_t n, size_t size);
static void *first_realloc(void *p, size_t size);
static void first_free(void *p);

static void *(*real_malloc)(size_t) = first_malloc;
static void *(*real_calloc)(size_t, size_t) = first_calloc;
static void *(*real_realloc)(void *, size_t) = first_realloc;
static void (*real_free)(void *) = first_free;

/* The signatures are the C library's own. */
static void look_up(void)
{
    real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}

static void *first_malloc(size_t size)
{
    look_up();
    return real_malloc(size);
}

static void *first_calloc(size_t n, size_t size)
{
    look_up();
    return real_calloc(n, size);
}

static void *first_realloc(void *p, size_t size)
{
    look_up();
    return real_realloc(p, size);
}

static void first_free(void *p)
{
    look_up();
    real_free(p);
}

EXPORT void *malloc(size_t size)
{
    return real_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return real_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t size)
{
    return real_realloc(p, size);
}

EXPORT void free(void *p)
{
    real_free(p);
}
