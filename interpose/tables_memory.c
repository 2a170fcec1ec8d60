/* tables_memory.c - the memory of the tables: extents of the file, and private mappings.
 *
 * The file grows in steps: the path is opened again (no descriptor is kept), the pages are reserved
 * with fallocate, so that touching them can't be a SIGBUS later, and mapped; then the descriptor is
 * closed. Nothing is reserved ahead beyond an eighth of what there is. In private mode the same
 * offsets lie in anonymous memory. Blocks that stripes leave behind are kept in lists by size; the
 * large ones go back to the system.
 */
#include "hook_state.h"
#include "raw_sys.h"
#include "tables_internal.h"
#include <linux/falloc.h>

enum {
    PRIVATE_CHUNK = 64 << 10,
    PRIVATE_LARGE = 32 << 10, /* from here on a block is a mapping of its own */
    POPULATE_ABOVE = 64 << 10,
    MIRROR_LARGE = 32 << 10, /* from here on a free block's pages are given back */
};

/* All system failures count alike: memory is short, or the file can't be had. Trying again at each
 * sample would be a storm of system calls, so ever more requests are refused in between. */
static bool may_try(void)
{
    if (hook_quiet())
        return false;
    if (tables.skip > 0) {
        tables.skip--;
        return false;
    }
    return true;
}

static void tried(bool success)
{
    if (success) {
        tables.failures = 0;
        return;
    }
    tables.skip = 1u << tables.failures;
    if (tables.failures < 12)
        tables.failures++;
}

static bool within_limit(uint64_t bytes)
{
    uint64_t used = tables.shared_bytes + tables.private_bytes;
    return used <= tables.memory_limit && bytes <= tables.memory_limit - used;
}

/* --- private memory --- */

/* Pages of what is large come all at once: they are about to be touched, and a fault for each
 * inside malloc would cost several times as much. What a short life may never touch comes by
 * itself. */
static int populate(size_t size)
{
    return size > POPULATE_ABOVE ? MAP_POPULATE : 0;
}

static void *map_anonymous(size_t size)
{
    return raw_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate(size), -1,
                    0);
}

/* Small private mappings are looked at together. */
static bool cgroup_allows_private(size_t size)
{
    tables.private_unchecked += size;
    if (tables.private_unchecked < TABLES_GRANULE)
        return true;
    if (!tables_cgroup_allows(tables.private_unchecked))
        return false;
    tables.private_unchecked = 0;
    return true;
}

static void *map_private(size_t size)
{
    if (!within_limit(size) || !may_try())
        return NULL;
    unsigned slot = 0;
    while (slot < tables.n_mappings && tables.mappings[slot].base)
        slot++;
    if (slot == TABLES_MAX_MAPPINGS)
        return NULL;
    void *base = cgroup_allows_private(size) ? map_anonymous(size) : NULL;
    tried(base != NULL);
    if (!base)
        return NULL;
    tables.mappings[slot].size = size;
    __atomic_store_n(&tables.mappings[slot].base, base, __ATOMIC_RELEASE);
    if (slot == tables.n_mappings)
        __atomic_store_n(&tables.n_mappings, slot + 1, __ATOMIC_RELEASE);
    tables.private_bytes += size;
    return base;
}

/* False if the block has to be kept, since no system call may be made. */
static bool unmap_private(void *base)
{
    if (hook_quiet())
        return false;
    for (unsigned slot = 0; slot < tables.n_mappings; slot++) {
        struct tables_mapping *m = &tables.mappings[slot];
        if (m->base != base)
            continue;
        size_t size = m->size;
        __atomic_store_n(&m->base, NULL, __ATOMIC_RELEASE);
        raw_munmap(base, size);
        tables.private_bytes -= size;
        return true;
    }
    return false;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) & ~(to - 1);
}

/* Caller holds grow. */
static void *private_alloc(size_t size)
{
    size = round_up(size, 64);
    if (size >= PRIVATE_LARGE)
        return map_private(round_up(size, 4096));
    if ((size_t)(tables.private_end - tables.private_bump) < size) {
        size_t chunk = round_up(max_u64(PRIVATE_CHUNK, tables.private_bytes / 16), 4096);
        char *base = map_private(chunk);
        if (!base && chunk > PRIVATE_CHUNK)
            base = map_private(chunk = PRIVATE_CHUNK);
        if (!base)
            return NULL;
        tables.private_bump = base;
        tables.private_end = base + chunk;
    }
    void *block = tables.private_bump;
    tables.private_bump += size;
    return block;
}

