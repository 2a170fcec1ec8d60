/* tables_stripes.c - the table of live samples.
 *
 * 256 stripes, each an open-addressed array in private memory, which is the one that counts (a fork
 * copies it), and its mirror in the file, slot by slot the same, for readers. Deletion shifts the
 * entries behind back, so that there are no tombstones.
 *
 * Private side, because a fork can come at any instant: array and order change in one store; an
 * entry is filled in before its address is set (release), and when one moves, the copy is complete
 * before the original goes. So a child can see an entry twice, never half, never not at all.
 * File side: seq is odd while anything changes. All stores of one change are releases, so none is
 * seen before seq is odd.
 *
 * The stripe of an address follows from its filter bucket alone: a filter byte then belongs to one
 * stripe and is guarded by its lock.
 */
#include "tables_internal.h"

enum { FIRST_ORDER = 3 };

uint8_t tables_filter[1u << TABLES_FILTER_BITS];

/* The upper bits of the hash; the processor shifts by the lower six bits of a count. */
static inline uint32_t home_of(uint64_t hash, unsigned order)
{
    return (uint32_t)(hash >> (-order & 63));
}

static inline struct heap_live *slots_of(uintptr_t array)
{
    return (struct heap_live *)(array & ~(uintptr_t)63);
}

static inline unsigned order_of(uintptr_t array)
{
    return (unsigned)(array & 63);
}

/* Into a free slot. */
static inline void occupy(struct heap_live *slot, const struct heap_live *live)
{
    __atomic_store_n(&slot->size, live->size, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->counter, live->counter, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->time_s, live->time_s, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->address, live->address, __ATOMIC_RELEASE);
}

static inline void clear(struct heap_live *slot)
{
    __atomic_store_n(&slot->address, 0, __ATOMIC_RELEASE);
}

static inline void put(struct heap_live *slot, const struct heap_live *live)
{
    clear(slot);
    occupy(slot, live);
}

static inline void change_begin(struct heap_stripe *shared)
{
    __atomic_store_n(&shared->seq, (shared->seq + 1) | 1, __ATOMIC_RELEASE);
}

static inline void change_end(struct heap_stripe *shared, uint32_t count)
{
    __atomic_store_n(&shared->count, count, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->seq, shared->seq + 1, __ATOMIC_RELEASE);
}

/* The slot of address, or the free one where it would go. There is always a free one. */
static inline uint32_t find(const struct heap_live *slots, unsigned order, uint64_t hash,
                            uint64_t address)
{
    uint32_t mask = (1u << order) - 1, at = home_of(hash, order);
    while (slots[at].address != 0 && slots[at].address != address)
        at = (at + 1) & mask;
    return at;
}

static uint32_t room_of(uint64_t capacity)
{
    return (uint32_t)(capacity * 4 / 5);
}

/* Makes next (of order, empty) the stripe's array, and gives it a mirror if there is room for one.
 */
static __attribute__((noinline)) void move_stripe(struct tables_stripe *s,
                                                  struct heap_stripe *shared,
                                                  struct heap_live *next, unsigned order)
{
    uintptr_t old = s->array;
    uint32_t count = 0;
    for (uint32_t i = 0; old && i < 1u << order_of(old); i++) {
        const struct heap_live *live = &slots_of(old)[i];
        if (live->address == 0)
            continue;
        uint32_t at = find(next, order, tables_mix(live->address), live->address);
        if (next[at].address)
            continue; /* the same entry twice: left by someone who never came back */
        occupy(&next[at], live);
        count++;
    }
    uint64_t offset = tables_mirror_alloc(order);
    struct heap_live *mirror = offset ? tables_at(offset) : NULL;
    for (uint32_t i = 0; mirror && i < 1u << order; i++) {
        if (next[i].address)
            put(&mirror[i], &next[i]);
        else
            clear(&mirror[i]);
    }
    uint64_t old_offset = s->mirror_offset;
    unsigned old_order = s->mirror_order;
    bool had_mirror = s->mirror != NULL;

    change_begin(shared);
    __atomic_store_n(&s->array, (uintptr_t)next | order, __ATOMIC_RELEASE);
    s->count = count;
    s->room = room_of(UINT64_C(1) << order);
    __atomic_store_n(&s->mirror, mirror, __ATOMIC_RELAXED);
    s->mirror_offset = offset;
    s->mirror_order = order;
    __atomic_store_n(&shared->offset, mirror ? offset : 0, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->capacity, mirror ? 1u << order : 0, __ATOMIC_RELEASE);
    change_end(shared, count);

