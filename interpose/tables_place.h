/* tables_place.h - where the last samples of a stack went in the tables, for who meets one stack
 * again and again: kept beside the stack for as long as the stack is known to be the same and the
 * tables are. All zeros: not recorded yet. Written by tables_record_alloc alone.
 *
 * One stack allocates several sizes, and each size class has its counter. The four classes of a
 * doubling have a place each.
 */
#ifndef APPROF_TABLES_PLACE_H
#define APPROF_TABLES_PLACE_H

#include <stdint.h>

enum { PLACE_COUNTERS = 4 };

struct tables_place {
    uint32_t stack; /* HEAP_REF; so are the counters */
    struct {
        uint32_t counter;
        uint32_t key; /* of that counter: size class and rate */
    } of[PLACE_COUNTERS];
};

#endif
