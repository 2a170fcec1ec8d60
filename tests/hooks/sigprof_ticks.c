/* target: cflags=-O1,-fno-builtin */
/* matrix: outside */
/* sigprof_ticks.c outside|anywhere [TICKS] - SIGPROF comes every millisecond, and its handler
 * allocates, reallocates and frees. `outside`: not while the program is in the allocator itself,
 * which would deadlock without us, too. `anywhere`: at any instruction, for an allocator that bears
 * it (handlers.sh). Then prints what each side allocated: "SITE OBJECTS", and "bytes BYTES" of
 * both. */
#include "behaviour.h"
#include <signal.h>
#include <string.h>
#include <time.h>

static int wanted = 150;
static volatile sig_atomic_t ticks, in_allocator, anywhere;
static long by_handler, by_main, bytes;

SITE void *site_tick(size_t size)
{
    void *p = malloc(size);
    by_handler++;
    bytes += (long)size;
    KEEP_FRAME();
    return p;
}

SITE void *site_main(size_t size)
{
    in_allocator = 1;
    void *p = malloc(size);
    in_allocator = 0;
    by_main++;
    __atomic_fetch_add(&bytes, (long)size, __ATOMIC_RELAXED);
    KEEP_FRAME();
    return p;
}

static void on_tick(int number)
{
    (void)number;
    static void *kept[8];
    static unsigned n;
    if (in_allocator && !anywhere)
        return;
    ticks++;
    for (int i = 0; i < 5; i++) {
        free(kept[n % 8]);
        kept[n % 8] = site_tick(1000 + 16 * n % 4000);
        n++;
    }
}

static void end_now(void *p)
{
    in_allocator = 1;
    free(p);
    in_allocator = 0;
}

int main(int argc, char **argv)
{
    anywhere = argc > 1 && strcmp(argv[1], "anywhere") == 0;
    if (argc > 2)
        wanted = atoi(argv[2]);
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec each = {{0, 1000000}, {0, 1000000}};
    timer_settime(timer, 0, &each, NULL);
    void *kept[64] = {NULL};
    for (unsigned i = 0; ticks < wanted; i++) {
        void **place = &kept[i * 2654435761u >> 26];
        end_now(*place);
        *place = site_main(16 + i % 5000);
        for (volatile int spin = anywhere ? 2000 : 0; spin < 2000; spin++) {
        }
    }
    timer_delete(timer);
    signal(SIGPROF, SIG_IGN);
    if (anywhere)
        printf("site_tick %ld\nsite_main %ld\nbytes %ld\n", by_handler, by_main, bytes);
    return behaviour_end();
}
