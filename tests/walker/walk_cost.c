/* target: link=walker cflags=-O2,-fno-optimize-sibling-calls */
/* walk_cost.c - walks the same stack over and over: walk_cost BACKEND FRAMES TIMES
 * [again|other|turns]. For counting instructions (walk_cost.sh), and by hand for nanoseconds, which
 * it prints. Without the fourth nothing of one walk is remembered for the next; `again` remembers
 * it, `other` remembers it and finds it of no use, `turns` walks eight stacks in turn, four of each
 * depth, which begin alike. */
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <stdlib.h>
#include <time.h>

static unsigned long times;
static struct thread_slot slot;
static struct unwind_stack stack;
static struct walk_memory memory;
static bool forget, in_turn;
static volatile char sink;

static __attribute__((noinline)) void walk_once(void)
{
    struct unwind_start start = UNWIND_START_HERE();
    unwind_capture(&start, &slot, 128, &stack);
}

/* Alike but for the address that walk_once returns to. */
#define SIDE(name, n)                                \
    static __attribute__((noinline)) void name(void) \
    {                                                \
        walk_once();                                 \
        sink = n;                                    \
    }
SIDE(left, 1)
SIDE(middle, 2)
SIDE(right, 3)
SIDE(far_right, 4)

static __attribute__((noinline)) void deeper(unsigned turn)
{
    static void (*const sides[4])(void) = {left, middle, right, far_right};
    if (turn >= 4)
        deeper(turn - 4);
    else
        sides[turn]();
    sink = 5;
}

static __attribute__((noinline)) void walk(void)
{
    for (unsigned long i = 0; in_turn && i < times; i++) {
        deeper(i % 8);
        sink = 4;
    }
    if (in_turn)
        return;
    struct unwind_start start = UNWIND_START_HERE();
    for (unsigned long i = 0; i < times; i++) {
        if (forget && memory.latest != NULL)
            memory.latest->first = NULL;
        unwind_capture(&start, &slot, 128, &stack);
    }
}

/* Functions of four kinds in turn: with small and large frames, with and without a frame pointer,
 * so that return addresses and rules differ. */
static void (*const kinds[4])(unsigned);

#define KIND(name, bytes, attribute)                                  \
    static __attribute__((noinline, attribute)) void name(unsigned n) \
    {                                                                 \
        volatile char frame[bytes];                                   \
        frame[0] = (char)n;                                           \
        if (n == 0)                                                   \
            walk();                                                   \
        else                                                          \
            kinds[n % 4](n - 1);                                      \
        sink = frame[0];                                              \
    }
KIND(small, 8, optimize("omit-frame-pointer"))
KIND(large, 1000, optimize("omit-frame-pointer"))
KIND(pointed, 40, optimize("no-omit-frame-pointer"))
KIND(huge, 5000, optimize("no-omit-frame-pointer"))

static void (*const kinds[4])(unsigned) = {small, large, pointed, huge};

int main(int argc, char **argv)
{
    if (argc < 4 || !unwind_init(argv[1]))
        return 2;
    slot.memory = argc > 4 ? &memory : NULL;
    forget = argc > 4 && strcmp(argv[4], "other") == 0;
    in_turn = argc > 4 && strcmp(argv[4], "turns") == 0;
    unsigned frames = (unsigned)atoi(argv[2]);
    times = strtoul(argv[3], NULL, 10);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    small(frames < 5 ? 0 : frames - 5); /* one each of this, main and three below it */
    clock_gettime(CLOCK_MONOTONIC, &after);
    double ns =
        (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
    printf("%u frames, flags %u, %.1f ns\n", stack.n_frames, stack.flags, ns / (double)times);
    return 0;
}
