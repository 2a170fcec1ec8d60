/* target: cflags=-O1,-fno-builtin */
/* matrix: [counts] */
/* realloc_moves.c - reallocations up, down, in place, to nothing, from NULL, and failed ones, keep
 * the content and count as one free and one allocation each; a failed one changes nothing.
 * (pitfall: a failed or moved realloc shows as a leak) */
#include "behaviour.h"
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static long objects, bytes;

SITE char *site_realloc(char *p, size_t size)
{
    char *moved = realloc(p, size);
    if (moved != NULL) {
        objects++;
        bytes += (long)size;
    }
    KEEP_FRAME();
    return moved;
}

static int holds(const char *p, size_t n, char c)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != c)
            return 0;
    return 1;
}

int main(void)
{
    volatile size_t huge = SIZE_MAX / 4;
    char *p = site_realloc(NULL, 10);
    size_t size = 10;
    memset(p, 'c', size);
    for (int i = 0; i < 300; i++) {
        size_t next = i % 3 == 2 ? size / 3 + 1 : size + size / 2 + (size_t)i * 17;
        if (next > 3 << 20)
            next = 1;
        p = site_realloc(p, next);
        CHECK(p != NULL && malloc_usable_size(p) >= next);
        CHECK(holds(p, next < size ? next : size, 'c'));
        size = next;
        memset(p, 'c', size);
        CHECK(site_realloc(p, huge) == NULL && holds(p, size, 'c'));
        CHECK(reallocarray(p, huge, 16) == NULL && holds(p, size, 'c'));
    }
    behaviour_count("site_realloc", objects, bytes, 1, (long)size);
    return behaviour_end();
}
