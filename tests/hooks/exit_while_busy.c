/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: */
/* matrix: _exit */
/* exit_while_busy.c - the process ends while its threads allocate, free, start and end. */
#include "behaviour.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int started;

static void *passing(void *argument)
{
    free(malloc(3000));
    return argument;
}

static void *noise(void *argument)
{
    void *kept[32] = {NULL};
    __atomic_fetch_add(&started, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0;; i++) {
        free(kept[i % 32]);
        kept[i % 32] = malloc(16 + i * 7 % 9000);
        pthread_t thread;
        if (i % 256 == 0 && pthread_create(&thread, NULL, passing, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread, NULL, noise, NULL) == 0);
    while (__atomic_load_n(&started, __ATOMIC_ACQUIRE) < 4)
        usleep(1000);
    for (int i = 0; i < 2000; i++)
        free(malloc(700));
    int status = behaviour_end();
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "_exit") == 0)
        _exit(7 + status);
    return 6 + status;
}
