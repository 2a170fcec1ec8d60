/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: [silent] */
/* exec_again.c - an exec that fails changes nothing; one that succeeds, from the main thread or
 * another, while others allocate, gives a fresh process with the same pid, five times in a row. */
#include "behaviour.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char **own_argv;

static void *noise(void *argument)
{
    for (;;)
        free(malloc(100 + (size_t)(rand() % 3000)));
    return argument;
}

static void *again(void *argument)
{
    char turn[2] = {(char)(own_argv[1] != NULL ? own_argv[1][0] + 1 : '1'), 0};
    execl("/no/such/program", "program", (char *)NULL);
    CHECK(errno == ENOENT);
    printf("turn %s\n", turn);
    fflush(stdout);
    execl("/proc/self/exe", own_argv[0], turn, (char *)NULL);
    CHECK(!"gone");
    return argument;
}

int main(int argc, char **argv)
{
    own_argv = argv;
    for (int i = 0; i < 100; i++)
        free(malloc(5000));
    if (argc > 1 && strcmp(argv[1], "5") == 0)
        return behaviour_end();
    pthread_t threads[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, noise, NULL);
    if (argc > 1 && argv[1][0] % 2 == 0)
        again(NULL);
    pthread_create(&threads[2], NULL, again, NULL);
    pthread_join(threads[2], NULL);
    return 1;
}
