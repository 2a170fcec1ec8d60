/* target: cflags=-O2,-fomit-frame-pointer libs=-lm */
/* matrix: 50 */
/* judged_signals.c - allocates in signal handlers, on the thread's stack and on an alternate one,
 * nested, after a raise and out of the blue: a timer interrupts whatever the main loop does, which
 * never allocates itself. judged_signals TICKS. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static volatile unsigned long sink;
static volatile double float_sink;

static __attribute__((noinline)) void allocate(unsigned size)
{
    void *p = malloc(size);
    sink += (unsigned long)p;
    free(p);
}

static void on_tick(int sig)
{
    (void)sig;
    ticks++;
    allocate(10);
}

static void on_user(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    allocate(20);
}

static void on_nested(int sig)
{
    (void)sig;
    allocate(30);
    raise(SIGUSR1);
    allocate(31);
}

static void handle(int sig, void (*simple)(int), void (*full)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_flags = flags | SA_RESTART | (full ? SA_SIGINFO : 0)};
    if (full)
        action.sa_sigaction = full;
    else
        action.sa_handler = simple;
    sigaction(sig, &action, NULL);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Leaf functions, library calls by PLT, the vDSO, realigned frames, string functions. */
static __attribute__((noinline)) void work(unsigned n)
{
    static int numbers[200];
    _Alignas(64) char text[512];
    struct timespec now;
    for (unsigned i = 0; i < 200; i++)
        numbers[i] = (int)((i * n * 2654435761u) >> 9);
    qsort(numbers, 200, sizeof numbers[0], compare);
    snprintf(text, sizeof text, "%u %f %s", n, n / 3.0, "and so on");
    sink += strlen(text) + (unsigned long)strtol(text, NULL, 10);
    memset(text, (int)n, sizeof text);
    clock_gettime(CLOCK_MONOTONIC, &now);
    float_sink = sin((double)n) + pow(1.0001, (double)(n % 1000)) + exp(-(double)(n % 10));
    sink += (unsigned long)now.tv_nsec + (unsigned long)getppid();
}

static __attribute__((noinline)) void recurse(unsigned n)
{
    char frame[64];
    memset(frame, (int)n, sizeof frame);
    if (n > 0)
        recurse(n - 1);
    else
        work((unsigned)sink);
    sink += (unsigned long)frame[n % 64];
}

int main(int argc, char **argv)
{
    int wanted = argc > 1 ? atoi(argv[1]) : 100;
    static char other_stack[65536];
    stack_t alternate = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    sigaltstack(&alternate, NULL);
    handle(SIGUSR1, NULL, on_user, 0);
    handle(SIGUSR2, NULL, on_user, SA_ONSTACK);
    handle(SIGTRAP, on_nested, NULL, SA_ONSTACK);
    handle(SIGHUP, on_nested, NULL, 0);
    for (int i = 0; i < 50; i++) {
        raise(SIGUSR1);
        raise(SIGUSR2);
        raise(SIGTRAP);
        raise(SIGHUP);
        kill(getpid(), SIGUSR2);
    }
    struct itimerval timer = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200};
    for (int flags = 0; flags <= SA_ONSTACK; flags += SA_ONSTACK) {
        ticks = 0;
        handle(SIGALRM, on_tick, NULL, flags);
        setitimer(ITIMER_REAL, &timer, NULL);
        while (ticks < wanted)
            recurse((unsigned)ticks % 30);
    }
    timer = (struct itimerval){0};
    setitimer(ITIMER_REAL, &timer, NULL);
    puts("done");
    return 0;
}
