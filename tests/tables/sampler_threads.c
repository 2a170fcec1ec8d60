/* test:
 * link=tables,interpose/slots.c,interpose/sampler.c,interpose/overhead.c,interpose/hook_count.c
 * cflags=-pthread,-fno-omit-frame-pointer time=240 quick */
/* sampler_threads.c - the sampler between malloc and the tables, with real threads: generations of
 * them count allocations, frees of their own and of others' blocks, and reallocations, while the
 * rate changes. At the end the total is exact, and so is everything that was recorded at rate 1.
 * Threads that follow on one another take over slots.
 *
 * Under ThreadSanitizer (tables_tsan.sh) it is also the proof that nothing else is shared.
 */
#include "fork.h"
#include "hooks.h"
#include "resolve.h"
#include "slots.h"
#include "tables_world.h"
#include <pthread.h>

enum { AT_ONCE = 4, SLOTS = 256 };

bool hook_is_active = true, hook_over_wrapper;
static int generations = 30, rounds = 4000;
static uint64_t allocated_bytes, allocated;
static struct {
    int lock;
    uint32_t size;
} blocks[SLOTS];

bool resolve_is_beneath(uintptr_t address)
{
    (void)address;
    return false;
}

bool fork_child_start(void)
{
    return false;
}

void unwind_capture(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack)
{
    (void)slot, (void)max;
    world_stack(stack, start->pc % 500, 12);
}

static const void *address(unsigned i)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f1200000010) + (uint64_t)i * 0x10030);
}

/* As malloc does it: the countdown, or the slow path. */
static __attribute__((noinline)) void give(unsigned i, uint32_t size, uint64_t which)
{
    struct unwind_start start = {.pc = which};
    __atomic_fetch_add(&allocated_bytes, size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
    if (!hook_passes(size)) {
        slot_untake(size);
        hook_count((void *)address(i), size, &start, HOOK_FRAME());
    }
}

static __attribute__((noinline)) void move(unsigned i, uint32_t size, bool fails)
{
    struct unwind_start start = {.pc = i};
    struct hook_move moving;
    struct thread_slot *slot = hook_enter(HOOK_FRAME());
    hook_move_begin(slot, &moving, address(i));
    hook_move_end(&moving, !fails);
    if (!fails) {
        __atomic_fetch_add(&allocated_bytes, size, __ATOMIC_RELAXED);
        __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
    }
    hook_leave(slot, fails ? NULL : (void *)address(i), size, &start);
}

static void *worker(void *argument)
{
    uint64_t random = world_mix((uintptr_t)argument + 1);
    for (int round = 0; round < rounds; round++) {
        random = world_mix(random + 0x9e3779b97f4a7c15);
        unsigned i = (unsigned)random % SLOTS;
        uint32_t size = 1 + (uint32_t)(random >> 20) % 5000;
        if (__atomic_exchange_n(&blocks[i].lock, 1, __ATOMIC_ACQUIRE))
            continue;
        if (blocks[i].size == 0) {
            give(i, size, random >> 40);
            blocks[i].size = size;
        } else if (random >> 60 < 4) {
            move(i, size, random >> 60 == 0);
            if (random >> 60 != 0)
                blocks[i].size = size;
        } else {
            if (!hook_not_live(address(i)))
                hook_forget(address(i), HOOK_FRAME());
            blocks[i].size = 0;
        }
        __atomic_store_n(&blocks[i].lock, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void *change_rates(void *argument)
{
    static const uint64_t rates[] = {1, 4096, 0, 777, 512 * 1024};
    for (unsigned n = 0; !__atomic_load_n((int *)argument, __ATOMIC_ACQUIRE); n++) {
        CHECK(slots_set_rate(rates[n % 5]), "rate %lu", (long)rates[n % 5]);
        struct timespec pause = {.tv_nsec = 300000};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void generation(unsigned n)
{
    pthread_t threads[AT_ONCE];
    for (uintptr_t i = 0; i < AT_ONCE; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(n * 100 + i));
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        generations = atoi(argv[1]);
    world_make_directory();
    struct tables_config config = world_config(1);
    CHECK(tables_init(&config) && slots_init(7), "no tables");
    for (unsigned n = 0; n < (unsigned)generations / 2; n++)
        generation(n);
    struct heap_header *h = tables_header();
    CHECK(slots_total() == allocated_bytes, "total %lu, not %lu", (long)slots_total(),
          (long)allocated_bytes);
    CHECK(h->samples == allocated, "%lu of %lu recorded", (long)h->samples, (long)allocated);
    uint64_t live = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        live += blocks[i].size;
    CHECK(h->live_bytes == live, "%ld live, not %ld", (long)h->live_bytes, (long)live);
    uint64_t exact = h->samples;

    int stop = 0;
    pthread_t changing;
    pthread_create(&changing, NULL, change_rates, &stop);
    for (unsigned n = 0; n < (unsigned)generations / 2; n++)
        generation(1000 + n);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(changing, NULL);
    CHECK(slots_total() == allocated_bytes, "total %lu, not %lu", (long)slots_total(),
          (long)allocated_bytes);
    CHECK(h->samples > exact && h->samples < allocated,
          "the rate did not change: %lu samples of %lu", (long)h->samples, (long)allocated);
    CHECK(h->lost_samples + h->lost_stacks + h->lost_reentrant + h->lost_live == 0,
          "losses: %lu samples, %lu reentrant", (long)h->lost_samples, (long)h->lost_reentrant);
    CHECK(h->threads <= (unsigned)AT_ONCE * 4 + 2, "%lu slots for %d threads at once",
          (long)h->threads, AT_ONCE);
    printf("%lu allocations, %d threads, %lu slots\n", (long)allocated, generations * AT_ONCE,
           (long)h->threads);
    return world_end();
}
