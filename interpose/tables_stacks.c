/* tables_stacks.c - stacks and counters: append-only in the file, found through private indexes.
 *
 * Looking one up takes no lock. A new one is written under its kind's lock: the entry first, then
 * its check (release), then the region's used, then the index entry (release), so that neither a
 * reader nor a killed process ever shows half an entry. Regions grow by an eighth of what their
 * kind has, which keeps the slack small: reserved pages are used pages.
 */
#include "tables_internal.h"
#include <string.h>

enum {
    STACK_REGION = 64 << 10,
    COUNTER_REGION = 32 << 10,
    INDEX_FIRST_ORDER = 12,
    SIZE_CLASSES = 252, /* heap_size_class(UINT64_MAX) + 1 */
};

/* --- indexes --- */

static uint64_t *index_entries(uintptr_t array)
{
    return (uint64_t *)(array & ~(uintptr_t)63);
}

static unsigned index_order(uintptr_t array)
{
    return (unsigned)(array & 63);
}

static bool index_start(struct tables_index *index)
{
    uint64_t *entries = tables_index_alloc(INDEX_FIRST_ORDER);
    if (!entries)
        return false;
    index->count = 0;
    index->next = 0;
    __atomic_store_n(&index->array, (uintptr_t)entries | INDEX_FIRST_ORDER, __ATOMIC_RELEASE);
    return true;
}

static void index_put(uintptr_t array, uint64_t entry)
{
    uint64_t *entries = index_entries(array);
    unsigned order = index_order(array);
    uint32_t mask = (1u << order) - 1, at = (uint32_t)(entry >> 32) >> (32 - order);
    while (__atomic_load_n(&entries[at], __ATOMIC_RELAXED) != 0)
        at = (at + 1) & mask;
    __atomic_store_n(&entries[at], entry, __ATOMIC_RELEASE);
}

/* Room for one more; caller holds the index's lock. Full up to 7/10, up to 9/10 without memory. */
static bool index_reserve(struct tables_index *index)
{
    uintptr_t array = index->array;
    unsigned order = index_order(array);
    uint64_t capacity = UINT64_C(1) << order;
    if ((uint64_t)(index->count + 1) * 10 <= capacity * 7)
        return true;
    /* Filling takes a while: whoever jumped out of it left the array to those who come after. */
    uintptr_t next = index->next;
    if (next != 0 && next != array) {
        memset(index_entries(next), 0, sizeof(uint64_t) << index_order(next));
    } else {
        uint64_t *entries = order < 30 ? tables_index_alloc(order + 1) : NULL;
        if (!entries)
            return (uint64_t)(index->count + 1) * 10 <= capacity * 9;
        next = (uintptr_t)entries | (order + 1);
        __atomic_store_n(&index->next, next, __ATOMIC_RELEASE);
    }
    for (uint64_t i = 0; i < capacity; i++) {
        uint64_t entry = index_entries(array)[i];
        if (entry)
            index_put(next, entry);
    }
    __atomic_store_n(&index->array, next, __ATOMIC_RELEASE);
    return true;
}

/* Walks the entries with this tag: *at is where to go on; 0 is the end. */
static inline uint32_t index_next(uintptr_t array, uint32_t tag, uint32_t *at)
{
    uint64_t *entries = index_entries(array);
    uint32_t mask = (1u << index_order(array)) - 1;
    for (;;) {
        uint64_t entry = __atomic_load_n(&entries[*at], __ATOMIC_ACQUIRE);
        if (entry == 0)
            return 0;
        *at = (*at + 1) & mask;
        if ((uint32_t)(entry >> 32) == tag)
            return (uint32_t)entry;
    }
}

static inline uint32_t index_home(uintptr_t array, uint32_t tag)
{
    return tag >> (32 - index_order(array));
}

/* --- regions --- */

