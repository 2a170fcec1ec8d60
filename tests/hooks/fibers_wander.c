/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [counts] */
/* fibers_wander.c - fibers made with makecontext, on stacks from malloc and from mmap, allocate,
 * are left in the middle and gone on with by another thread, free there what they allocated
 * elsewhere, and end; their stacks are freed and used again. */
#include "behaviour.h"
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { FIBERS = 24, STEPS = 20, STACK = 64 << 10 };

struct fiber {
    ucontext_t own, *back;
    void *stack;
    int mapped, done;
};

static struct fiber fibers[FIBERS];
static long made;

SITE void *site_fiber(size_t size)
{
    void *p = malloc(size);
    made++;
    KEEP_FRAME();
    return p;
}

static void step(struct fiber *fiber, int depth)
{
    void *p = site_fiber(777);
    if (depth > 0)
        step(fiber, depth - 1);
    else
        swapcontext(&fiber->own, fiber->back);
    free(p);
    KEEP_FRAME();
}

static void run(int index)
{
    struct fiber *fiber = &fibers[index];
    for (int i = 0; i < STEPS; i++)
        step(fiber, i % 7);
    fiber->done = 1;
    swapcontext(&fiber->own, fiber->back);
}

/* A turn of all fibers, in a thread of its own each time. */
static void *turn(void *argument)
{
    ucontext_t here;
    for (int i = 0; i < FIBERS; i++) {
        fibers[i].back = &here;
        if (!fibers[i].done)
            swapcontext(&here, &fibers[i].own);
    }
    return argument;
}

int main(void)
{
    for (int i = 0; i < FIBERS; i++) {
        struct fiber *fiber = &fibers[i];
        fiber->mapped = i % 2;
        fiber->stack = fiber->mapped ? mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                     : malloc(STACK);
        getcontext(&fiber->own);
        fiber->own.uc_stack.ss_sp = fiber->stack;
        fiber->own.uc_stack.ss_size = STACK;
        makecontext(&fiber->own, (void (*)(void))run, 1, i);
    }
    turn(NULL);
    for (int i = 0; i < STEPS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, turn, NULL) == 0);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < FIBERS; i++) {
        CHECK(fibers[i].done);
        if (fibers[i].mapped)
            munmap(fibers[i].stack, STACK);
        else
            free(fibers[i].stack);
    }
    behaviour_count("site_fiber", made, made * 777, 0, 0);
    return behaviour_end();
}
