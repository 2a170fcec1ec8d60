/* tables.c - recording into the heap tables: allocations, frees, reallocs, rates and modules.
 *
 * Order within one sample: the counter's allocated side first, then the live entry; at the free the
 * entry goes first, then the freed side grows. So freed never runs ahead of allocated.
 */
#include "tables_internal.h"
#include "hook_state.h"
#include "weight.h"
#include <string.h>

struct tables_state tables;

struct heap_header *tables_header(void)
{
    return tables.header;
}

bool tables_are_private(void)
{
    return tables.is_private;
}

const char *tables_path(void)
{
    return tables.path;
}

bool tables_forked(void)
{
    return tables.header && __atomic_load_n(&tables.locks->ours, __ATOMIC_RELAXED) == 0;
}

/* --- counting --- */

static inline uint64_t rate_of(const struct heap_counter *counter)
{
    return tables.rates[counter->rate % HEAP_MAX_RATES];
}

static __attribute__((noinline)) void raise_peak(uint64_t live)
{
    struct heap_header *h = tables.header;
    uint64_t peak = __atomic_load_n(&h->peak_bytes, __ATOMIC_RELAXED);
    while ((int64_t)live > (int64_t)peak) {
        if (__atomic_compare_exchange_n(&h->peak_bytes, &peak, live, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&h->peak_monotonic_ns, tables_now_coarse(), __ATOMIC_RELAXED);
            break;
        }
    }
}

struct side {
    uint64_t *samples, *objects, *bytes, *w2;
};

/* Bytes that a sample stands for, and *w, its objects. Out of line, as add_weighted is: where all
 * is recorded there is nothing to weigh. */
static __attribute__((noinline)) uint64_t weigh(uint64_t size, uint64_t rate, double *w)
{
    *w = weight_of(size, rate);
    return weight_bytes(*w, size);
}

static __attribute__((noinline)) void add_weighted(struct side side, double w, uint64_t size,
                                                   bool single)
{
    double s = (double)(int64_t)size; /* one instruction; no size has the upper bit */
    add_double(side.objects, w, single);
    add_double(side.bytes, w * s, single);
    add_double(side.w2, w * w, single);
}

/* One sample of w objects. At rate 1 bytes is a plain integer sum, stored as a double like the
 * others; integer doubles add exactly up to 2^53. */
static inline void add_sample(struct side side, uint64_t rate, double w, uint64_t size, bool single)
{
    add_u64(side.samples, 1, single);
    if (rate > 1)
        add_weighted(side, w, size, single);
    else
        add_double(side.bytes, (double)(int64_t)size, single);
}

/* The header's total before the counter: heap_tables.h says why. */
static inline __attribute__((always_inline)) void count_alloc(struct heap_counter *c, uint64_t size,
                                                              bool single)
{
    uint64_t rate = rate_of(c), bytes = size;
    double w = 1;
    if (rate > 1)
        bytes = weigh(size, rate, &w);
    uint64_t live = add_u64(&tables.header->live_bytes, bytes, single);
    if (__builtin_expect((int64_t)live >
                             (int64_t)__atomic_load_n(&tables.header->peak_bytes, __ATOMIC_RELAXED),
                         0))
        raise_peak(live);
    add_sample((struct side){&c->alloc_samples, &c->alloc_objects, &c->alloc_bytes, &c->alloc_w2},
               rate, w, size, single);
}

void tables_count_alloc(struct heap_counter *c, uint64_t size)
{
    count_alloc(c, size, spin_single());
}

static inline __attribute__((always_inline)) void count_freed(const struct heap_live *live)
{
    struct heap_counter *c = tables_counter_at(live->counter);
    if (!c)
        return;
    bool single = spin_single();
    uint64_t rate = rate_of(c), bytes = live->size;
    double w = 1;
    if (rate > 1)
        bytes = weigh(live->size, rate, &w);
    add_sample((struct side){&c->freed_samples, &c->freed_objects, &c->freed_bytes, &c->freed_w2},
               rate, w, live->size, single);
    add_u64(&tables.header->live_bytes, -bytes, single);
}

void tables_count_freed(const struct heap_live *live)
{
    count_freed(live);
}

static inline void add_one(uint64_t *count)
{
    add_u64(count, 1, spin_single());
}

/* --- deferred frees --- */

/* A slot is cleared, and pending lowered, only after its entry is out of the live table. The
 * address was queued before it was really freed, so whoever gets it from the allocator again sees
 * pending above 0, or the entry gone; and then waits here until it is. */
static bool drain(void)
{
    if (spin_lock(&tables.locks->drain) == SPIN_FAILED)
        return false;
    for (unsigned i = 0; i < TABLES_DEFERRED; i++) {
        uintptr_t address = __atomic_load_n(&tables.deferred[i], __ATOMIC_ACQUIRE);
        struct heap_live live;
        if (address == 0)
            continue;
        if (tables_live_remove(address, &live))
            tables_count_freed(&live);
        __atomic_store_n(&tables.deferred[i], 0, __ATOMIC_RELEASE);
        __atomic_fetch_sub(&tables.pending, 1, __ATOMIC_RELEASE);
    }
    spin_unlock(&tables.locks->drain);
    return true;
}

