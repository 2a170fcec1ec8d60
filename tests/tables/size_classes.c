/* test: quick */
/* The size classes of heap_tables.h: every size falls into the class whose floor is the largest one
 * not above it, classes never decrease, and there are four to a doubling. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "heap_tables.h"

static int failures;

static void check_size(uint64_t size)
{
    unsigned c = heap_size_class(size);
    uint64_t floor = heap_size_class_floor(c);
    bool last = size >> 63 && c == heap_size_class(UINT64_MAX);
    if (floor > size || (!last && heap_size_class_floor(c + 1) <= size)) {
        printf("size %" PRIu64 " is in class %u, which begins at %" PRIu64 "\n", size, c, floor);
        failures++;
    }
}

int main(void)
{
    for (uint64_t size = 0; size < 100000; size++)
        check_size(size);
    for (unsigned bit = 16; bit < 64; bit++)
        for (int64_t near = -3; near <= 3; near++)
            for (uint64_t quarter = 0; quarter < 4; quarter++)
                check_size((UINT64_C(1) << bit) + quarter * (UINT64_C(1) << (bit - 2)) +
                           (uint64_t)near);
    check_size(UINT64_MAX);
    for (unsigned bit = 3; bit < 63; bit++)
        if (heap_size_class(UINT64_C(2) << bit) - heap_size_class(UINT64_C(1) << bit) != 4) {
            printf("not four classes between 2^%u and 2^%u\n", bit, bit + 1);
            failures++;
        }
    if (heap_size_class(UINT64_MAX) > UINT8_MAX) {
        printf("a class does not fit the byte that a counter has for it\n");
        failures++;
    }
    return failures != 0;
}
