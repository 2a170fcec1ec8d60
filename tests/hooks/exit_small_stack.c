/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: thread */
/* matrix: handler */
/* matrix: deep */
/* exit_small_stack.c thread|handler|deep - the process ends on a small stack: by exit in a thread
 * with the smallest there is, by _exit in a handler on an alternate stack, or by exit when 24 KiB
 * of a thread's stack are left. What is written then has to fit. */
#include "behaviour.h"
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void *end(void *argument)
{
    free(malloc(100));
    exit(argument != NULL);
}

static void on_signal(int number)
{
    free(malloc(100));
    _exit(number == SIGUSR1 ? 3 : 4);
}

static int deep(char *until)
{
    char frame[512];
    memset(frame, until == NULL, sizeof frame);
    if (frame > until)
        return frame[100] != 0 ? 0 : deep(until) + frame[100];
    free(malloc(100));
    exit(5);
}

static void *go_deep(void *argument)
{
    char here;
    deep(&here - (64 << 10) + (24 << 10) + 2048);
    return argument;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "thread";
    for (int i = 0; i < 2000; i++)
        free(malloc(2000));
    puts("ready");
    fflush(stdout);
    if (strcmp(how, "handler") == 0) {
        stack_t stack = {.ss_size = SIGSTKSZ, .ss_sp = malloc(SIGSTKSZ)};
        sigaltstack(&stack, NULL);
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    int small = strcmp(how, "thread") == 0;
    CHECK(pthread_attr_setstacksize(&attributes, small ? (size_t)PTHREAD_STACK_MIN : 64 << 10) ==
          0);
    CHECK(pthread_create(&thread, &attributes, small ? end : go_deep, NULL) == 0);
    pthread_join(thread, NULL);
    return 1;
}
