/* target: cflags=-O1,-fno-builtin */
/* matrix: outside */
/* handler_jumps.c outside|anywhere [JUMPS] - a handler leaves by longjmp, and what it left is never
 * gone back to: the program allocates on, and the hook still counts. `outside`: the jump is not out
 * of the allocator, which could be left with its lock held, without us, too. `anywhere`: out of
 * whatever it was, for an allocator that bears it (handlers.sh). Then prints "site_after OBJECTS"
 * for what it allocated after the last jump. */
#include "behaviour.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { AFTER = 500 };

static int wanted = 150;

static sigjmp_buf out;
static volatile sig_atomic_t jumps, in_allocator, anywhere, may_jump;

static void on_tick(int number)
{
    (void)number;
    if (!may_jump || (in_allocator && !anywhere))
        return;
    may_jump = 0;
    jumps++;
    siglongjmp(out, 1);
}

static void *volatile kept[64];

static void allocate(unsigned i)
{
    in_allocator = 1;
    void *volatile *place = &kept[i * 2654435761u >> 26];
    free(*place);
    *place = NULL;
    *place = malloc(16 + i % 5000);
    in_allocator = 0;
    for (volatile int spin = anywhere ? 2000 : 0; spin < 2000; spin++) {
    }
}

SITE void *site_after(void)
{
    void *p = malloc(100);
    KEEP_FRAME();
    return p;
}

int main(int argc, char **argv)
{
    anywhere = argc > 1 && strcmp(argv[1], "anywhere") == 0;
    if (argc > 2)
        wanted = atoi(argv[2]);
    struct sigaction action = {.sa_handler = on_tick};
    sigaction(SIGPROF, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec each = {{0, 700000}, {0, 700000}};
    timer_settime(timer, 0, &each, NULL);
    static volatile unsigned i;
    sigsetjmp(out, 1);
    in_allocator = 0;
    while (jumps < wanted) {
        may_jump = 1;
        allocate(i++);
    }
    may_jump = 0;
    timer_delete(timer);
    signal(SIGPROF, SIG_IGN);
    for (int k = 0; k < AFTER; k++)
        free(site_after());
    if (anywhere)
        printf("site_after %d\n", AFTER);
    return behaviour_end();
}
