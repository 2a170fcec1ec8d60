// Lists: all operations but the push to the left, which is in store_lpush_buggy.c or
// store_lpush_fixed.c.

#include <stdlib.h>
#include <string.h>

#include "store.h"

#define FIRST_ROOM 8

// Makes room at the right end. Room that pops have left on the left is taken first when it is half
// of the array or more, so that a queue does not grow for ever.
static void grow_right(struct list *list, size_t count)
{
    if (list->head >= list->room / 2 && list->len + count <= list->room) {
        memmove(list->items, list->items + list->head, list->len * sizeof *list->items);
        list->head = 0;
        return;
    }
    size_t room = list->room ? list->room * 2 : FIRST_ROOM;
    while (room < list->head + list->len + count)
        room *= 2;
    struct bytes *items = realloc(list->items, room * sizeof *items);
    if (!items)
        out_of_memory(room * sizeof *items);
    list->items = items;
    list->room = room;
}

void store_rpush(struct list *list, struct bytes *values, size_t count)
{
    if (list->head + list->len + count > list->room)
        grow_right(list, count);
    for (size_t i = 0; i < count; i++) {
        list->items[list->head + list->len++] = values[i];
        values[i].data = NULL;
    }
}

bool store_lpop(struct list *list, struct bytes *value)
{
    if (list->len == 0)
        return false;
    *value = list->items[list->head++];
    list->len--;
    return true;
}

bool store_rpop(struct list *list, struct bytes *value)
{
    if (list->len == 0)
        return false;
    *value = list->items[list->head + --list->len];
    return true;
}

void list_free(struct list *list)
{
    for (size_t i = 0; i < list->len; i++)
        free(list->items[list->head + i].data);
    free(list->items);
}
