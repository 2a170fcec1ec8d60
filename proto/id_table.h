/* id_table.h - from the ids in a profile to indices.
 *
 * Ids are any 64-bit numbers but usually 1..n: those up to n are looked up in an array, others in a
 * hash table that is made only when there are such. Memory: at most 4 + 64 bytes an entry, from the
 * arena given. An id that occurs twice keeps its first index.
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
    struct id_slot *sparse;
    uint64_t mask;
    uint64_t seed;
    uint64_t expected;
    struct arena *arena;
};

/* For expected entries. False when out of memory. */
bool id_table_init(struct id_table *table, struct arena *arena, uint32_t expected);

/* 1: added; 0: was there already; -1: out of memory. At most expected entries may be added. */
int id_table_add(struct id_table *table, uint64_t id, uint32_t index);

uint32_t id_table_find_sparse(const struct id_table *table, uint64_t id);

/* UINT32_MAX when unknown. */
static inline uint32_t id_table_find(const struct id_table *table, uint64_t id)
{
    return id < table->n_dense ? table->dense[id] : id_table_find_sparse(table, id);
}

#endif
