/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [counts] */
/* short_threads.c - 10,000 threads that live for a few allocations. Each frees some of what it
 * allocated, another thread frees some, and some stays: at rate 1 all of it is in the profile. */
#include "behaviour.h"
#include <pthread.h>
#include <string.h>

enum { THREADS = 10000, AT_ONCE = 8, OWN = 3, FREED_OWN = 1 };

SITE void *site_short(void)
{
    void **blocks = malloc(OWN * sizeof *blocks);
    KEEP_FRAME();
    return blocks;
}

SITE void *site_block(size_t size)
{
    void *p = malloc(size);
    KEEP_FRAME();
    return p;
}

static void *life(void *argument)
{
    void **blocks = site_short();
    for (int i = 0; i < OWN; i++)
        blocks[i] = site_block(100);
    free(blocks[0]);
    return argument == NULL ? blocks : NULL;
}

int main(void)
{
    pthread_t threads[AT_ONCE];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    long kept = 0;
    for (int i = 0; i < THREADS / AT_ONCE; i++) {
        for (int k = 0; k < AT_ONCE; k++)
            CHECK(pthread_create(&threads[k], &attributes, life, NULL) == 0);
        for (int k = 0; k < AT_ONCE; k++) {
            void *result;
            CHECK(pthread_join(threads[k], &result) == 0 && result != NULL);
            void **blocks = result;
            free(blocks[1]);
            if (i % 16 == 0)
                kept++;
            else
                free(blocks[2]);
            free(blocks);
        }
    }
    behaviour_count("site_short", THREADS, THREADS * OWN * 8L, 0, 0);
    behaviour_count("site_block", THREADS * (long)OWN, THREADS * OWN * 100L, kept, kept * 100);
    return behaviour_end();
}
