/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [counts] */
/* crowd.c - many more threads than processors, all in the middle of an allocation whenever they are
 * interrupted: at rate 1 none of their samples is lost for want of a place to walk the stack in. */
#include "behaviour.h"
#include <pthread.h>

enum { THREADS = 96, EACH = 400 };

static pthread_barrier_t barrier;

SITE void *site_crowd(int depth)
{
    void *p = depth > 0 ? site_crowd(depth - 1) : malloc(50);
    KEEP_FRAME();
    return p;
}

static void *work(void *argument)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < EACH; i++)
        free(site_crowd(i % 50));
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], &attributes, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    behaviour_count("site_crowd", THREADS * EACH, THREADS * EACH * 50L, 0, 0);
    return behaviour_end();
}
