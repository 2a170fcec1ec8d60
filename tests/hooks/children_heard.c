/* target: cflags=-O1,-fno-builtin,-pthread */
/* children_heard - has a handler for SIGCHLD, and a thread that waits for any child, up to its very
 * end. It has no child: each one that it hears of is somebody else's. The handler and the thread
 * tell on stdout. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *text, size_t n)
{
    if (write(1, text, n) < 0)
        _exit(9);
}

static void handler(int number)
{
    (void)number;
    tell("SIGCHLD\n", 8);
}

static void *wait_for_any(void *argument)
{
    for (;;) {
        if (waitpid(-1, NULL, 0) > 0)
            tell("a child\n", 8);
        usleep(200);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGCHLD, &action, NULL);
    pthread_create(&thread, NULL, wait_for_any, NULL);
    for (int i = 0; i < 100; i++)
        free(malloc(10000));
    tell("end\n", 4);
    return 0;
}
