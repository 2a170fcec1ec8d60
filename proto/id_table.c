/* id_table.c - from the ids in a profile to indices (see id_table.h). */
#include "id_table.h"

bool id_table_init(struct id_table *table, struct arena *arena, uint32_t expected)
{
    *table = (struct id_table){.arena = arena,
                               .expected = expected,
                               .n_dense = (uint64_t)expected + 1,
                               .seed = hash_seed()};
    table->dense = arena_array(arena, table->n_dense, sizeof *table->dense);
    if (!table->dense)
        return false;
    memset(table->dense, 0xff, table->n_dense * sizeof *table->dense);
    return true;
}

static struct id_slot *slot_of(const struct id_table *table, uint64_t id)
{
    uint64_t at = hash_u64(table->seed, id) & table->mask;
    while (table->sparse[at].index != UINT32_MAX && table->sparse[at].id != id)
        at = (at + 1) & table->mask;
    return &table->sparse[at];
}

static bool make_sparse(struct id_table *table)
{
    uint64_t size = 16;
    while (size < 2 * table->expected)
        size *= 2;
    table->sparse = arena_array(table->arena, size, sizeof *table->sparse);
    if (!table->sparse)
        return false;
    for (uint64_t i = 0; i < size; i++)
        table->sparse[i].index = UINT32_MAX;
    table->mask = size - 1;
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
    if (!table->sparse && !make_sparse(table))
        return -1;
    struct id_slot *slot = slot_of(table, id);
    if (slot->index != UINT32_MAX)
        return 0;
    *slot = (struct id_slot){.id = id, .index = index};
    return 1;
}

uint32_t id_table_find_sparse(const struct id_table *table, uint64_t id)
{
    return table->sparse ? slot_of(table, id)->index : UINT32_MAX;
}