    if (had_mirror)
        tables_mirror_free(old_offset, old_order);
    if (old)
        tables_live_free(slots_of(old), order_of(old));
}

/* Room for one more: full up to 4/5, up to 15/16 where memory is short. */
static bool reserve(struct tables_stripe *s, struct heap_stripe *shared)
{
    uint64_t capacity = s->array ? UINT64_C(1) << order_of(s->array) : 0;
    if (s->count < s->room)
        return true;
    unsigned order = s->array ? order_of(s->array) + 1 : FIRST_ORDER;
    struct heap_live *next = tables_live_alloc(order);
    if (!next)
        return (uint64_t)(s->count + 1) * 16 <= capacity * 15;
    move_stripe(s, shared, next, order);
    return true;
}

/* Moves entries that lie behind a gap to where searching finds them, and removes the second of two
 * with one address. Returns how many there are. */
static uint32_t settle(struct heap_live *slots, unsigned order)
{
    uint32_t count = 0;
    for (bool moved = true; moved;) {
        moved = false;
        count = 0;
        for (uint32_t i = 0; i < 1u << order; i++) {
            if (slots[i].address == 0)
                continue;
            count++;
            uint32_t at = find(slots, order, tables_mix(slots[i].address), slots[i].address);
            if (at == i)
                continue;
            if (slots[at].address == 0)
                occupy(&slots[at], &slots[i]);
            clear(&slots[i]);
            moved = true;
        }
    }
    return count;
}

/* mend where there is no memory for another array. */
static void mend_in_place(struct tables_stripe *s, struct heap_stripe *shared)
{
    unsigned order = order_of(s->array);
    struct heap_live *slots = slots_of(s->array);
    uint32_t capacity = slots ? 1u << order : 0;
    change_begin(shared);
    uint32_t count = slots ? settle(slots, order) : 0;
    if (s->mirror && (shared->capacity != capacity || tables_at(shared->offset) != s->mirror)) {
        /* Left on the way to another one. */
        __atomic_store_n(&s->mirror, NULL, __ATOMIC_RELAXED);
        __atomic_store_n(&shared->offset, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&shared->capacity, 0, __ATOMIC_RELEASE);
    }
    for (uint32_t i = 0; s->mirror && i < capacity; i++) {
        if (slots[i].address)
            put(&s->mirror[i], &slots[i]);
        else
            clear(&s->mirror[i]);
    }
    s->count = count;
    s->room = room_of(capacity);
    change_end(shared, count);
}

/* The holder before us jumped out in the middle: the entries are all there, perhaps one twice, and
 * perhaps behind a gap that searching would stop at. */
static __attribute__((noinline)) void mend(struct tables_stripe *s, struct heap_stripe *shared)
{
    unsigned order = order_of(s->array);
    struct heap_live *next = s->array ? tables_live_alloc(order) : NULL;
    if (next)
        move_stripe(s, shared, next, order);
    else
        mend_in_place(s, shared);
}

static inline bool lock_stripe(unsigned i)
{
    enum spin_result result = spin_lock(&tables.locks->stripes[i]);
    if (__builtin_expect(result == SPIN_ABANDONED, 0))
        mend(&tables.stripes[i], &tables.header->stripes[i]);
    return result != SPIN_FAILED;
}

/* Counts up to 255 and stays there: such a bucket is never empty again. */
static inline void filter_add(uint64_t address)
{
    uint8_t *count = &tables_filter[tables_filter_bucket((const void *)(uintptr_t)address)];
    uint8_t n = __atomic_load_n(count, __ATOMIC_RELAXED);
    if (n < 255)
        __atomic_store_n(count, n + 1, __ATOMIC_RELAXED);
}

static inline void filter_remove(uint64_t address)
{
    uint8_t *count = &tables_filter[tables_filter_bucket((const void *)(uintptr_t)address)];
    uint8_t n = __atomic_load_n(count, __ATOMIC_RELAXED);
    if (n > 0 && n < 255)
        __atomic_store_n(count, n - 1, __ATOMIC_RELAXED);
}

