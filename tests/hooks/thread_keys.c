/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [counts] */
/* thread_keys.c - destructors of pthread_key allocate and free, set their key again so that they
 * are called four times, and free what the main thread allocated; threads that end by return, by
 * pthread_exit and by being cancelled, and the main thread by pthread_exit. (pitfalls: free() after
 * a thread's TLS is torn down crashes) */
#include "behaviour.h"
#include <pthread.h>
#include <unistd.h>

enum { KEYS = 8, THREADS = 60, ROUNDS = 4 }; /* PTHREAD_DESTRUCTOR_ITERATIONS */

static pthread_key_t keys[KEYS];
static long made, freed;

SITE void *site_key(void)
{
    void *p = malloc(700);
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    KEEP_FRAME();
    return p;
}

static void drop(void *p)
{
    free(p);
    __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
}

static void destroy(void *p)
{
    int round = *(int *)p;
    drop(p);
    drop(site_key());
    for (int i = 0; i < KEYS && round + 1 < ROUNDS; i++) {
        if (pthread_getspecific(keys[i]) != NULL)
            continue;
        int *again = site_key();
        *again = round + 1;
        pthread_setspecific(keys[i], again);
        break;
    }
}

static void *life(void *argument)
{
    for (int i = 0; i < KEYS; i++) {
        int *p = site_key();
        *p = 0;
        pthread_setspecific(keys[i], p);
    }
    if (argument == (void *)1)
        pthread_exit(NULL);
    while (argument == (void *)2)
        pause();
    return NULL;
}

static void end(void *ignored)
{
    (void)ignored;
    CHECK(made == freed);
    CHECK(made == (long)THREADS * KEYS * (1 + ROUNDS + ROUNDS - 1));
    behaviour_count("site_key", made, made * 700, 0, 0);
    exit(behaviour_end());
}

static void *last(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    end(NULL);
    return NULL;
}

int main(void)
{
    static pthread_t main_thread;
    pthread_t threads[THREADS], ender;
    for (int i = 0; i < KEYS; i++)
        CHECK(pthread_key_create(&keys[i], destroy) == 0);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, life, (void *)(i % 3)) == 0);
    for (int i = 0; i < THREADS; i++) {
        if (i % 3 == 2)
            pthread_cancel(threads[i]);
        pthread_join(threads[i], NULL);
    }
    main_thread = pthread_self();
    CHECK(pthread_create(&ender, NULL, last, &main_thread) == 0);
    pthread_exit(NULL);
}
