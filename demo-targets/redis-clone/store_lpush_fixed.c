// LPUSH, mended: the list is a deque. Its values lie in the middle of one array with room at both
// ends; when the left end is reached the array doubles and they move to the middle again.

#include <stdlib.h>
#include <string.h>

#include "store.h"

#define FIRST_ROOM 8

// An array that is half empty is kept: a queue that is pushed here and popped at the other end
// moves to the middle now and then, and does not grow for ever.
static void grow_left(struct list *list, size_t count)
{
    size_t room = list->room ? list->room : FIRST_ROOM;
    while (room / 2 < list->len + count)
        room *= 2;
    size_t head = room / 2 - list->len / 2;
    struct bytes *items = list->items;

    if (room != list->room) {
        items = malloc(room * sizeof *items);
        if (!items)
            out_of_memory(room * sizeof *items);
    }
    if (list->len)
        memmove(items + head, list->items + list->head, list->len * sizeof *items);
    if (items != list->items)
        free(list->items);
    list->items = items;
    list->head = head;
    list->room = room;
}

void store_lpush(struct list *list, struct bytes *values, size_t count)
{
    if (list->head < count)
        grow_left(list, count);
    for (size_t i = 0; i < count; i++) {
        list->items[--list->head] = values[i];
        values[i].data = NULL;
        list->len++;
    }
}
