/* target: cflags=-O1,-fno-builtin,-pthread */
/* exact_total ROUNDS - in each round 100 short threads allocate 40,000 bytes each in small pieces,
 * a few of 1 MiB, and reallocate; the pieces add up to what main prints for one round. What threads
 * themselves cost is the same in each round, too: two lengths of run differ by whole rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 100, AT_ONCE = 10, SMALL = 400 };

static void *work(void *argument)
{
    (void)argument;
    void *volatile p;
    for (int i = 0; i < SMALL; i++) {
        p = malloc(100);
        free(p);
    }
    p = malloc(0);
    free(p);
    p = calloc(16, 1024 * 1024 / 16);
    p = realloc(p, 3000);
    free(p);
    return NULL;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < rounds * THREADS / AT_ONCE; i++) {
        pthread_t threads[AT_ONCE];
        for (int k = 0; k < AT_ONCE; k++)
            if (pthread_create(&threads[k], NULL, work, NULL) != 0)
                return 1;
        for (int k = 0; k < AT_ONCE; k++)
            pthread_join(threads[k], NULL);
    }
    printf("%d\n", THREADS * (SMALL * 100 + 1024 * 1024 + 3000));
    return 0;
}