static inline bool drained(void)
{
    return __builtin_expect(__atomic_load_n(&tables.pending, __ATOMIC_ACQUIRE) == 0, 1) || drain();
}

static inline bool maybe_live(const void *address)
{
    return __atomic_load_n(&tables_filter[tables_filter_bucket(address)], __ATOMIC_RELAXED) != 0;
}

void tables_defer_free(const void *address)
{
    if (!tables_usable() || !maybe_live(address))
        return;
    __atomic_fetch_add(&tables.pending, 1, __ATOMIC_ACQ_REL);
    for (unsigned n = 0, i = (unsigned)((uintptr_t)address >> 4); n < TABLES_DEFERRED; n++, i++) {
        uintptr_t empty = 0;
        if (__atomic_compare_exchange_n(&tables.deferred[i % TABLES_DEFERRED], &empty,
                                        (uintptr_t)address, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    __atomic_fetch_sub(&tables.pending, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&tables.header->frees_unseen, 1, __ATOMIC_RELAXED);
}

/* --- allocations and frees --- */

static __attribute__((noinline)) void
count_exception(const struct heap_live *live, const struct heap_live *old, enum live_result result)
{
    if (result == LIVE_REPLACED) {
        tables_count_freed(old);
        add_one(&tables.header->frees_unseen);
    } else {
        /* Not followed, so it must not look like a leak: counted as freed at once. */
        tables_count_freed(live);
        add_one(&tables.header->lost_live);
    }
}

static inline void insert_live(const struct heap_live *live, struct live_place place)
{
    struct heap_live old;
    enum live_result result = drained() ? tables_live_insert(live, place, &old) : LIVE_LOST;
    if (__builtin_expect(result != LIVE_INSERTED, 0))
        count_exception(live, &old, result);
}

static inline uint32_t place_key(unsigned size_class, uint32_t rate_index)
{
    return size_class << 8 | rate_index;
}

/* HEAP_REF of the counter, as tables_intern_counter has it; fills place if that is the stack's own.
 */
static __attribute__((noinline)) uint32_t find_place(const struct unwind_stack *stack,
                                                     unsigned size_class, uint32_t rate_index,
                                                     struct tables_place *place)
{
    uint32_t n_frames = stack->n_frames < HEAP_MAX_DEPTH ? stack->n_frames : HEAP_MAX_DEPTH;
    if (place->stack == 0)
        place->stack = tables_intern_stack(tables_stack_tag(stack->hash), n_frames,
                                           stack->flags & 0xffff, stack->frames);
    bool dropped = false;
    uint32_t counter = tables_intern_counter(place->stack, size_class, rate_index, 0, &dropped);
    if (__builtin_expect(dropped, 0)) {
        if (counter != 0)
            add_one(&tables.header->lost_stacks);
        return counter;
    }
    unsigned i = size_class % PLACE_COUNTERS;
    place->of[i].counter =
        0; /* never, not even for a moment, the counter of one with the key of another */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place->of[i].key = place_key(size_class, rate_index);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place->of[i].counter = counter;
    return counter;
}

void tables_record_alloc(const void *address, size_t size, uint32_t rate_index,
                         const struct unwind_stack *stack)
{
    struct tables_place nowhere = {0}, *place = stack->place ? stack->place : &nowhere;
    if (!tables_usable())
        return;
    struct heap_header *h = tables.header;
    unsigned size_class = heap_size_class(size);
    struct live_place live_place = tables_live_place((uintptr_t)address);
    tables_live_prefetch(live_place);
    if (rate_index >= HEAP_MAX_RATES)
        rate_index = 0;
    unsigned i = size_class % PLACE_COUNTERS;
    uint32_t counter_ref = place->of[i].counter;
    if (counter_ref == 0 || place->of[i].key != place_key(size_class, rate_index)) {
        counter_ref = find_place(stack, size_class, rate_index, place);
        if (counter_ref == 0) {
            add_one(&h->lost_samples);
            return;
        }
    }
    if (__builtin_expect((stack->flags & HEAP_STACK_TRUNCATED) != 0, 0))
        add_one(&h->truncated_stacks);
    bool single = spin_single();
    add_u64(&h->samples, 1, single);
    count_alloc(tables_counter_at(counter_ref), size, single);
    int64_t now = tables_now_coarse();
    /* The clock ticks once in some milliseconds: mostly there is nothing to write. */
    if (__atomic_load_n(&h->last_sample_ns, __ATOMIC_RELAXED) < now)
        __atomic_store_n(&h->last_sample_ns, now, __ATOMIC_RELAXED);
    struct heap_live live = {.address = (uintptr_t)address,
                             .size = size,
                             .counter = counter_ref,
                             .time_s =
                                 (uint32_t)((uint64_t)(now - h->start_monotonic_ns) / 1000000000u)};
    insert_live(&live, live_place);
}

bool tables_record_free(const void *address)
{
    struct heap_live live;
    if (!tables_usable())
        return false;
    drained(); /* a deferred free of this very address counts once */
    if (!tables_live_remove((uintptr_t)address, &live))
        return false;
    count_freed(&live);
    return true;
}

bool tables_realloc_begin(const void *address, struct tables_ticket *ticket)
{
    if (!maybe_live(address) || !tables_usable())
        return false;
    drained();
    return tables_live_remove((uintptr_t)address, &ticket->live);
}

void tables_realloc_commit(const struct tables_ticket *ticket)
{
    if (tables_usable())
        tables_count_freed(&ticket->live);
}

void tables_realloc_abort(const struct tables_ticket *ticket)
{
    if (tables_usable())
        insert_live(&ticket->live, tables_live_place(ticket->live.address));
}

/* --- rates and modules --- */

uint32_t tables_set_rate(uint64_t rate)
{
    if (!tables_usable() || spin_lock(&tables.locks->rates) == SPIN_FAILED)
        return 0;
    struct heap_header *h = tables.header;
    uint32_t n = __atomic_load_n(&h->n_rates, __ATOMIC_RELAXED);
    uint32_t index = n - 1;
    if (h->rates[n - 1] != rate && n < HEAP_MAX_RATES) {
        tables.rates[n] = rate;
        h->rates[n] = rate;
        __atomic_store_n(&h->rate, rate, __ATOMIC_RELEASE);
        __atomic_store_n(&h->n_rates, n + 1, __ATOMIC_RELEASE);
        index = n;
    }
    spin_unlock(&tables.locks->rates);
    return index;
}

static struct heap_module *module_at(uint32_t id)
{
    uint32_t n = __atomic_load_n(&tables.n_module_regions, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = tables.module_regions[i].first;
        if (id >= first && id - first < tables.module_regions[i].count)
            return &tables.module_regions[i].modules[id - first];
    }
    return NULL;
}

/* Caller holds modules. Regions are filled completely before the next one begins: ids run on. */
static bool module_room(uint32_t id)
{
    uint32_t n = tables.n_module_regions;
    if (module_at(id))
        return true;
    if (n == TABLES_MAX_MODULE_REGIONS)
        return false;
    uint32_t count = id / 4 > 32 ? id / 4 : 32;
    struct heap_region *region = tables_add_region(
        HEAP_REGION_MODULES, 8 * sizeof(struct heap_module), count * sizeof(struct heap_module));
    if (!region)
        return false;
    tables.module_regions[n].modules = tables_at(region->offset);
    tables.module_regions[n].region = region;
    tables.module_regions[n].first = id;
    tables.module_regions[n].count = (uint32_t)(region->size / sizeof(struct heap_module));
    __atomic_store_n(&tables.n_module_regions, n + 1, __ATOMIC_RELEASE);
    return true;
}

uint32_t tables_add_module(const struct heap_module *module)
{
    if (!tables_usable() || spin_lock(&tables.locks->modules) == SPIN_FAILED)
        return 0;
    struct heap_header *h = tables.header;
    uint32_t id = __atomic_load_n(&h->n_modules, __ATOMIC_RELAXED) + 1;
    if (id > HEAP_MAX_MODULES || !module_room(id)) {
        spin_unlock(&tables.locks->modules);
        return 0;
    }
    struct heap_module *to = module_at(id);
    uint32_t region = tables.n_module_regions - 1;
    memcpy((char *)to + sizeof to->valid, (const char *)module + sizeof module->valid,
           sizeof *to - sizeof to->valid);
    __atomic_store_n(&to->valid, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&tables.module_regions[region].region->used,
                     (id - tables.module_regions[region].first + 1) * sizeof *to, __ATOMIC_RELEASE);
    __atomic_store_n(&h->n_modules, id, __ATOMIC_RELEASE);
    spin_unlock(&tables.locks->modules);
    return id;
}

struct heap_module *tables_module(uint32_t id)
{
    if (!tables.header || id == 0 ||
        id > __atomic_load_n(&tables.header->n_modules, __ATOMIC_ACQUIRE))
        return NULL;
    return module_at(id);
}

/* --- reading ourselves --- */

/* In whole words where it can, so that no value is torn. */
static void copy_out(char *to, const char *from, size_t n)
{
    while (n > 0) {
        if (((uintptr_t)from & 7) == 0 && n >= 8) {
            uint64_t word = __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
            memcpy(to, &word, 8);
            to += 8, from += 8, n -= 8;
        } else {
            *to++ = __atomic_load_n(from++, __ATOMIC_ACQUIRE);
            n--;
        }
    }
}

static int64_t read_own(void *ctx, void *bytes, size_t n, uint64_t offset)
{
    (void)ctx;
    size_t done = 0;
    while (done < n) {
        const char *from = tables_at(offset + done);
        if (!from)
            break;
        size_t piece = TABLES_GRANULE - ((offset + done) & (TABLES_GRANULE - 1));
        if (piece > n - done)
            piece = n - done;
        copy_out((char *)bytes + done, from, piece);
        done += piece;
    }
    return (int64_t)done;
}

struct tables_io tables_own_io(void)
{
    return (struct tables_io){.read_at = read_own};
}
