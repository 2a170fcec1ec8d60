/* patterns.c - ways of allocating, to be timed with and without a profiler: patterns PATTERN COUNT
 * [THREADS].
 *
 *   pairs    malloc(64) and free, again and again
 *   mixed    sizes of 16 bytes to 8 KiB, 4,096 alive, the oldest freed for each new one
 *   deep     16 KiB allocated and freed under 20 frames: at the default rate 1 in 32 is sampled
 *   deep100  the same under 100 frames
 *   crossed  allocated in one thread, freed in another
 *   realloc  a block that grows by a tenth from 64 bytes to 1 MiB
 *
 * Seeded: every run does the same. COUNT is per thread. Prints nothing, so that nothing but the
 * pattern costs.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long count;

static inline uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void *pairs(void *arg)
{
    for (long i = 0; i < count; i++) {
        char *volatile p = malloc(64);
        free(p);
    }
    return arg;
}

static void *mixed(void *arg)
{
    enum { ALIVE = 4096 };
    uint64_t state = 42 + (uintptr_t)arg;
    char **alive = calloc(ALIVE, sizeof *alive);
    for (long i = 0; i < count; i++) {
        /* Four sizes to a doubling would be too regular: any size of a doubling, each doubling as
         * likely. */
        uint32_t r = next(&state), size = 16u << (r % 9);
        size += (r >> 8) % size;
        char **slot = &alive[i % ALIVE];
        free(*slot);
        *slot = malloc(size);
        (*slot)[0] = 1;
    }
    for (int i = 0; i < ALIVE; i++)
        free(alive[i]);
    free(alive);
    return NULL;
}

static volatile char sink;

static __attribute__((noinline)) void below(int depth)
{
    if (depth > 0) {
        below(depth - 1);
        sink = 1; /* no tail call */
        return;
    }
    char *volatile p = malloc(16384);
    free(p);
    sink = 2;
}

/* The functions between main and malloc are frames too. */
static void *deep(void *arg)
{
    for (long i = 0; i < count; i++)
        below(17);
    return arg;
}

static void *deep100(void *arg)
{
    for (long i = 0; i < count; i++)
        below(97);
    return arg;
}

/* Handed over by the thousand, so that it is not the waiting that is measured. */
enum { BATCH = 1000, BATCHES = 4 };
static char *batches[BATCHES][BATCH];
static sem_t empty, full;

static void *give(void *arg)
{
    for (long i = 0; i < count; i++) {
        if (i % BATCH == 0)
            sem_wait(&empty);
        batches[i / BATCH % BATCHES][i % BATCH] = malloc(16 + (size_t)i % 512);
        if (i % BATCH == BATCH - 1 || i == count - 1)
            sem_post(&full);
    }
    return arg;
}

static void *take(void *arg)
{
    for (long i = 0; i < count; i++) {
        if (i % BATCH == 0)
            sem_wait(&full);
        free(batches[i / BATCH % BATCHES][i % BATCH]);
        if (i % BATCH == BATCH - 1)
            sem_post(&empty);
    }
    return arg;
}

static void *grow(void *arg)
{
    for (long i = 0; i < count; i++) {
        char *p = NULL;
        for (size_t size = 64; size < 1 << 20; size += size / 10)
            p = realloc(p, size);
        free(p);
    }
    return arg;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*run)(void *);
    } patterns[] = {{"pairs", pairs},     {"mixed", mixed},  {"deep", deep},
                    {"deep100", deep100}, {"crossed", give}, {"realloc", grow}};
    void *(*run)(void *) = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(patterns[i].name, argv[1]) == 0)
            run = patterns[i].run;
    count = argc > 2 ? atol(argv[2]) : 0;
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    if (!run || count <= 0 || threads < 1 || threads > 256 || (run == give && threads > 1)) {
        fputs("usage: patterns pairs|mixed|deep|deep100|crossed|realloc COUNT [THREADS]\n", stderr);
        return 2;
    }
    pthread_t ids[512];
    int n = 0;
    for (int i = 1; i < threads; i++)
        pthread_create(&ids[n++], NULL, run, (void *)(uintptr_t)i);
    sem_init(&empty, 0, BATCHES);
    sem_init(&full, 0, 0);
    if (run == give)
        pthread_create(&ids[n++], NULL, take, NULL);
    run(NULL);
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
