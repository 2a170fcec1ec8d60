/* tables_fork.c - a forked child's own tables.
 *
 * The child starts with copies of all private memory, as it was at one instant of each of the
 * parent's threads, and with the parent's file still mapped. What was live in the copy is entered
 * anew as inherited; stacks, counters' keys and modules are read from the parent's file, which the
 * parent goes on writing: only parts that never change once they are valid are read, and each is
 * checked. Then the parent's file is unmapped. Ids of modules and indexes of rates stay what they
 * were, since frames and thread slots hold them.
 */
#include "hook_state.h"
#include "raw_sys.h"
#include "tables_internal.h"
#include <string.h>

struct tables_old {
    uint32_t pid, n_modules, n_rates;
    uint64_t rates[HEAP_MAX_RATES];
    uint32_t n_extents, n_mappings;
    struct tables_extent extents[TABLES_MAX_EXTENTS];
    struct tables_mapping mappings[TABLES_MAX_MAPPINGS];
    uintptr_t arrays[HEAP_LIVE_STRIPES];
    uintptr_t deferred[TABLES_DEFERRED];
    uintptr_t stack_index;
    uint32_t module_ids[TABLES_MAX_MODULE_REGIONS][2]; /* first, count */
    struct heap_module *modules[TABLES_MAX_MODULE_REGIONS];
    uint32_t n_module_regions;
    char directory[TABLES_PATH_BYTES];
    uint64_t frames[HEAP_MAX_DEPTH];

    uint64_t *tags; /* map from a stack's HEAP_REF to its tag: (ref << 32 | tag), or NULL */
    unsigned tags_order;
    uint32_t memo[1024][2]; /* from an old counter to its new one */
};

static void save(struct tables_old *old)
{
    old->pid = tables.header->pid;
    old->n_rates = __atomic_load_n(&tables.header->n_rates, __ATOMIC_ACQUIRE);
    if (old->n_rates > HEAP_MAX_RATES)
        old->n_rates = HEAP_MAX_RATES;
    memcpy(old->rates, tables.rates, sizeof old->rates);
    old->n_extents = tables.n_extents;
    memcpy(old->extents, tables.extents, sizeof old->extents);
    old->n_mappings = tables.n_mappings;
    memcpy(old->mappings, tables.mappings, sizeof old->mappings);
    for (unsigned i = 0; i < HEAP_LIVE_STRIPES; i++)
        old->arrays[i] = tables.stripes[i].array;
    memcpy(old->deferred, tables.deferred, sizeof old->deferred);
    old->stack_index = tables.stack_index.array;
    old->n_module_regions = tables.n_module_regions;
    for (uint32_t i = 0; i < old->n_module_regions; i++) {
        old->module_ids[i][0] = tables.module_regions[i].first;
        old->module_ids[i][1] = tables.module_regions[i].count;
        old->modules[i] = tables.module_regions[i].modules;
    }
    old->n_modules = __atomic_load_n(&tables.header->n_modules, __ATOMIC_ACQUIRE);
    const char *slash = strrchr(tables.path, '/');
    if (slash)
        memcpy(old->directory, tables.path, (size_t)(slash - tables.path));
}

/* The filter's bytes of all that is live to zero, instead of copying all its pages. A byte that
 * another thread was about to raise or lower at the instant of the fork may stay above zero: such
 * an address is looked up in vain. */
static void forget_filter(void)
{
    for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++) {
        uintptr_t array = tables.stripes[s].array;
        const struct heap_live *slots = (const struct heap_live *)(array & ~(uintptr_t)63);
        for (uint32_t i = 0; array != 0 && i < 1u << (array & 63); i++)
            if (slots[i].address != 0)
                tables_filter[tables_filter_bucket((const void *)slots[i].address)] = 0;
    }
}

/* Everything to zero, but for the locks' page. */
static void forget(void)
{
    struct tables_locks *locks = tables.locks;
    uint64_t granules = 0;
    forget_filter();
    for (uint32_t i = 0; i < tables.n_extents; i++)
        granules += tables.extents[i].size >> TABLES_GRANULE_BITS;
    memset(&tables, 0, offsetof(struct tables_state, granules));
    memset(tables.granules, 0, granules * sizeof tables.granules[0]);
    tables.locks = locks;
}

