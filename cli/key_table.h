/* key_table.h - from the hash of a key to the numbers of the entries that may have it.
 *
 * The keys stay with the caller, who compares them:
 *
 *     struct key_cursor at = key_table_at(table, hash);
 *     while ((id = key_table_next(table, &at)) != KEY_NONE)
 *         if (same_key(id)) return id;
 *     key_table_add(table, hash, new_id);
 *
 * A zeroed table is an empty one. Not thread-safe.
 */
#ifndef APPROF_KEY_TABLE_H
#define APPROF_KEY_TABLE_H

#include "hash.h"
#include "memory.h"

#include <stdlib.h>

#define KEY_NONE UINT32_MAX

struct key_slot {
    uint32_t tag, id; /* id + 1; 0 is empty */
};

struct key_table {
    struct key_slot *slots;
    size_t size, used; /* size is a power of two */
};

struct key_cursor {
    size_t at;
    uint32_t tag;
};

static inline uint64_t key_hash(uint64_t hash, uint64_t more)
{
    return hash_u64(hash, more);
}

/* Position and tag both come from the upper half of the hash, so that a table grows without asking
 * for the keys again. */
static inline struct key_cursor key_table_at(const struct key_table *table, uint64_t hash)
{
    uint32_t tag = (uint32_t)(hash >> 32);
    return (struct key_cursor){.at = tag & (table->size - 1), .tag = tag};
}

static inline uint32_t key_table_next(const struct key_table *table, struct key_cursor *cursor)
{
    if (!table->size) {
        return KEY_NONE;
    }
    for (;;) {
        const struct key_slot *slot = &table->slots[cursor->at];
        if (!slot->id) {
            return KEY_NONE;
        }
        cursor->at = (cursor->at + 1) & (table->size - 1);
        if (slot->tag == cursor->tag) {
            return slot->id - 1;
        }
    }
}

void key_table_add(struct key_table *table, uint64_t hash, uint32_t id);

static inline void key_table_free(struct key_table *table)
{
    free(table->slots);
    *table = (struct key_table){0};
}

#endif
