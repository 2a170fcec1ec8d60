/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: */
/* matrix: exit */
/* matrix: _exit */
/* matrix: quick_exit */
/* cancel_pending.c - malloc is no cancellation point, and does not become one: a thread that has
 * been cancelled allocates on until its next real one, from ever new stacks, and its cleanup
 * handlers free. Nor are the ways out of a process: with an argument, the main thread, cancelled,
 * ends the process by it. */
#include "behaviour.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int allocated, cleaned;

static void new_stacks(int depth, int leaf)
{
    if (depth > 0) {
        if (leaf & 1)
            new_stacks(depth - 1, leaf >> 1);
        else
            new_stacks(depth - 1, leaf >> 1);
        KEEP_FRAME();
        return;
    }
    void *volatile p = calloc(1, 3000);
    p = realloc(p, 4000);
    free(p);
    allocated++;
}

static void cleanup(void *p)
{
    free(p);
    free(malloc(100));
    cleaned++;
}

static void *life(void *argument)
{
    void *block = malloc(1000);
    pthread_cleanup_push(cleanup, block);
    pthread_cancel(pthread_self());
    for (int i = 0; i < 500; i++)
        new_stacks(10, i);
    pthread_testcancel();
    CHECK(!"cancelled");
    pthread_cleanup_pop(0);
    return argument;
}

int main(int argc, char **argv)
{
    for (int i = 1; i <= 10; i++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, life, NULL) == 0);
        pthread_join(thread, &result);
        CHECK(result == PTHREAD_CANCELED && allocated == 500 * i && cleaned == i);
    }
    int status = behaviour_end();
    fflush(stdout);
    if (argc > 1)
        pthread_cancel(pthread_self());
    if (argc > 1 && strcmp(argv[1], "_exit") == 0)
        _exit(40 + status);
    if (argc > 1 && strcmp(argv[1], "quick_exit") == 0)
        quick_exit(50 + status);
    exit(status);
}
