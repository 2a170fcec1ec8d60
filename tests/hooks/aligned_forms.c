/* target: cflags=-O1,-fno-builtin */
/* matrix: */
/* aligned_forms.c - every aligned form gives the alignment, and the errors, that it gives without
 * us; blocks of any kind may be freed and reallocated; calloc's are zero; sizes of 0 are what they
 * are. */
#include "behaviour.h"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static int aligned(const void *p, size_t align)
{
    return p != NULL && (uintptr_t)p % align == 0;
}

int main(void)
{
    for (size_t align = 16; align <= 1 << 16; align *= 2) {
        for (size_t size = 1; size < 1 << 18; size = size * 5 + 3) {
            void *p = NULL;
            CHECK(posix_memalign(&p, align, size) == 0 && aligned(p, align));
            memset(p, 1, size);
            free(p);
            p = aligned_alloc(align, (size + align - 1) & -align);
            CHECK(aligned(p, align));
            p = realloc(p, size * 2);
            memset(p, 1, size * 2);
            free(p);
            p = memalign(align, size);
            CHECK(aligned(p, align) && malloc_usable_size(p) >= size);
            free(p);
        }
    }
    void *p = valloc(100);
    CHECK(aligned(p, 4096));
    free(p);
    void *untouched = &p;
    printf("odd alignment: %d\n", posix_memalign(&untouched, 24, 10));
    CHECK(untouched == &p);
    errno = 0;
    volatile size_t huge = SIZE_MAX - 100;
    printf("huge: %d\n", posix_memalign(&untouched, 64, huge) == ENOMEM);
    for (size_t size = 1; size < 1 << 20; size = size * 3 + 1) {
        char *z = calloc(size, 3);
        size_t sum = 0;
        for (size_t i = 0; i < size * 3; i++)
            sum += (unsigned char)z[i];
        CHECK(sum == 0);
        memset(z, 0xff, size * 3);
        free(z);
    }
    void *nothing = malloc(0), *nothing_more = malloc(0);
    printf("malloc(0): %d, another one: %d\n", nothing != NULL, nothing != nothing_more);
    free(nothing);
    free(nothing_more);
    printf("calloc(0, 8): %d\n", calloc(0, 8) != NULL);
    return behaviour_end();
}
