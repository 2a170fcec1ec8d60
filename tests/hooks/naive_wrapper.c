/* library: cflags=-fPIC,-O1,-fno-builtin libs=-ldl */
/* naive_wrapper - a malloc of the kind that people write: each function asks dlsym for the next one
 * when it is first called, and dlsym itself allocates; malloc calls calloc, and realloc malloc.
 * (pitfalls: hang or deadlock during start, dlsym calls calloc; wrong "real" malloc under another
 * preload; calloc calls malloc: counted twice) */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *calloc(size_t n, size_t size);

static __thread volatile int asking; /* dlsym is declared as never calling back */
static char early[65536] __attribute__((aligned(16)));
static size_t early_used;

static void *from_early(size_t size)
{
    size_t at = __atomic_fetch_add(&early_used, (size + 15) & ~(size_t)15, __ATOMIC_RELAXED);
    return at + size <= sizeof early ? early + at : NULL;
}

static int is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

/* NULL while dlsym is being asked, which is when the early room serves. */
static void *next(void **function, const char *name)
{
    if (*function == NULL && !asking) {
        asking = 1;
        void *probe = dlsym(RTLD_NEXT, "no such function, so that dlerror's text is allocated");
        *function = probe != NULL ? probe : dlsym(RTLD_NEXT, name);
        asking = 0;
    }
    return *function;
}

void *malloc(size_t size)
{
    return calloc(1, size);
}

void *calloc(size_t n, size_t size)
{
    static void *function;
    void *(*call)(size_t, size_t) = (void *(*)(size_t, size_t))next(&function, "calloc");
    return call != NULL ? call(n, size) : from_early(n * size);
}

void *realloc(void *p, size_t size)
{
    static void *function;
    void *(*call)(void *, size_t) = (void *(*)(void *, size_t))next(&function, "realloc");
    if (p == NULL)
        return malloc(size);
    if (!is_early(p))
        return call != NULL ? call(p, size) : from_early(size);
    void *moved = malloc(size);
    size_t room = (size_t)(early + sizeof early - (char *)p);
    return moved != NULL ? memcpy(moved, p, size < room ? size : room) : NULL;
}

void free(void *p)
{
    static void *function;
    void (*call)(void *) = (void (*)(void *))next(&function, "free");
    if (call != NULL && !is_early(p))
        call(p);
}
