/* tables_internal.h - what the files of the tables' writing side share.
 *
 *   tables.c          recording: one allocation, one free, realloc, deferred frees, rates, modules
 *   tables_stripes.c     the live table: 256 stripes, private, mirrored in the file
 *   tables_stacks.c   stacks and counters, and the private indexes that find them
 *   tables_memory.c   memory: the file's extents, private mappings, free lists, limits
 *   tables_cgroup.c   how near the memory cgroup is to its limit
 *   tables_start.c    making the tables: header and process facts
 *   tables_file.c     the directory, the file, and the dead files of earlier runs
 *   tables_fork.c     a child's own tables out of its copy of the parent's
 *
 * All writable state is in `tables`, but for what a fork must wipe, which is in *tables.locks.
 * Lock order: drain, then a stripe, or stacks, or counters, or modules, then grow. Nothing that
 * holds one of the second group asks for another of it.
 */
#ifndef APPROF_TABLES_INTERNAL_H
#define APPROF_TABLES_INTERNAL_H

#include "spin.h"
#include "tables.h"

enum {
    TABLES_GRANULE_BITS = 18, /* extents are multiples of 256 KiB */
    TABLES_GRANULE = 1 << TABLES_GRANULE_BITS,
    TABLES_GRANULES = 1 << 17, /* 32 GiB: as far as a HEAP_REF reaches */
    TABLES_MAX_EXTENTS = 512,
    TABLES_FIRST_EXTENT = 512 << 10,
    TABLES_MAX_MAPPINGS = 1024,
    TABLES_ORDERS = 40,
    TABLES_DEFERRED = 512,
    TABLES_MAX_MODULE_REGIONS = 64,
    TABLES_PATH_BYTES = 1024,
    TABLES_STACK_BYTES = 16 << 20, /* of all stacks together */
};

/* A piece of the file, mapped. Entries below n_extents (release) are complete. */
struct tables_extent {
    uint64_t offset, size;
    char *base;
};

/* A private mapping; base is stored last and cleared before it is unmapped, so that the copy in a
 * forked child never names memory that is not there. */
struct tables_mapping {
    void *base;
    size_t size;
};

/* Blocks of unit << order bytes for some unit; which one is the list's business. */
struct tables_free_lists {
    uint64_t head[TABLES_ORDERS]; /* file offset or address of the first block; 0 is none */
};

/* Hash index over things in the file: entries are (tag << 32 | HEAP_REF), 0 is empty, probed
 * linearly from the tag's upper bits. Looked up without a lock; inserted under its lock; when it
 * grows, the old array stays where it is for those who still read it. */
struct tables_index {
    uintptr_t array; /* atomic; address of the entries (64-aligned) | log2 of their number */
    uintptr_t next;  /* the same of one that is being filled to take its place, or was; or 0 */
    uint32_t count;
};

/* The region of a kind that is being filled. */
struct tables_region {
    struct heap_region *region; /* in the header, or NULL */
    char *base;
    uint64_t used;
    uint64_t total; /* bytes of all regions of this kind */
};

struct tables_stripe {
    uintptr_t array; /* atomic; address of the struct heap_live array (64-aligned) | log2, or 0 */
    uint32_t count;
    uint32_t room; /* up to this count nothing has to be looked at before another goes in */
    struct heap_live *mirror; /* in the file: as many slots as array, or NULL; atomic, relaxed */
    uint64_t mirror_offset;
    uint32_t mirror_order;
} __attribute__((aligned(64)));

struct tables_locks { /* wiped by a fork */
    uint32_t ours;    /* 1: these tables are this process's own */
    struct spin drain, grow, stacks, counters, modules, rates;
    struct spin stripes[HEAP_LIVE_STRIPES];
};

struct tables_state {
    struct heap_header *header; /* NULL: nothing is recorded. Set last, by init */
    struct tables_locks *locks;
    uint64_t rates[HEAP_MAX_RATES]; /* as in the header, where a reader's bug can't reach */

    /* deferred frees (any signal handler; drained under locks->drain) */
    uint32_t pending; /* atomic: how many are in deferred[], or about to be */
    uintptr_t deferred[TABLES_DEFERRED];

    /* stacks and counters */
    struct tables_index stack_index, counter_index;
    struct tables_region stacks, counters, dropped_counters;
    uint32_t dropped_stack;

    /* modules */
    uint32_t n_module_regions;
    struct {
        struct heap_module *modules;
        struct heap_region *region;
        uint32_t first, count; /* ids */
    } module_regions[TABLES_MAX_MODULE_REGIONS];

    /* memory (locks->grow) */
    uint64_t memory_limit;
    uint64_t shared_bytes, private_bytes;
    uint64_t private_unchecked; /* mapped since the cgroup was last asked */
    uint64_t bump, bump_end;    /* free rest of the newest extent */
    char *private_bump, *private_end;
    struct tables_free_lists shared_free, private_free;
    uint32_t failures, skip; /* after n failures, the next 2^n requests don't try the system */
    uint32_t n_mappings;
    struct tables_mapping mappings[TABLES_MAX_MAPPINGS];
    uint32_t n_extents;
    struct tables_extent extents[TABLES_MAX_EXTENTS];

    /* the file */
    bool is_private;
    uint64_t device, inode;
    char path[TABLES_PATH_BYTES]; /* "" when private or unlinked */
    int64_t start_monotonic_ns;
    bool has_vdso;

    int cgroup_version; /* 0: none known */
    char cgroup_root[64], cgroup_path[512];

