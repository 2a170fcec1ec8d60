/* key_table.c - adding to the table, which doubles at three quarters. */
#include "key_table.h"

static void put(struct key_slot *slots, size_t size, struct key_slot slot)
{
    size_t at = slot.tag & (size - 1);
    while (slots[at].id) {
        at = (at + 1) & (size - 1);
    }
    slots[at] = slot;
}

void key_table_add(struct key_table *table, uint64_t hash, uint32_t id)
{
    if (table->used + 1 > table->size / 4 * 3) {
        size_t size = table->size ? table->size * 2 : 64;
        struct key_slot *slots = memory_array(size, sizeof *slots);
        for (size_t i = 0; i < table->size; i++) {
            if (table->slots[i].id) {
                put(slots, size, table->slots[i]);
            }
        }
        free(table->slots);
        table->slots = slots;
        table->size = size;
    }
    put(table->slots, table->size, (struct key_slot){(uint32_t)(hash >> 32), id + 1});
    table->used++;
}