struct heap_live *tables_live_alloc(unsigned order)
{
    if (order >= 31 || spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return NULL;
    size_t size = sizeof(struct heap_live) << order;
    uint64_t *block = (uint64_t *)(uintptr_t)tables.private_free.head[order];
    if (block) {
        tables.private_free.head[order] = block[0];
        __builtin_memset(block, 0, size);
    } else {
        block = private_alloc(size);
    }
    spin_unlock(&tables.locks->grow);
    return (struct heap_live *)block;
}

void tables_live_free(struct heap_live *array, unsigned order)
{
    if (!array || spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return;
    if ((sizeof *array << order) < PRIVATE_LARGE || !unmap_private(array)) {
        *(uint64_t *)array = tables.private_free.head[order];
        tables.private_free.head[order] = (uintptr_t)array;
    }
    spin_unlock(&tables.locks->grow);
}

uint64_t *tables_index_alloc(unsigned order)
{
    if (order >= 31 || spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return NULL;
    uint64_t *array = private_alloc(sizeof(uint64_t) << order);
    spin_unlock(&tables.locks->grow);
    return array;
}

/* --- the file --- */

long tables_reserve(int fd, uint64_t offset, uint64_t size)
{
    struct raw_held held;
    if (!raw_hold_signals(&held))
        return -EPERM;
    long result;
    int tries = 0;
    do
        result = raw_fallocate(fd, 0, offset, size);
    while (result == -EINTR && ++tries < 10);
    raw_release_signals(&held, result == -EFBIG ? RAW_SIGNAL(SIGXFSZ) : 0);
    return result;
}

static char *map_extent(int fd, uint64_t offset, uint64_t size)
{
    if (tables.is_private)
        return map_anonymous(size);
    if (tables_reserve(fd, offset, size) < 0)
        return NULL;
    return raw_mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED | (offset ? MAP_POPULATE : 0), fd,
                    offset);
}

static void add_extent(char *base, uint64_t offset, uint64_t size)
{
    tables.extents[tables.n_extents] =
        (struct tables_extent){.offset = offset, .size = size, .base = base};
    for (uint64_t at = 0; at < size; at += TABLES_GRANULE)
        __atomic_store_n(&tables.granules[(offset + at) >> TABLES_GRANULE_BITS], base + at,
                         __ATOMIC_RELEASE);
    __atomic_store_n(&tables.n_extents, tables.n_extents + 1, __ATOMIC_RELEASE);
    tables.shared_bytes += size;
    tables.bump = offset;
    tables.bump_end = offset + size;
}

/* What the newest extent has left goes to the stripes' lists, largest block first. */
static void save_rest(void)
{
    for (int order = 20; order >= 3; order--) {
        uint64_t size = (uint64_t)sizeof(struct heap_live) << order;
        while (tables.bump_end - tables.bump >= size) {
            uint64_t *block = tables_at(tables.bump);
            *block = tables.shared_free.head[order];
            tables.shared_free.head[order] = tables.bump;
            tables.bump += size;
        }
    }
}

static bool grow(uint64_t size)
{
    uint64_t end =
        tables.extents[tables.n_extents - 1].offset + tables.extents[tables.n_extents - 1].size;
    if (size > UINT64_C(1) << 32)
        return false;
    uint64_t least = round_up(size, TABLES_GRANULE);
    uint64_t step = round_up(max_u64(least, end / 8), TABLES_GRANULE);
    if (!within_limit(step))
        step = least;
    if (tables.n_extents == TABLES_MAX_EXTENTS || !within_limit(step) ||
        (end + step) >> TABLES_GRANULE_BITS > TABLES_GRANULES || !may_try())
        return false;
    char *base = NULL;
    if (tables_cgroup_allows(step)) {
        int fd = tables.is_private ? -1 : tables_file_open();
        if (tables.is_private || fd >= 0)
            base = map_extent(fd, end, step);
        if (fd >= 0)
            raw_close(fd);
    }
    tried(base != NULL);
    if (!base)
        return false;
    save_rest();
    add_extent(base, end, step);
    __atomic_store_n(&tables.header->file_size, end + step, __ATOMIC_RELEASE);
    return true;
}

static uint64_t bump_alloc(uint64_t size)
{
    size = round_up(size, 64);
    if (tables.bump_end - tables.bump < size && !grow(size))
        return 0;
    uint64_t offset = tables.bump;
    tables.bump += size;
    return offset;
}

uint64_t tables_file_alloc(uint64_t size)
{
    if (spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return 0;
    uint64_t offset = bump_alloc(size);
    spin_unlock(&tables.locks->grow);
    return offset;
}

uint64_t tables_mirror_alloc(unsigned order)
{
    if (order >= 31 || spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return 0;
    uint64_t offset = tables.shared_free.head[order];
    uint64_t *block = offset && offset % 64 == 0 ? tables_at(offset) : NULL;
    if (block) {
        tables.shared_free.head[order] = *block;
    } else {
        tables.shared_free.head[order] = 0;
        offset = bump_alloc((uint64_t)sizeof(struct heap_live) << order);
    }
    spin_unlock(&tables.locks->grow);
    return offset;
}

/* Gives a large block's whole pages back: the file gets a hole there, which is not used again, and
 * readers of our own find zeros behind it. What is left of the offsets is cheap. */
static bool give_back(uint64_t offset, uint64_t size)
{
    if (tables.is_private || hook_quiet())
        return false;
    uint64_t start = round_up(offset, 4096), end = (offset + size) & ~UINT64_C(4095);
    int fd = tables_file_open();
    if (fd < 0)
        return false;
    /* The mapping first: behind a hole in the file the next touch could find the disk full. */
    char *at = tables_at(start);
    long mapped = raw_syscall(SYS_mmap, (long)at, (long)(end - start), PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    bool done = mapped == (long)at;
    if (done &&
        raw_fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, end - start) == 0)
        tables.shared_bytes -= end - start;
    raw_close(fd);
    return done;
}

void tables_mirror_free(uint64_t offset, unsigned order)
{
    uint64_t size = (uint64_t)sizeof(struct heap_live) << order;
    if (spin_lock(&tables.locks->grow) == SPIN_FAILED)
        return;
    if (size < MIRROR_LARGE || !give_back(offset, size)) {
        uint64_t *block = tables_at(offset);
        *block = tables.shared_free.head[order];
        tables.shared_free.head[order] = offset;
    }
    spin_unlock(&tables.locks->grow);
}

bool tables_memory_start(int fd)
{
    uint64_t size = TABLES_FIRST_EXTENT;
    if (size > tables.memory_limit / 2)
        size = TABLES_GRANULE;
    if (!within_limit(size + PRIVATE_CHUNK) || !tables_cgroup_allows(size))
        return false;
    char *base = map_extent(fd, 0, size);
    if (!base)
        return false;
    add_extent(base, 0, size);
    tables.bump = round_up(sizeof(struct heap_header), 64);
    return true;
}
