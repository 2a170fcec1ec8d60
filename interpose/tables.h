/* tables.h - the writing side of the heap tables (heap_tables.h has the layout).
 *
 * Lock-free but for short spin locks that no signal handler, no fork and no dead thread can leave
 * held: the caller holds its slot's recursion mark (slot.depth) while inside, locks lie in pages
 * that a fork wipes, and each wait is bounded, after which the event is counted as lost. Preserves
 * nothing of errno: the caller does. Allocates only from its own mappings, within APPROF_MEMORY.
 */
#ifndef APPROF_TABLES_H
#define APPROF_TABLES_H

#include "heap_tables.h"
#include "unwind.h"
#include "tables_reader.h"

struct tables_config {
    const char *directory; /* NULL: /dev/shm/approf-<uid>; "off": private memory */
    uint64_t memory_limit; /* bytes, shared and private together */
    uint64_t rate;
    uint32_t depth;
    const char *exe; /* full path of the executable */
};

/* Makes this process's tables: the header, first regions, the file in the directory (0700
 * directory, 0600 file, O_EXCL, no links followed, pages reserved with fallocate, SIGXFSZ held
 * off), or private memory where a file can't be had; removes all but the four newest dead tables of
 * the same exe. False if not even private memory can be had: then nothing is recorded. Called from
 * the constructor, or by the first event of a forked child. No descriptor stays open. */
bool tables_init(const struct tables_config *config);

/* True in a process that still has its parent's tables: it was forked, however that was done, and
 * tables_after_fork hasn't run. Everything here records nothing until it has. One load. */
bool tables_forked(void);

/* The header in memory, or NULL before tables_init. Its totals may be added to atomically. */
struct heap_header *tables_header(void);

bool tables_are_private(void);
/* The file's path, or "" when private. */
const char *tables_path(void);

/* One sampled allocation: finds or adds its stack and counter, adds to the allocated side and to
 * live/peak totals, and follows the address until it is freed. Published before it returns.
 * rate_index is the index in header.rates. With stack->place (tables_place.h) nothing is looked up
 * that it knows. */
void tables_record_alloc(const void *address, size_t size, uint32_t rate_index,
                         const struct unwind_stack *stack);

/* Filter: one byte per bucket of addresses; 0 means that no live sample lies there, so the free
 * can't be one of ours. The fast path of free reads only this. A bucket is 1 KiB of addresses,
 * modulo 64 MiB: frees of neighbouring blocks read the same line of the cache, and a free next to a
 * live sample, which is looked up in vain, is one in 500 at the default rate. A larger one would be
 * reached in one instruction less, but a target may have no more room for addresses than it needs
 * itself (RLIMIT_AS). */
enum { TABLES_FILTER_BITS = 16, TABLES_FILTER_SHIFT = 10 };
extern uint8_t tables_filter[1u << TABLES_FILTER_BITS] __attribute__((visibility("hidden")));
static inline uint32_t tables_filter_bucket(const void *address)
{
    return (uint32_t)((uintptr_t)address >> TABLES_FILTER_SHIFT) & ((1u << TABLES_FILTER_BITS) - 1);
}

/* If address is a live sample: removes it and adds to the freed side of its counter. Must come
 * before the real free. Returns whether it was one. */
bool tables_record_free(const void *address);

/* The same from a signal handler that interrupted the hook on this thread: remembers the address
 * without any lock; it is removed before anything else is inserted. */
void tables_defer_free(const void *address);

/* realloc: takes address out of the live table and remembers it in *ticket, without counting it as
 * freed, so that no other thread that gets the block from the allocator beneath can meet it;
 * tables_realloc_commit then counts it as freed, tables_realloc_abort puts it back (the realloc
 * failed and the block is still there). Returns false (nothing to do) if it was no sample. */
struct tables_ticket {
    struct heap_live live;
};
bool tables_realloc_begin(const void *address, struct tables_ticket *ticket);
void tables_realloc_commit(const struct tables_ticket *ticket);
void tables_realloc_abort(const struct tables_ticket *ticket);

/* For modules.c: appends a module record; returns its id, 0 when full. */
uint32_t tables_add_module(const struct heap_module *module);
/* The record of an id, or NULL. */
struct heap_module *tables_module(uint32_t id);

/* A new rate from now on; returns its index in header.rates, or the current one if the table of
 * rates is full. */
uint32_t tables_set_rate(uint64_t rate);

/* A reader over this process's own tables (proto/tables_reader.h), lock-free, usable at exit with
 * other threads still running. */
struct tables_io tables_own_io(void);

/* In a forked child (first event): makes the child's own tables from config; every live sample that
 * the child's private copy holds is entered as inherited (its stack is read from the parent's
 * mapping, which is unmapped afterwards). Other threads of the child must be kept out by the
 * caller. */
bool tables_after_fork(const struct tables_config *config);

/* Unlinks the file (clean exit, once the profile is written). The mapping stays usable. */
void tables_unlink(void);

#endif
