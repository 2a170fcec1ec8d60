/* sorted.h - where an address lies among structures that are sorted by a member of type uint64_t.
 *
 * Pure functions on memory of the caller's; an empty array may be a null pointer.
 */
#ifndef APPROF_SORTED_H
#define APPROF_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline size_t sorted_first_from(const void *rows, size_t n, size_t size, size_t offset,
                                       uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key;
        memcpy(&key, (const char *)rows + middle * size + offset, sizeof key);
        if (key < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline size_t sorted_first_behind(const void *rows, size_t n, size_t size, size_t offset,
                                         uint64_t address)
{
    return address == UINT64_MAX ? n : sorted_first_from(rows, n, size, offset, address + 1);
}

/* Index of the first of n rows whose member is the address or more, or more than it; n if none is.
 */
#define SORTED_FIRST_FROM(rows, n, member, address) \
    sorted_first_from((rows), (n), sizeof *(rows), offsetof(__typeof__(*(rows)), member), (address))
#define SORTED_FIRST_BEHIND(rows, n, member, address)                                       \
    sorted_first_behind((rows), (n), sizeof *(rows), offsetof(__typeof__(*(rows)), member), \
                        (address))

#endif
