/* id_table.c - from 64-bit ids to indices (see id_table.h). */
#include "id_table.h"

bool id_table_init(struct id_table *table, struct arena *arena, uint64_t n_dense)
{
    *table = (struct id_table){.arena = arena, .n_dense = n_dense, .seed = hash_seed()};
    if (!n_dense)
        return true;
    table->dense = arena_array(arena, n_dense, sizeof *table->dense);
    if (!table->dense)
        return false;
    memset(table->dense, 0xff, n_dense * sizeof *table->dense);
    return true;
}

static struct id_slot *slot_of(const struct id_table *table, uint64_t id)
{
    uint64_t at = hash_u64(table->seed, id) & table->mask;
    while (table->sparse[at].index != UINT32_MAX && table->sparse[at].id != id)
        at = (at + 1) & table->mask;
    return &table->sparse[at];
}

static bool grow_sparse(struct id_table *table)
{
    struct id_slot *old = table->sparse;
    uint64_t old_size = old ? table->mask + 1 : 0, size = old ? 2 * old_size : 16;
    struct id_slot *slots = arena_array(table->arena, size, sizeof *slots);
    if (!slots)
        return false;
    for (uint64_t i = 0; i < size; i++)
        slots[i].index = UINT32_MAX;
    table->sparse = slots;
    table->mask = size - 1;
    for (uint64_t i = 0; i < old_size; i++)
        if (old[i].index != UINT32_MAX)
            *slot_of(table, old[i].id) = old[i];
    return true;
}

int id_table_add(struct id_table *table, uint64_t id, uint32_t index)
{
    if (id < table->n_dense) {
        if (table->dense[id] != UINT32_MAX)
            return 0;
        table->dense[id] = index;
        return 1;
    }
    if (2 * table->n_sparse >= table->mask && !grow_sparse(table))
        return -1;
    struct id_slot *slot = slot_of(table, id);
    if (slot->index != UINT32_MAX)
        return 0;
    *slot = (struct id_slot){.id = id, .index = index};
    table->n_sparse++;
    return 1;
}

uint32_t id_table_find_sparse(const struct id_table *table, uint64_t id)
{
    return table->sparse ? slot_of(table, id)->index : UINT32_MAX;
}
