/* target: cflags=-O1,-fno-builtin,-fno-inline libs=-lstdc++,-lpthread */
/* exact_sites - allocates known amounts through every function of the hook's list, in four threads
 * that also free each other's blocks, and writes to the file named by its argument what each call
 * site did:
 *
 *     site alloc_objects alloc_bytes inuse_objects inuse_bytes
 *
 * A call site is a function site_*; a profile's sample belongs to the first such frame. For the
 * count only what the functions answered matters: a NULL changes nothing.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The formatter never settles on one layout of this. */
/* clang-format off */
#define SITES(X) \
    X(malloc) X(malloc_zero) X(calloc) X(realloc_new) X(realloc_up) X(realloc_down) \
    X(realloc_zero) X(reallocarray) X(memalign) X(aligned_alloc) X(posix_memalign) X(valloc) \
    X(pvalloc) X(new) X(new_array) X(new_nothrow) X(new_array_nothrow) X(new_aligned) \
    X(new_array_aligned) X(new_aligned_nothrow) X(new_array_aligned_nothrow) X(mallocx) \
    X(rallocx) X(xallocx) X(strdup) X(failures)
/* clang-format on */

enum site {
#define X(name) SITE_##name,
    SITES(X)
#undef X
        N_SITES
};
static const char *const site_names[] = {
#define X(name) "site_" #name,
    SITES(X)
#undef X
};

enum { THREADS = 4, STEPS = 3000, KEPT = 64 };

struct count {
    uint64_t alloc_objects, alloc_bytes, freed_objects, freed_bytes;
};
struct block {
    void *p;
    size_t size;
    enum site site;
};

static __thread struct count *counts;
static struct count all_counts[THREADS][N_SITES];
static struct block *exchange[KEPT];

void *cxx_new(size_t) __asm__("_Znwm");
void *cxx_new_array(size_t) __asm__("_Znam");
void *cxx_new_nothrow(size_t, const void *) __asm__("_ZnwmRKSt9nothrow_t");
void *cxx_new_array_nothrow(size_t, const void *) __asm__("_ZnamRKSt9nothrow_t");
void *cxx_new_aligned(size_t, size_t) __asm__("_ZnwmSt11align_val_t");
void *cxx_new_array_aligned(size_t, size_t) __asm__("_ZnamSt11align_val_t");
void *cxx_new_aligned_nothrow(size_t, size_t,
                              const void *) __asm__("_ZnwmSt11align_val_tRKSt9nothrow_t");
void *cxx_new_array_aligned_nothrow(size_t, size_t,
                                    const void *) __asm__("_ZnamSt11align_val_tRKSt9nothrow_t");
void cxx_delete(void *) __asm__("_ZdlPv");
void cxx_delete_array(void *) __asm__("_ZdaPv");
void cxx_delete_sized(void *, size_t) __asm__("_ZdlPvm");
void cxx_delete_array_sized(void *, size_t) __asm__("_ZdaPvm");
void cxx_delete_aligned(void *, size_t) __asm__("_ZdlPvSt11align_val_t");
void cxx_delete_array_aligned(void *, size_t) __asm__("_ZdaPvSt11align_val_t");
void cxx_delete_sized_aligned(void *, size_t, size_t) __asm__("_ZdlPvmSt11align_val_t");

static void *(*x_mallocx)(size_t, int);
static void *(*x_rallocx)(void *, size_t, int);
static size_t (*x_xallocx)(void *, size_t, size_t, int);
static void (*x_sdallocx)(void *, size_t, int);
static void (*x_dallocx)(void *, int);

static struct block took(void *p, size_t size, enum site site)
{
    if (p == NULL)
        return (struct block){0};
    memset(p, 0x5a, size < 64 ? size : 64);
    counts[site].alloc_objects++;
    counts[site].alloc_bytes += size;
    return (struct block){p, size, site};
}

static void gone(const struct block *block)
{
    counts[block->site].freed_objects++;
    counts[block->site].freed_bytes += block->size;
}

/* ---- the sites; the barrier after each call keeps it from being a tail call ---- */

