/* memory.h - heap memory of the command line tool, for arrays that grow.
 *
 * Sizes derive from profiles that were bounded when they were read, so a refusal means that the
 * machine is out of memory: the program says so and ends with status 2. Nothing here returns NULL.
 * Memory is not zeroed unless said. Thread-safe as malloc is.
 */
#ifndef APPROF_MEMORY_H
#define APPROF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memory_array(size_t count, size_t size); /* zeroed; free() it */
void *memory_resize(void *old, size_t count, size_t size);
char *memory_text(const char *bytes, size_t n); /* NUL-terminated copy */
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in an array of capacity *room. */
#define MEMORY_ROOM(array, used, room)                                 \
    do {                                                               \
        if ((used) >= (room)) {                                        \
            (room) = (room) ? (room)*2 : 16;                           \
            (array) = memory_resize((array), (room), sizeof *(array)); \
        }                                                              \
    } while (0)

#endif
