/* test: link=tables cflags=-pthread time=240 */
/* abandoned_locks.c - a signal handler jumps out of the hook (longjmp), at any instruction of it,
 * thousands of times. The locks that were held then are this thread's: it takes them over, mends
 * what was half changed, and goes on. Figures may be off by the calls that were cut short, and by
 * no more; nothing hangs, and no live sample of before is lost. Another thread that needs such a
 * lock meanwhile waits for a bounded time. */
#include "tables_internal.h"
#include "tables_world.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { KEPT = 3000, MOVING = 3000, JUMPS = 3000, JUMPS_WITHOUT_MEMORY = 1000 };

static sigjmp_buf out;
static volatile sig_atomic_t inside, jumps;
static uint64_t calls;
static struct unwind_stack stack;

static void handler(int number)
{
    (void)number;
    if (inside) {
        jumps++;
        siglongjmp(out, 1);
    }
}

static const void *kept(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f0000000000) + n * 48);
}

static const void *moving(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7e0000000010) + n * 80);
}

/* Calls into the tables, many of which are left in the middle. */
static void storm(int until)
{
    static uint64_t random = 1, stacks = 100;
    signal(SIGALRM, handler);
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (jumps < until && calls < 200000000) {
        if (sigsetjmp(out, 1) == 0) {
            for (;;) {
                random = world_mix(random + 1);
                const void *p = moving(random % MOVING);
                if (random >> 50 == 0) {
                    stacks++;
                    world_stack(&stack, stacks, 1 + (uint32_t)(stacks % 29));
                }
                calls++;
                inside = 1;
                if (random >> 40 & 1)
                    tables_record_alloc(p, 1 + random % 3000, 0, &stack);
                else
                    tables_record_free(p);
                inside = 0;
                if (jumps >= until)
                    break;
            }
        }
        inside = 0;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(jumps >= until, "nobody jumped");
}

static void keep(void)
{
    world_stack(&stack, 1, 20);
    for (uint64_t i = 0; i < KEPT; i++)
        tables_record_alloc(kept(i), 100, 0, &stack);
}

/* Nothing of before is lost, and nothing is left when all is freed. */
static struct world_sums free_all(void)
{
    for (uint64_t i = 0; i < KEPT; i++)
        CHECK(tables_record_free(kept(i)), "sample %lu was lost", (long)i);
    for (uint64_t i = 0; i < MOVING; i++)
        tables_record_free(moving(i));
    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    struct world_sums s = world_sum(file, size);
    free(file);
    CHECK(s.live == 0 && s.live_count == 0, "%lu left, said to be %lu", (long)s.live,
          (long)s.live_count);
    return s;
}

/* What was left behind in stripes is mended without memory, too. */
static void without_memory(void)
{
    keep();
    tables.memory_limit = 0;
    tables.private_bump = tables.private_end;
    memset(&tables.private_free, 0, sizeof tables.private_free);
    storm(JUMPS + JUMPS_WITHOUT_MEMORY);
    free_all();
}

int main(void)
{
    world_make_directory();
    struct tables_config config = world_config(1);
    CHECK(tables_init(&config) && !tables_are_private(), "no tables");
    keep();
    storm(JUMPS);
    struct world_sums s = free_all();
    const struct heap_header *h = tables_header();
    CHECK(s.alloc_samples + (uint64_t)jumps >= h->samples &&
              s.alloc_samples <= h->samples + (uint64_t)jumps,
          "%lu counted, %lu samples", (long)s.alloc_samples, (long)h->samples);
    CHECK(s.freed_samples <= s.alloc_samples &&
              s.freed_samples + (uint64_t)jumps >= s.alloc_samples,
          "%lu allocated, %lu freed", (long)s.alloc_samples, (long)s.freed_samples);
    CHECK(h->lost_samples + h->lost_live <= (uint64_t)jumps, "losses");
    CHECK(tables.private_bytes < 8 << 20, "%lu bytes of memory, most of them left behind",
          (long)tables.private_bytes);
    without_memory();
    printf("%d jumps in %lu calls, %lu frees unseen\n", (int)jumps, (long)calls,
           (long)h->frees_unseen);
    return world_end();
}