#define KEEP_FRAME() __asm__ volatile("" ::: "memory")
#define SITE(name, call)                                \
    struct block site_##name(size_t size)               \
    {                                                   \
        struct block b = took(call, size, SITE_##name); \
        KEEP_FRAME();                                   \
        return b;                                       \
    }

/* libstdc++ rounds up to the alignment before it asks malloc's family: these ask for what needs no
 * rounding. */
#define SITE64(name, call)                              \
    struct block site_##name(size_t size)               \
    {                                                   \
        size = (size + 63) & ~(size_t)63;               \
        struct block b = took(call, size, SITE_##name); \
        KEEP_FRAME();                                   \
        return b;                                       \
    }

SITE(malloc, malloc(size))
SITE(calloc, calloc(size, 1))
SITE(realloc_new, realloc(NULL, size))
SITE(memalign, memalign(64, size))
SITE(aligned_alloc, aligned_alloc(64, size))
SITE(valloc, valloc(size))
SITE(pvalloc, pvalloc(size))
SITE(new, cxx_new(size))
SITE(new_array, cxx_new_array(size))
SITE(new_nothrow, cxx_new_nothrow(size, ""))
SITE(new_array_nothrow, cxx_new_array_nothrow(size, ""))
SITE64(new_aligned, cxx_new_aligned(size, 64))
SITE64(new_array_aligned, cxx_new_array_aligned(size, 64))
SITE64(new_aligned_nothrow, cxx_new_aligned_nothrow(size, 64, ""))
SITE64(new_array_aligned_nothrow, cxx_new_array_aligned_nothrow(size, 64, ""))
SITE(mallocx, x_mallocx(size, 0))

struct block site_malloc_zero(size_t size)
{
    (void)size;
    struct block b = took(malloc(0), 0, SITE_malloc_zero);
    KEEP_FRAME();
    return b;
}

struct block site_posix_memalign(size_t size)
{
    void *p = NULL;
    int error = posix_memalign(&p, 128, size);
    struct block b = took(error == 0 ? p : NULL, size, SITE_posix_memalign);
    KEEP_FRAME();
    return b;
}

struct block site_strdup(size_t size)
{
    char text[200];
    size_t n = size % sizeof text;
    memset(text, 'x', n);
    text[n > 0 ? n - 1 : 0] = '\0';
    size_t whole = n > 0 ? n : 1;
    struct block b = took(strdup(text), whole, SITE_strdup);
    KEEP_FRAME();
    return b;
}

static struct block changed(struct block old, void *p, size_t size, enum site site)
{
    if (p == NULL && size != 0)
        return old;
    gone(&old);
    return took(p, size, site);
}

struct block site_realloc_up(struct block old)
{
    size_t size = old.size * 2 + 1;
    old = changed(old, realloc(old.p, size), size, SITE_realloc_up);
    KEEP_FRAME();
    return old;
}

struct block site_realloc_down(struct block old)
{
    size_t size = old.size / 2 + 1;
    old = changed(old, realloc(old.p, size), size, SITE_realloc_down);
    KEEP_FRAME();
    return old;
}

struct block site_realloc_zero(struct block old)
{
    old = changed(old, realloc(old.p, 0), 0, SITE_realloc_zero);
    KEEP_FRAME();
    return old;
}

struct block site_reallocarray(struct block old)
{
    size_t n = old.size / 3 + 1;
    old = changed(old, reallocarray(old.p, n, 5), 5 * n, SITE_reallocarray);
    KEEP_FRAME();
    return old;
}

struct block site_rallocx(struct block old)
{
    size_t size = old.size + old.size / 2 + 1;
    old = changed(old, x_rallocx(old.p, size, 0), size, SITE_rallocx);
    KEEP_FRAME();
    return old;
}

struct block site_xallocx(struct block old)
{
    size_t size = old.size + 1;
    if (x_xallocx(old.p, size, 0, 0) >= size)
        old = changed(old, old.p, size, SITE_xallocx);
    KEEP_FRAME();
    return old;
}

/* Nothing of this may show. (A failing operator new allocates its exception.) */
void site_failures(struct block *old)
{
    volatile size_t huge = SIZE_MAX / 4, many = SIZE_MAX / 8, whole = SIZE_MAX - 3;
    void *p = NULL;
    struct block b = took(malloc(huge), huge, SITE_failures);
    b = took(malloc(whole), whole, SITE_failures);
    b = took(calloc(many, 16), 0, SITE_failures);
    b = took(memalign(64, huge), huge, SITE_failures);
    b = took(posix_memalign(&p, 24, 100) == 0 ? p : NULL, 100, SITE_failures);
    b = took(reallocarray(old->p, many, 16), 0, SITE_failures);
    b = took(realloc(old->p, huge), huge, SITE_failures);
    (void)b;
    KEEP_FRAME();
}

static void release(struct block *b, unsigned how)
{
    if (b->p == NULL)
        return;
    gone(b);
    switch (b->site) {
    case SITE_new:
    case SITE_new_nothrow:
        how % 2 == 0 ? cxx_delete(b->p) : cxx_delete_sized(b->p, b->size);
        break;
    case SITE_new_array:
    case SITE_new_array_nothrow:
        how % 2 == 0 ? cxx_delete_array(b->p) : cxx_delete_array_sized(b->p, b->size);
        break;
    case SITE_new_aligned:
    case SITE_new_aligned_nothrow:
        how % 2 == 0 ? cxx_delete_aligned(b->p, 64) : cxx_delete_sized_aligned(b->p, b->size, 64);
        break;
    case SITE_new_array_aligned:
    case SITE_new_array_aligned_nothrow:
        cxx_delete_array_aligned(b->p, 64);
        break;
    case SITE_mallocx:
    case SITE_rallocx:
    case SITE_xallocx:
        how % 2 == 0 ? x_dallocx(b->p, 0) : x_sdallocx(b->p, b->size, 0);
        break;
    default:
        free(b->p);
    }
    b->p = NULL;
}

static uint64_t step(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

typedef struct block maker(size_t size);
static maker *const makers[] = {
    site_malloc,
    site_malloc_zero,
    site_calloc,
    site_realloc_new,
    site_memalign,
    site_aligned_alloc,
    site_posix_memalign,
    site_valloc,
    site_new,
    site_new_array,
    site_new_nothrow,
    site_new_array_nothrow,
    site_new_aligned,
    site_new_array_aligned,
    site_new_aligned_nothrow,
    site_new_array_aligned_nothrow,
    site_strdup,
    site_pvalloc,
    site_mallocx,
};
static int is_jemalloc;
static size_t n_makers = sizeof makers / sizeof *makers;

/* C++ blocks stay with their operators: only C's are reallocated, and jemalloc's with its own. */
static int is_c(const struct block *b)
{
    return b->site <= SITE_pvalloc || b->site == SITE_strdup;
}

static void change(struct block *b, uint64_t random)
{
    if (b->p == NULL)
        return;
    if (!is_c(b)) {
        if (b->site < SITE_mallocx || b->size == 0)
            return;
        *b = random % 2 == 0 || !is_jemalloc ? site_rallocx(*b) : site_xallocx(*b);
        return;
    }
    switch (random % 8) {
    case 0:
    case 1:
        if (b->size < 512 * 1024)
            *b = site_realloc_up(*b);
        break;
    case 2:
    case 3:
        *b = site_realloc_down(*b);
        break;
    case 4:
        *b = site_reallocarray(*b);
        break;
    case 5:
        *b = site_realloc_zero(*b);
        break;
    default:
        site_failures(b);
    }
}

static void *work(void *argument)
{
    uintptr_t index = (uintptr_t)argument;
    uint64_t state = 0x9e3779b97f4a7c15u * (index + 1);
    struct block kept[KEPT] = {{0}};
    counts = all_counts[index];
    for (int i = 0; i < STEPS; i++) {
        uint64_t random = step(&state);
        struct block *b = &kept[random % KEPT];
        size_t size = ((size_t)1 << (step(&state) % 20)) + step(&state) % 64;
        switch (random >> 32 & 3) {
        case 0:
            change(b, random >> 40);
            break;
        case 1: { /* hand one over to whoever comes next, who frees it */
            struct block *mine = NULL;
            if (b->p != NULL) {
                mine = malloc(sizeof *mine);
                *mine = *b;
                b->p = NULL;
            }
            struct block *theirs =
                __atomic_exchange_n(&exchange[random >> 40 & (KEPT - 1)], mine, __ATOMIC_ACQ_REL);
            if (theirs != NULL) {
                release(theirs, (unsigned)random);
                free(theirs);
            }
            break;
        }
        default:
            release(b, (unsigned)(random >> 50));
            *b = makers[(random >> 40) % n_makers](size);
        }
    }
    return NULL; /* what is kept stays in use */
}

int main(int argc, char **argv)
{
    (void)argc;
    x_mallocx = (void *(*)(size_t, int))dlsym(RTLD_DEFAULT, "mallocx");
    x_rallocx = (void *(*)(void *, size_t, int))dlsym(RTLD_DEFAULT, "rallocx");
    x_xallocx = (size_t(*)(void *, size_t, size_t, int))dlsym(RTLD_DEFAULT, "xallocx");
    x_dallocx = (void (*)(void *, int))dlsym(RTLD_DEFAULT, "dallocx");
    x_sdallocx = (void (*)(void *, size_t, int))dlsym(RTLD_DEFAULT, "sdallocx");
    is_jemalloc = dlsym(RTLD_DEFAULT, "mallctl") != NULL;
    const char *without = getenv("EXACT_WITHOUT");
    if (without != NULL && strcmp(without, "pvalloc") == 0) {
        /* The allocator has none: the C library's blocks would reach the allocator's free. */
        n_makers -= 2;
    } else if (x_mallocx == NULL) {
        n_makers--;
    }
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    FILE *out = fopen(argv[1], "w");
    for (int s = 0; s < N_SITES; s++) {
        struct count sum = {0};
        for (int t = 0; t < THREADS; t++) {
            sum.alloc_objects += all_counts[t][s].alloc_objects;
            sum.alloc_bytes += all_counts[t][s].alloc_bytes;
            sum.freed_objects += all_counts[t][s].freed_objects;
            sum.freed_bytes += all_counts[t][s].freed_bytes;
        }
        fprintf(out, "%s %llu %llu %llu %llu\n", site_names[s],
                (unsigned long long)sum.alloc_objects, (unsigned long long)sum.alloc_bytes,
                (unsigned long long)(sum.alloc_objects - sum.freed_objects),
                (unsigned long long)(sum.alloc_bytes - sum.freed_bytes));
    }
    return fclose(out) != 0;
}
