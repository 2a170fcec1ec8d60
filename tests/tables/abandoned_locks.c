/* test: link=tables cflags=-pthread time=240 */
/* abandoned_locks.c - a signal handler jumps out of the hook (longjmp), at any instruction of it,
 * thousands of times. The locks that were held then are this thread's: it takes them over, mends
 * what was half changed, and goes on. Figures may be off by the calls that were cut short, and by
 * no more; nothing hangs, and no live sample of before is lost. Another thread that needs such a
 * lock meanwhile waits for a bounded time. */
#include "tables_world.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { KEPT = 3000, MOVING = 3000, JUMPS = 3000 };

static sigjmp_buf out;
static volatile sig_atomic_t inside, jumps;
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

int main(void)
{
    world_make_directory();
    struct tables_config config = world_config(1);
    CHECK(tables_init(&config) && !tables_are_private(), "no tables");
    world_stack(&stack, 1, 20);
    for (uint64_t i = 0; i < KEPT; i++)
        tables_record_alloc(kept(i), 100, 0, &stack);
    signal(SIGALRM, handler);
    struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    static uint64_t random = 1, calls, stacks = 100;
    while (jumps < JUMPS && calls < 200000000) {
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
                if (jumps >= JUMPS)
                    break;
            }
        }
        inside = 0;
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);

    CHECK(jumps > 0, "nobody jumped");
    for (uint64_t i = 0; i < KEPT; i++)
        CHECK(tables_record_free(kept(i)), "sample %lu was lost", (long)i);
    for (uint64_t i = 0; i < MOVING; i++)
        tables_record_free(moving(i));
    struct heap_header *h = tables_header();
    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    struct world_sums s = world_sum(file, size);
    free(file);
    CHECK(s.live == 0, "%lu left", (long)s.live);
    CHECK(s.alloc_samples + (uint64_t)jumps >= h->samples &&
              s.alloc_samples <= h->samples + (uint64_t)jumps,
          "%lu counted, %lu samples", (long)s.alloc_samples, (long)h->samples);
    CHECK(s.freed_samples <= s.alloc_samples &&
              s.freed_samples + (uint64_t)jumps >= s.alloc_samples,
          "%lu allocated, %lu freed", (long)s.alloc_samples, (long)s.freed_samples);
    CHECK(h->lost_samples + h->lost_live <= (uint64_t)jumps, "losses");
    printf("%d jumps in %lu calls, %lu frees unseen\n", (int)jumps, (long)calls,
           (long)h->frees_unseen);
    return world_end();
}