/* size bytes of the parent's file, or NULL. */
static const void *old_at(const struct tables_old *old, uint64_t offset, uint64_t size)
{
    uint32_t low = 0, high = old->n_extents;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (old->extents[middle].offset + old->extents[middle].size <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == old->n_extents || offset < old->extents[low].offset)
        return NULL;
    const struct tables_extent *e = &old->extents[low];
    return size <= e->size - (offset - e->offset) ? e->base + (offset - e->offset) : NULL;
}

static uint32_t tag_home(const struct tables_old *old, uint32_t ref)
{
    return (ref * UINT32_C(0x9e3779b1)) >> (32 - old->tags_order);
}

/* Turns the parent's stack index around. The walker's hash isn't stored, but its tag is; with it a
 * stack that child and parent share is one stack in the child. */
static void build_tags(struct tables_old *old)
{
    unsigned order = old->stack_index & 63;
    const uint64_t *entries = (const uint64_t *)(old->stack_index & ~(uintptr_t)63);
    old->tags_order = order;
    old->tags = raw_map_private(sizeof(uint64_t) << order);
    for (uint32_t i = 0; old->tags && i < 1u << order; i++) {
        uint32_t ref = (uint32_t)entries[i], tag = (uint32_t)(entries[i] >> 32);
        if (ref == 0)
            continue;
        uint32_t at = tag_home(old, ref);
        while (old->tags[at] != 0)
            at = (at + 1) & ((1u << order) - 1);
        old->tags[at] = (uint64_t)ref << 32 | tag;
    }
}

static uint32_t tag_of(const struct tables_old *old, uint32_t ref, const struct heap_stack *stack)
{
    if (old->tags) {
        uint32_t mask = (1u << old->tags_order) - 1, at = tag_home(old, ref);
        for (; old->tags[at] != 0; at = (at + 1) & mask)
            if ((uint32_t)(old->tags[at] >> 32) == ref)
                return (uint32_t)old->tags[at];
    }
    uint64_t hash = stack->n_frames; /* never the walker's, but the same for the same stack */
    for (uint32_t i = 0; i < stack->n_frames; i++)
        hash = tables_mix(hash ^ stack->frames[i]);
    return tables_stack_tag(hash);
}

/* The child's reference for a stack of the parent; 0 if it can't be read or kept. */
static uint32_t inherit_stack(struct tables_old *old, uint32_t ref)
{
    const struct heap_stack *stack = old_at(old, HEAP_OFFSET(ref), sizeof *stack);
    if (!stack || stack->n_frames > HEAP_MAX_DEPTH ||
        stack->check != HEAP_STACK_CHECK(stack->n_frames, stack->flags) ||
        (stack->flags & HEAP_STACK_DROPPED) ||
        !old_at(old, HEAP_OFFSET(ref), sizeof *stack + stack->n_frames * sizeof(uint64_t)))
        return 0;
    /* Modules that found no room in the child must not turn into whichever gets their id. */
    for (uint32_t i = 0; i < stack->n_frames; i++) {
        uint64_t frame = stack->frames[i];
        old->frames[i] = HEAP_FRAME_MODULE(frame) <= tables.header->n_modules
                             ? frame
                             : HEAP_FRAME(0, HEAP_FRAME_PC(frame));
    }
    return tables_intern_stack(tag_of(old, ref, stack), stack->n_frames, stack->flags, old->frames);
}

static uint32_t inherit_counter(struct tables_old *old, uint32_t ref, bool *dropped)
{
    uint32_t *memo = old->memo[(ref * UINT32_C(0x9e3779b1)) >> 22];
    *dropped = false;
    if (memo[0] == ref && ref != 0)
        return memo[1];
    const struct heap_counter *counter = old_at(old, HEAP_OFFSET(ref), sizeof *counter);
    if (!counter || !(counter->flags & HEAP_COUNTER_VALID) || counter->rate >= old->n_rates)
        return 0;
    uint32_t own = tables_intern_counter(inherit_stack(old, counter->stack), counter->size_class,
                                         counter->rate, HEAP_COUNTER_INHERITED, dropped);
    if (!*dropped) {
        memo[0] = ref;
        memo[1] = own;
    }
    return own;
}

