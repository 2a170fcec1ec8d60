// A run of bytes: pointer and length, 16 bytes, no terminator. What requests, values, list elements
// and replies are made of. Whoever holds one owns the memory, unless a function says otherwise.
#ifndef DEMO_BYTES_H
#define DEMO_BYTES_H

#include <stddef.h>

struct bytes {
    char *data;
    size_t len;
};

// Says so and ends the process: as with Redis, there is nothing else to do.
_Noreturn void out_of_memory(size_t wanted);

#endif
