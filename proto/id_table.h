/* id_table.h - from 64-bit ids to indices.
 *
 * Ids in a profile are any 64-bit numbers but usually 1..n: those below a limit given are looked up
 * in an array, others in a hash table that is made when there are such and grows. Memory: 4 bytes
 * for each dense id, at most 128 for each other entry, from the arena given. An id that is added
 * twice keeps its first index.
 */
#ifndef APPROF_ID_TABLE_H
#define APPROF_ID_TABLE_H

#include "arena.h"
#include "hash.h"

struct id_slot {
    uint64_t id;
    uint32_t index; /* UINT32_MAX: free */
};

struct id_table {
    uint32_t *dense; /* by id; UINT32_MAX: none */
    uint64_t n_dense;
    struct id_slot *sparse; /* mask + 1 slots, at most half of them used; NULL at first */
    uint64_t mask, n_sparse;
    uint64_t seed;
    struct arena *arena;
};

/* Ids below n_dense (0 is fine) get an array. False when out of memory. */
bool id_table_init(struct id_table *table, struct arena *arena, uint64_t n_dense);

/* 1: added; 0: was there already; -1: out of memory. */
int id_table_add(struct id_table *table, uint64_t id, uint32_t index);

uint32_t id_table_find_sparse(const struct id_table *table, uint64_t id);

/* UINT32_MAX when unknown. */
static inline uint32_t id_table_find(const struct id_table *table, uint64_t id)
{
    return id < table->n_dense ? table->dense[id] : id_table_find_sparse(table, id);
}

#endif