static bool is_deferred(const struct tables_old *old, uint64_t address)
{
    for (unsigned n = 0, i = (unsigned)(address >> 4); n < TABLES_DEFERRED; n++, i++)
        if (old->deferred[i % TABLES_DEFERRED] == address)
            return true;
    return false;
}

static void inherit_live(struct tables_old *old, bool any_deferred)
{
    struct heap_header *h = tables.header;
    for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++) {
        uint32_t capacity = old->arrays[s] ? 1u << (old->arrays[s] & 63) : 0;
        const struct heap_live *slots = (const struct heap_live *)(old->arrays[s] & ~(uintptr_t)63);
        for (uint32_t i = 0; i < capacity; i++) {
            struct heap_live live = slots[i], same;
            bool dropped;
            if (live.address == 0 || (any_deferred && is_deferred(old, live.address)))
                continue;
            live.counter = inherit_counter(old, live.counter, &dropped);
            live.time_s = 0;
            if (live.counter == 0) {
                h->lost_samples++;
                continue;
            }
            h->lost_stacks += dropped;
            switch (tables_live_insert(&live, tables_live_place(live.address), &same)) {
            case LIVE_INSERTED:
                tables_count_alloc(tables_counter_at(live.counter), live.size);
                break;
            case LIVE_REPLACED:
                break; /* was being moved at the instant of the fork */
            case LIVE_LOST:
                h->lost_live++;
            }
        }
    }
}

static void inherit_rates(const struct tables_old *old, uint64_t rate)
{
    struct heap_header *h = tables.header;
    memcpy(tables.rates, old->rates, sizeof tables.rates);
    memcpy(h->rates, old->rates, sizeof h->rates);
    h->rate = h->rates[old->n_rates - 1];
    h->n_rates = old->n_rates;
    tables_set_rate(rate);
}

static void inherit_modules(const struct tables_old *old)
{
    for (uint32_t r = 0; r < old->n_module_regions; r++)
        for (uint32_t i = 0; i < old->module_ids[r][1]; i++)
            if (old->module_ids[r][0] + i > old->n_modules ||
                tables_add_module(&old->modules[r][i]) != old->module_ids[r][0] + i)
                return;
}

/* No system call may be made: all that can be done is to record nothing more. */
static bool disable(void)
{
    tables.header = NULL;
    forget_filter();
    return false;
}

bool tables_after_fork(const struct tables_config *config)
{
    if (!tables.header)
        return tables_init(config);
    struct tables_old *old = hook_quiet() ? NULL : raw_map_private(sizeof *old);
    if (!old)
        return disable();
    save(old);
    forget();
    struct tables_config own = *config;
    if (own.directory && own.directory[0] != '/' && old->directory[0] == '/')
        own.directory = old->directory; /* it was relative to where the parent started */
    bool started = tables_start(&own, old->pid);
    if (started) {
        bool any_deferred = false;
        for (unsigned i = 0; i < TABLES_DEFERRED; i++)
            any_deferred = any_deferred || old->deferred[i] != 0;
        build_tags(old);
        inherit_rates(old, config->rate);
        inherit_modules(old);
        inherit_live(old, any_deferred);
        tables_publish();
    }
    if (old->tags)
        raw_munmap(old->tags, sizeof(uint64_t) << old->tags_order);
    for (uint32_t i = 0; i < old->n_extents; i++)
        raw_munmap(old->extents[i].base, old->extents[i].size);
    for (uint32_t i = 0; i < old->n_mappings; i++)
        if (old->mappings[i].base)
            raw_munmap(old->mappings[i].base, old->mappings[i].size);
    raw_munmap(old, sizeof *old);
    return started;
}