void tables_live_prefetch(struct live_place place)
{
    const struct tables_stripe *s = &tables.stripes[place.stripe];
    uintptr_t array = __atomic_load_n(&s->array, __ATOMIC_RELAXED);
    const struct heap_live *mirror = __atomic_load_n(&s->mirror, __ATOMIC_RELAXED);
    if (!array)
        return;
    uint32_t home = home_of(place.hash, order_of(array));
    __builtin_prefetch(&slots_of(array)[home], 1);
    if (mirror) /* perhaps of another size just now: a prefetch may point anywhere */
        __builtin_prefetch((const void *)((uintptr_t)mirror + home * sizeof *mirror), 1);
}

/* The stripe is full, or has no array yet, or holds the address already. Lock held. */
static __attribute__((noinline)) enum live_result
insert_rarely(struct tables_stripe *s, struct heap_stripe *shared, struct live_place place,
              const struct heap_live *live, struct heap_live *old)
{
    uint32_t at = 0;
    bool replaces = false;
    if (s->array) {
        at = find(slots_of(s->array), order_of(s->array), place.hash, live->address);
        replaces = slots_of(s->array)[at].address != 0;
    }
    if (replaces) {
        *old = slots_of(s->array)[at];
    } else {
        uintptr_t before = s->array;
        if (!reserve(s, shared))
            return LIVE_LOST;
        if (s->array != before)
            at = find(slots_of(s->array), order_of(s->array), place.hash, live->address);
        filter_add(live->address);
    }
    change_begin(shared);
    put(&slots_of(s->array)[at], live);
    if (s->mirror)
        put(&s->mirror[at], live);
    s->count += !replaces;
    change_end(shared, s->count);
    return replaces ? LIVE_REPLACED : LIVE_INSERTED;
}

enum live_result tables_live_insert(const struct heap_live *live, struct live_place place,
                                    struct heap_live *old)
{
    struct tables_stripe *s = &tables.stripes[place.stripe];
    struct heap_stripe *shared = &tables.header->stripes[place.stripe];
    if (live->address == 0 || !lock_stripe(place.stripe))
        return LIVE_LOST;
    enum live_result result = LIVE_INSERTED;
    struct heap_live *slots = slots_of(s->array);
    uint32_t at;
    if (__builtin_expect(s->count < s->room, 1) &&
        __builtin_expect(
            slots[at = find(slots, order_of(s->array), place.hash, live->address)].address == 0,
            1)) {
        filter_add(live->address);
        change_begin(shared);
        occupy(&slots[at], live);
        if (s->mirror)
            occupy(&s->mirror[at], live);
        change_end(shared, ++s->count);
    } else {
        result = insert_rarely(s, shared, place, live, old);
    }
    spin_unlock(&tables.locks->stripes[place.stripe]);
    return result;
}

/* Closes the gap at hole with the entries behind it that may lie there. */
static void close_gap(struct tables_stripe *s, uint32_t hole)
{
    struct heap_live *slots = slots_of(s->array);
    unsigned order = order_of(s->array);
    uint32_t mask = (1u << order) - 1;
    for (uint32_t at = (hole + 1) & mask; slots[at].address != 0; at = (at + 1) & mask) {
        uint32_t home = home_of(tables_mix(slots[at].address), order);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home lies behind the gap */
        put(&slots[hole], &slots[at]);
        if (s->mirror)
            put(&s->mirror[hole], &slots[at]);
        hole = at;
    }
    clear(&slots[hole]);
    if (s->mirror)
        clear(&s->mirror[hole]);
}

bool tables_live_remove(uint64_t address, struct heap_live *out)
{
    struct live_place place = tables_live_place(address);
    struct tables_stripe *s = &tables.stripes[place.stripe];
    struct heap_stripe *shared = &tables.header->stripes[place.stripe];
    if (address == 0 || !lock_stripe(place.stripe))
        return false;
    bool found = false;
    if (__builtin_expect(s->array != 0, 1)) {
        struct heap_live *slots = slots_of(s->array);
        uint32_t at = find(slots, order_of(s->array), place.hash, address);
        if (slots[at].address == address) {
            found = true;
            *out = slots[at];
            change_begin(shared);
            close_gap(s, at);
            change_end(shared, --s->count);
            filter_remove(address);
        }
    }
    spin_unlock(&tables.locks->stripes[place.stripe]);
    return found;
}
