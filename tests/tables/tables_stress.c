/* test: link=tables cflags=-pthread time=240 quick */
/* tables_stress.c - four threads record, free, free in one another's place, realloc, and defer,
 * with few and with ever new stacks, while a reader checks in the file, from the first moment to
 * the last, what every reader may rely on: stripes under an unmoved even seq are consistent, freed
 * never exceeds allocated, entries up to `used` are complete. At the end all figures are exact.
 *
 * Under ThreadSanitizer (tables_tsan.sh) it is also the proof that nothing else is shared.
 */
#include "tables_world.h"
#include <pthread.h>

enum { THREADS = 4, SLOTS = 512 };

static int rounds = 400000;
static int done;

struct shared_slot {
    int lock;
    uint32_t size; /* 0: nobody's */
} __attribute__((aligned(64)));

/* Slot i stands for the address of one block that any thread may get or free. */
static struct shared_slot slots[SLOTS];
static uint64_t sum_samples, sum_bytes, sum_freed, sum_freed_bytes;

static const void *address(unsigned i)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f1200000010) + (uint64_t)i * 0x10030);
}

static void add(uint64_t *sum, uint64_t n)
{
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

static void give(unsigned i, uint32_t size, const struct unwind_stack *stack)
{
    slots[i].size = size;
    tables_record_alloc(address(i), size, 0, stack);
    add(&sum_samples, 1);
    add(&sum_bytes, size);
}

static void *worker(void *arg)
{
    static __thread struct unwind_stack stack;
    uint64_t random = world_mix((uintptr_t)arg + 1);
    struct tables_ticket ticket;
    for (int round = 0; round < rounds; round++) {
        random = world_mix(random + 0x9e3779b97f4a7c15);
        unsigned i = (unsigned)random % SLOTS, what = (unsigned)(random >> 32) % 16;
        uint64_t which = (random >> 40) % 8 == 0 ? random >> 44 & 0x3fff : random >> 44 & 15;
        world_stack(&stack, which, 1 + (uint32_t)(which % 24));
        uint32_t size = 1 + (uint32_t)(random >> 20) % 5000;
        /* The allocator's part: a block is in one thread's hands at a time. */
        if (__atomic_exchange_n(&slots[i].lock, 1, __ATOMIC_ACQUIRE))
            continue;
        uint32_t was = slots[i].size;
        if (was == 0) {
            give(i, size, &stack);
        } else {
            bool found = true;
            if (what == 0) {
                tables_defer_free(address(i));
            } else if (what < 4) {
                found = tables_realloc_begin(address(i), &ticket);
                if (found && what == 1)
                    tables_realloc_abort(&ticket);
                else if (found)
                    tables_realloc_commit(&ticket);
            } else {
                found = tables_record_free(address(i));
            }
            CHECK(found, "a live sample was not found");
            if (what != 1) {
                slots[i].size = 0;
                add(&sum_freed, 1);
                add(&sum_freed_bytes, was);
            }
            if (what == 0 || what == 2)
                give(i, size, &stack);
        }
        __atomic_store_n(&slots[i].lock, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* --- the reader: only pread --- */

static void read_stripe(int fd, unsigned s, uint64_t *consistent)
{
    static struct heap_live live[1 << 16];
    struct heap_stripe found;
    uint32_t before, after;
    off_t at = (off_t)(offsetof(struct heap_header, stripes) + s * sizeof found);
    _Static_assert(offsetof(struct heap_stripe, seq) == 0, "seq is read by itself");
    if (pread(fd, &before, sizeof before, at) != sizeof before || before & 1 ||
        pread(fd, &found, sizeof found, at) != sizeof found || found.capacity > 1 << 16)
        return;
    ssize_t size = (ssize_t)(found.capacity * sizeof live[0]);
    if (pread(fd, live, (size_t)size, (off_t)found.offset) != size ||
        pread(fd, &after, sizeof after, at) != sizeof after || after != before)
        return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < found.capacity; i++) {
        count += live[i].address != 0;
        CHECK(live[i].address == 0 ||
                  (live[i].size > 0 && live[i].size <= 5000 && live[i].counter != 0),
              "half an entry in stripe %u", s);
        for (uint32_t k = i + 1; k < found.capacity && k < i + 8; k++)
            CHECK(live[i].address == 0 || live[i].address != live[k].address, "an entry twice");
    }
    CHECK(count == found.count, "stripe %u: %u entries, count %u", s, count, found.count);
    ++*consistent;
}

static void *read_region(int fd, const struct heap_region *r)
{
    char *bytes = malloc(r->used + 1);
    if (pread(fd, bytes, r->used, (off_t)r->offset) != (ssize_t)r->used)
        CHECK(false, "region is not in the file");
    return bytes;
}

static void read_regions(int fd, uint64_t *counters)
{
    static struct heap_header h;
    size_t counts = offsetof(struct heap_header, regions);
    if (pread(fd, &h, counts, 0) != (ssize_t)counts ||
        pread(fd, (char *)&h + counts, sizeof h - counts, (off_t)counts) !=
            (ssize_t)(sizeof h - counts))
        return;
    for (uint32_t i = 0; i < h.n_regions; i++) {
        const struct heap_region *r = &h.regions[i];
        char *first = read_region(fd, r), *second = read_region(fd, r);
        for (uint64_t at = 0; r->kind == HEAP_REGION_STACKS && at < r->used;) {
            const struct heap_stack *s = (const void *)(first + at);
            CHECK(s->check == HEAP_STACK_CHECK(s->n_frames, s->flags), "half a stack");
            if (s->n_frames > HEAP_MAX_DEPTH)
                break;
            at += sizeof *s + s->n_frames * sizeof(uint64_t);
        }
        for (uint64_t at = 0; r->kind == HEAP_REGION_COUNTERS && at < r->used;
             at += sizeof(struct heap_counter)) {
            const struct heap_counter *a = (const void *)(first + at);
            const struct heap_counter *b = (const void *)(second + at);
            CHECK(a->flags & HEAP_COUNTER_VALID, "half a counter");
            CHECK(a->freed_samples <= b->alloc_samples, "more freed than allocated");
            CHECK(world_double(a->freed_bytes) <= world_double(b->alloc_bytes), "bytes");
            ++*counters;
        }
        free(first);
        free(second);
    }
}

static void *reader(void *arg)
{
    uint64_t *figures = arg;
    int fd = open(tables_path(), O_RDONLY);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) || figures[0] == 0) {
        for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++)
            read_stripe(fd, s, &figures[0]);
        read_regions(fd, &figures[1]);
    }
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    world_make_directory();
    struct tables_config config = world_config(1);
    CHECK(tables_init(&config) && !tables_are_private(), "no tables");
    pthread_t threads[THREADS], reading;
    uint64_t figures[2] = {0};
    pthread_create(&reading, NULL, reader, figures);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    pthread_join(reading, NULL);

    uint64_t live = 0, live_bytes = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        live += slots[i].size != 0, live_bytes += slots[i].size;
    tables_record_free((const void *)0x10); /* drains what is still queued, if its bucket is used */
    struct heap_header *h = tables_header();
    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    struct world_sums sums = world_sum(file, size);
    uint64_t queued = sum_freed - sums.freed_samples; /* deferred and not yet drained */
    CHECK(sums.alloc_samples == sum_samples && h->samples == sum_samples, "%lu of %lu samples",
          (long)sums.alloc_samples, (long)sum_samples);
    CHECK(sums.alloc_bytes == (double)sum_bytes, "bytes");
    CHECK(queued <= THREADS * 2, "%lu frees missing", (long)queued);
    CHECK(sums.live == live + queued && sums.live_count == sums.live, "%lu live, should be %lu",
          (long)sums.live, (long)live);
    CHECK(queued > 0 || h->live_bytes == live_bytes, "live bytes");
    CHECK(queued > 0 || sums.freed_bytes == (double)sum_freed_bytes, "freed bytes");
    CHECK(h->peak_bytes >= h->live_bytes, "peak");
    CHECK(h->lost_live + h->lost_samples + h->lost_stacks + h->frees_unseen == 0,
          "losses: %lu live, %lu samples, %lu stacks, %lu frees", (long)h->lost_live,
          (long)h->lost_samples, (long)h->lost_stacks, (long)h->frees_unseen);
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].size)
            CHECK(tables_record_free(address(i)), "slot %u lost", i);
    CHECK(h->live_bytes == 0, "%ld live at the end", (long)h->live_bytes);
    for (unsigned b = 0; b < 1u << TABLES_FILTER_BITS; b++)
        CHECK(tables_filter[b] == 0 || tables_filter[b] == 255, "filter bucket %u", b);
    printf("%lu samples, %lu stacks; the reader saw %lu stripes and %lu counters at rest\n",
           (long)sum_samples, (long)sums.stacks, (long)figures[0], (long)figures[1]);
    free(file);
    return world_end();
}