struct heap_region *tables_add_region(enum heap_region_kind kind, uint64_t min, uint64_t best)
{
    uint64_t size = best;
    uint64_t offset = tables_file_alloc(size);
    if (!offset && min < best)
        offset = tables_file_alloc(size = min);
    if (!offset || spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return NULL;
    struct heap_header *h = tables.header;
    struct heap_region *region = NULL;
    uint32_t n = __atomic_load_n(&h->n_regions, __ATOMIC_RELAXED);
    if (n < HEAP_MAX_REGIONS) {
        region = &h->regions[n];
        *region = (struct heap_region){.kind = kind, .offset = offset, .size = size};
        __atomic_store_n(&h->n_regions, n + 1, __ATOMIC_RELEASE);
    }
    spin_unlock(&tables.locks->grow);
    return region;
}

/* Offset of size more bytes in a region of this kind, not yet counted as used; 0: no room. */
static uint64_t region_room(struct tables_region *r, enum heap_region_kind kind, uint64_t size,
                            uint64_t least, uint64_t most)
{
    if (!r->region || r->region->size - r->used < size) {
        uint64_t best = r->total / 8 & ~UINT64_C(63);
        if (best < least)
            best = least;
        if (most && r->total + best > most)
            best = most > r->total ? (most - r->total) & ~UINT64_C(63) : 0;
        if (best < size)
            return 0;
        uint64_t min = least / 4 > size ? least / 4 : size;
        struct heap_region *region = tables_add_region(kind, min < best ? min : best, best);
        if (!region)
            return 0;
        r->region = region;
        r->used = 0;
        r->total += region->size;
        r->base = tables_at(region->offset);
    }
    return r->region->offset + r->used;
}

static void region_took(struct tables_region *r, uint64_t size)
{
    r->used += size;
    __atomic_store_n(&r->region->used, r->used, __ATOMIC_RELEASE);
}

/* --- stacks --- */

static inline uint32_t find_stack(uint32_t tag, uint32_t n_frames, uint32_t flags,
                                  const uint64_t *frames)
{
    uintptr_t array = __atomic_load_n(&tables.stack_index.array, __ATOMIC_ACQUIRE);
    uint32_t at = index_home(array, tag), ref;
    while ((ref = index_next(array, tag, &at)) != 0) {
        const struct heap_stack *stack = tables_at(HEAP_OFFSET(ref));
        if (stack && stack->n_frames == n_frames && stack->flags == flags &&
            (n_frames == 0 || memcmp(stack->frames, frames, n_frames * sizeof *frames) == 0))
            return ref;
    }
    return 0;
}

static uint32_t append_stack(uint32_t n_frames, uint32_t flags, const uint64_t *frames)
{
    uint64_t size = sizeof(struct heap_stack) + n_frames * sizeof *frames;
    uint64_t offset =
        region_room(&tables.stacks, HEAP_REGION_STACKS, size, STACK_REGION, TABLES_STACK_BYTES);
    if (!offset)
        return 0;
    struct heap_stack *stack = (struct heap_stack *)(tables.stacks.base + tables.stacks.used);
    stack->n_frames = (uint16_t)n_frames;
    stack->flags = (uint16_t)flags;
    if (n_frames > 0)
        memcpy(stack->frames, frames, n_frames * sizeof *frames);
    __atomic_store_n(&stack->check, HEAP_STACK_CHECK(n_frames, flags), __ATOMIC_RELEASE);
    region_took(&tables.stacks, size);
    return HEAP_REF(offset);
}

uint32_t tables_intern_stack(uint32_t tag, uint32_t n_frames, uint32_t flags,
                             const uint64_t *frames)
{
    uint32_t ref = find_stack(tag, n_frames, flags, frames);
    if (__builtin_expect(ref != 0, 1))
        return ref;
    if (spin_lock(&tables.locks->stacks) == SPIN_FAILED)
        return 0;
    ref = find_stack(tag, n_frames, flags, frames);
    if (ref == 0 && index_reserve(&tables.stack_index)) {
        ref = append_stack(n_frames, flags, frames);
        if (ref != 0) {
            index_put(tables.stack_index.array, (uint64_t)tag << 32 | ref);
            tables.stack_index.count++;
        }
    }
    spin_unlock(&tables.locks->stacks);
    return ref;
}

/* --- counters --- */

struct counter_key {
    uint32_t stack;
    uint8_t size_class, rate, flags; /* flags with HEAP_COUNTER_VALID */
};

static inline uint32_t find_counter(struct counter_key key, uint32_t tag)
{
    uintptr_t array = __atomic_load_n(&tables.counter_index.array, __ATOMIC_ACQUIRE);
    uint32_t at = index_home(array, tag), ref;
    while ((ref = index_next(array, tag, &at)) != 0) {
        const struct heap_counter *c = tables_counter_at(ref);
        if (c && c->stack == key.stack && c->size_class == key.size_class && c->rate == key.rate &&
            c->flags == key.flags)
            return ref;
    }
    return 0;
}

static uint32_t append_counter(struct counter_key key)
{
    struct tables_region *r = &tables.counters;
    enum heap_region_kind kind = HEAP_REGION_COUNTERS;
    uint64_t size = sizeof(struct heap_counter), offset = 0;
    /* The dropped stack has a region of its own, so that it always finds room. */
    if (key.stack == tables.dropped_stack &&
        tables.dropped_counters.used + size <= tables.dropped_counters.region->size) {
        r = &tables.dropped_counters;
        offset = r->region->offset + r->used;
    } else {
        offset = region_room(r, kind, size, COUNTER_REGION, 0);
    }
    if (!offset)
        return 0;
    struct heap_counter *counter = (struct heap_counter *)(r->base + r->used);
    *counter =
        (struct heap_counter){.stack = key.stack, .size_class = key.size_class, .rate = key.rate};
    __atomic_store_n(&counter->flags, key.flags, __ATOMIC_RELEASE);
    region_took(r, size);
    return HEAP_REF(offset);
}

/* The dropped stack's counter for key, or else any with its rate and flags: the size class is wrong
 * then, the totals are right. */
static uint32_t search_dropped(struct counter_key key, bool *exact)
{
    const struct tables_region *r = &tables.dropped_counters;
    uint64_t used = __atomic_load_n(&r->region->used, __ATOMIC_ACQUIRE);
    uint32_t ref = 0;
    *exact = false;
    for (uint64_t at = 0; at < used && !*exact; at += sizeof(struct heap_counter)) {
        const struct heap_counter *c = (const struct heap_counter *)(r->base + at);
        if (c->rate != key.rate || c->flags != key.flags)
            continue;
        *exact = c->size_class == key.size_class;
        ref = HEAP_REF(r->region->offset + at);
    }
    return ref;
}

static uint32_t get_counter(struct counter_key key)
{
    uint64_t bits = (uint64_t)key.stack << 32 | (uint64_t)key.flags << 16 |
                    (uint64_t)key.rate << 8 | key.size_class;
    uint32_t tag = (uint32_t)(tables_mix(bits) >> 32);
    uint32_t ref = find_counter(key, tag);
    if (__builtin_expect(ref != 0, 1))
        return ref;
    if (spin_lock(&tables.locks->counters) == SPIN_FAILED)
        return 0;
    ref = find_counter(key, tag);
    if (ref == 0 && index_reserve(&tables.counter_index)) {
        ref = append_counter(key);
        if (ref != 0) {
            index_put(tables.counter_index.array, (uint64_t)tag << 32 | ref);
            tables.counter_index.count++;
        }
    } else if (ref == 0 && key.stack == tables.dropped_stack) {
        /* No room in the index: this one is found by looking at all of its few like. */
        bool exact;
        ref = search_dropped(key, &exact);
        if (!exact && tables.dropped_counters.used < tables.dropped_counters.region->size)
            ref = append_counter(key);
    }
    spin_unlock(&tables.locks->counters);
    return ref;
}

uint32_t tables_intern_counter(uint32_t stack, unsigned size_class, unsigned rate, unsigned flags,
                               bool *dropped)
{
    struct counter_key key = {.stack = stack,
                              .size_class = (uint8_t)size_class,
                              .rate = (uint8_t)rate,
                              .flags = (uint8_t)(flags | HEAP_COUNTER_VALID)};
    *dropped = stack == 0 || stack == tables.dropped_stack;
    uint32_t ref = *dropped ? 0 : get_counter(key);
    if (ref != 0)
        return ref;
    *dropped = true;
    key.stack = tables.dropped_stack;
    ref = get_counter(key);
    bool exact;
    return ref ? ref : search_dropped(key, &exact);
}

bool tables_stacks_start(void)
{
    if (!index_start(&tables.stack_index) || !index_start(&tables.counter_index))
        return false;
    tables.dropped_stack = append_stack(0, HEAP_STACK_DROPPED, NULL);
    uint64_t size = SIZE_CLASSES * sizeof(struct heap_counter);
    struct tables_region *r = &tables.dropped_counters;
    r->region = tables_add_region(HEAP_REGION_COUNTERS, size, size);
    if (!tables.dropped_stack || !r->region)
        return false;
    r->base = tables_at(r->region->offset);
    return true;
}
