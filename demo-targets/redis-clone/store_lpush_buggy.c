// LPUSH, as it was: every push makes a new array for the new values and the whole old list.

#include <stdlib.h>
#include <string.h>

#include "store.h"

void store_lpush(struct list *list, struct bytes *values, size_t count)
{
    size_t len = list->len + count;
    struct bytes *items = calloc(len, sizeof *items);
    if (!items)
        out_of_memory(len * sizeof *items);

    for (size_t i = 0; i < count; i++) {
        items[count - 1 - i] = values[i];
        values[i].data = NULL;
    }
    if (list->len)
        memcpy(items + count, list->items + list->head, list->len * sizeof *items);
    free(list->items);
    list->items = items;
    list->head = 0;
    list->len = list->room = len;
}
