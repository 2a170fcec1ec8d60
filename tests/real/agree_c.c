/* target: cflags=-O0,-pthread */
/* A C program whose profile has recursion, a function pointer, several lines of one function that
 * allocate, several threads and sizes, memory kept and freed. Built without optimization so that
 * every frame stands for itself. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *kept[4096];
static int n_kept;

static void keep(void *p)
{
    kept[n_kept++ % 4096] = p;
}

static void *grow(size_t from, size_t to)
{
    char *p = malloc(from);
    for (size_t n = from; n < to; n *= 2)
        p = realloc(p, n * 2);
    return p;
}

static void recurse(int depth)
{
    if (depth == 0) {
        keep(calloc(10, 100));
        return;
    }
    free(malloc((size_t)depth * 64));
    recurse(depth - 1);
}

static int compare(const void *a, const void *b)
{
    free(malloc(48));
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sorting(void)
{
    char *names[200];
    for (int i = 0; i < 200; i++) {
        names[i] = malloc(40);
        snprintf(names[i], 40, "%d", (i * 7919) % 1000);
    }
    qsort(names, 200, sizeof names[0], compare);
    for (int i = 0; i < 200; i++)
        free(names[i]);
}

static void *worker(void *argument)
{
    size_t size = (size_t)argument;
    for (int i = 0; i < 300; i++) {
        char *a = strdup("some text that is copied again and again");
        char *b = malloc(size);
        free(a);
        if (i % 10)
            free(b);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(size_t)(100 << i * 3));
    for (int i = 0; i < 50; i++) {
        keep(grow(16, 65536));
        recurse(12);
    }
    sorting();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
