/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [counts] */
/* free_elsewhere.c - threads hand each other what they allocated, to be freed, or to be reallocated
 * and then freed, by another: at rate 1 nothing is left of it, and nothing is freed twice. */
#include "behaviour.h"
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, TURNS = 4000, PLACES = 64 };

static char *places[PLACES];
static long moved;

SITE char *site_give(size_t size)
{
    char *p = malloc(size);
    KEEP_FRAME();
    return p;
}

SITE char *site_move(char *p)
{
    p = realloc(p, 5000);
    __atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
    KEEP_FRAME();
    return p;
}

static void take(char *p, int how)
{
    if (p == NULL)
        return;
    CHECK(p[0] == 'g' && p[199] == 'g');
    if (how % 4 == 0) {
        p = site_move(p);
        CHECK(p[0] == 'g' && p[199] == 'g');
    }
    free(p);
}

static void *work(void *argument)
{
    unsigned state = (unsigned)(unsigned long)argument * 977 + 1;
    for (int i = 0; i < TURNS; i++) {
        char *p = site_give(200);
        memset(p, 'g', 200);
        state = state * 1103515245 + 12345;
        take(__atomic_exchange_n(&places[state >> 16 & (PLACES - 1)], p, __ATOMIC_ACQ_REL), i);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++)
        take(places[i], 1);
    behaviour_count("site_give", THREADS * TURNS, THREADS * TURNS * 200L, 0, 0);
    behaviour_count("site_move", moved, moved * 5000, 0, 0);
    return behaviour_end();
}