    char scratch[8192]; /* for reading small files; locks->grow, or init alone */

    struct tables_stripe stripes[HEAP_LIVE_STRIPES];
    char *granules[TABLES_GRANULES]; /* atomic: where each granule of the file is mapped */
};

extern struct tables_state tables;

/* The memory at an offset of the file, or NULL if it isn't mapped. */
static inline void *tables_at(uint64_t offset)
{
    if (offset >> TABLES_GRANULE_BITS >= TABLES_GRANULES)
        return NULL;
    char *base = __atomic_load_n(&tables.granules[offset >> TABLES_GRANULE_BITS], __ATOMIC_ACQUIRE);
    return base ? base + (offset & (TABLES_GRANULE - 1)) : NULL;
}

static inline struct heap_counter *tables_counter_at(uint32_t ref)
{
    return tables_at(HEAP_OFFSET(ref));
}

static inline bool tables_usable(void)
{
    return __builtin_expect(tables.header != NULL, 1) &&
           __builtin_expect(__atomic_load_n(&tables.locks->ours, __ATOMIC_RELAXED) != 0, 1);
}

static inline uint64_t tables_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9fb21c651e98df25);
    x ^= x >> 29;
    return x * UINT64_C(0x9e3779b97f4a7c15);
}

/* --- tables_memory.c ---------------------------------------------------------------------------
 */

/* size bytes of the file in one extent, 64-aligned; their offset, or 0. Not zeroed. */
uint64_t tables_file_alloc(uint64_t size);
/* 2^order entries of a live stripe. */
uint64_t tables_mirror_alloc(unsigned order);
void tables_mirror_free(uint64_t offset, unsigned order);

/* Private memory, 64-aligned, zeroed; NULL when there is none. */
struct heap_live *tables_live_alloc(unsigned order);
void tables_live_free(struct heap_live *array, unsigned order);
uint64_t *tables_index_alloc(unsigned order);

/* First extent, with the header at its start; fd -1 is private. False: no memory. */
bool tables_memory_start(int fd);
/* Reserves [offset, offset + size) of the file with all signals (SIGXFSZ) held off. */
long tables_reserve(int fd, uint64_t offset, uint64_t size);

/* --- tables_cgroup.c ---------------------------------------------------------------------------
 */
void tables_cgroup_init(void);
/* False if bytes more would reach into the last tenth of a memory cgroup that we are in. */
bool tables_cgroup_allows(uint64_t bytes);

/* --- tables_stacks.c ---------------------------------------------------------------------------
 */
bool tables_stacks_start(void);
/* New region of at least min, at best best bytes; NULL if the file can't have one. */
struct heap_region *tables_add_region(enum heap_region_kind kind, uint64_t min, uint64_t best);
static inline uint32_t tables_stack_tag(uint64_t hash)
{
    return (uint32_t)(tables_mix(hash) >> 32);
}
/* HEAP_REF of the stack, 0 when there is no room. */
uint32_t tables_intern_stack(uint32_t tag, uint32_t n_frames, uint32_t flags,
                             const uint64_t *frames);
/* HEAP_REF of the counter, of the dropped stack's if there is no room for another (*dropped is set
 * then), 0 if there isn't even that. */
uint32_t tables_intern_counter(uint32_t stack, unsigned size_class, unsigned rate, unsigned flags,
                               bool *dropped);

/* --- tables_stripes.c
 * -----------------------------------------------------------------------------
 */
enum live_result { LIVE_LOST, LIVE_INSERTED, LIVE_REPLACED };
/* Where an address is in the live table: worked out once for all that is done with it. */
struct live_place {
    unsigned stripe;
    uint64_t hash;
};
static inline struct live_place tables_live_place(uint64_t address)
{
    uint32_t bucket = tables_filter_bucket((const void *)(uintptr_t)address);
    return (struct live_place){.stripe = (bucket * UINT32_C(0x9e3779b1)) >> 24,
                               .hash = tables_mix(address)};
}
/* *old is what was there when the result is LIVE_REPLACED. */
enum live_result tables_live_insert(const struct heap_live *live, struct live_place place,
                                    struct heap_live *old);
bool tables_live_remove(uint64_t address, struct heap_live *out);
/* Starts to fetch the two cache lines that an insert will need. */
void tables_live_prefetch(struct live_place place);

/* --- tables_start.c ----------------------------------------------------------------------------
 */
/* Everything of tables_init but tables_publish. tables is zeroed but for locks.
 * inherited_from: the parent's pid, or 0. */
bool tables_start(const struct tables_config *config, uint32_t inherited_from);
/* The last step: readers may have it, and the dead of earlier runs are removed. */
void tables_publish(void);
bool tables_locks_start(void);
int64_t tables_now_coarse(void);
uint64_t tables_parse(const char *text, const char **end);

/* --- tables_file.c -----------------------------------------------------------------------------
 */
/* Creates the file; fills path, device, inode of tables. A descriptor to be closed, or -errno. */
int tables_file_create(const char *directory, const char *exe, uint32_t pid, uint64_t nonce);
/* Opens it again for growing; a descriptor, or -errno. */
int tables_file_open(void);
/* Removes all but the four newest dead tables of the same exe in tables.path's directory. */
void tables_file_clean(const struct heap_header *own);
uint64_t tables_start_ticks(int pid);

/* --- tables.c ----------------------------------------------------------------------------------
 */
/* Both sides include live_bytes and the peak; not header.samples. */
void tables_count_alloc(struct heap_counter *counter, uint64_t size);
void tables_count_freed(const struct heap_live *live);

#endif
