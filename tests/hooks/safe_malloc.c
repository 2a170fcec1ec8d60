/* library: cflags=-fPIC,-O1,-fno-builtin */
/* safe_malloc - an allocator without locks or state that could be torn: an address is taken by one
 * atomic addition, and nothing is ever given back. Programs may use it in signal handlers, whatever
 * these interrupted; with the hook over it, what goes wrong there is the hook's. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 16 };
static const size_t room = (size_t)1 << 33;
static uintptr_t start; /* atomic */
static uintptr_t used = 64;

static uintptr_t memory(void)
{
    uintptr_t at = __atomic_load_n(&start, __ATOMIC_ACQUIRE), nothing = 0;
    if (at != 0)
        return at;
    void *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        return 0;
    if (__atomic_compare_exchange_n(&start, &nothing, (uintptr_t)p, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return (uintptr_t)p;
    munmap(p, room);
    return nothing;
}

static void *take(size_t align, size_t size)
{
    uintptr_t base = memory();
    size_t whole = HEAD + align + ((size + 15) & ~(size_t)15);
    if (base == 0 || size > room / 4) {
        errno = ENOMEM;
        return NULL;
    }
    size_t at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (at + whole > room) {
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t p = (base + at + HEAD + align - 1) & ~(uintptr_t)(align - 1);
    ((size_t *)p)[-1] = size;
    return (void *)p;
}

void *malloc(size_t size)
{
    return take(16, size);
}

void free(void *p)
{
    (void)p;
}

void *calloc(size_t n, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(n, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return take(16, whole); /* fresh pages are zero, and none is used twice */
}

void *realloc(void *p, size_t size)
{
    void *moved = take(16, size);
    if (moved == NULL || p == NULL)
        return moved;
    size_t old = ((size_t *)p)[-1];
    return memcpy(moved, p, old < size ? old : size);
}

void *memalign(size_t align, size_t size)
{
    return take(align < 16 ? 16 : align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
    void *p = memalign(align, size);
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

/* By this name the hook takes it for mimalloc, whose malloc asks nobody else's either: it is met by
 * the fast path. */
void *mi_malloc(size_t size)
{
    return take(16, size);
}

size_t malloc_usable_size(void *p)
{
    return p != NULL ? ((size_t *)p)[-1] : 0;
}
