/* target: cflags=-O1,-fno-builtin */
/* matrix: */
/* errno_kept.c - no call of the allocator's changes errno when it succeeds, from stacks never seen
 * and from known ones; one that fails says ENOMEM. (pitfall: errno changed) */
#include "behaviour.h"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#define KEPT(call)            \
    do {                      \
        errno = 4711;         \
        call;                 \
        CHECK(errno == 4711); \
    } while (0)

static void all(int depth, size_t size)
{
    if (depth > 0) {
        all(depth - 1, size);
        KEEP_FRAME();
        return;
    }
    void *p, *q = NULL;
    KEPT(p = malloc(size));
    KEPT(p = realloc(p, size * 3));
    KEPT(p = realloc(p, size));
    KEPT(free(p));
    KEPT(p = calloc(size, 2));
    KEPT(free(p));
    KEPT(CHECK(posix_memalign(&q, 64, size) == 0));
    KEPT(free(q));
    KEPT(p = aligned_alloc(64, 64));
    KEPT(free(p));
    KEPT(free(NULL));
    volatile size_t huge = SIZE_MAX / 2;
    errno = 0;
    CHECK(malloc(huge) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(huge, 4) == NULL && errno == ENOMEM);
}

int main(void)
{
    for (int i = 0; i < 300; i++)
        all(i % 60, 1 + (size_t)i * 37);
    return behaviour_end();
}
