/* target: cflags=-O1 */
/* A server's loop that leaks: leak_server keeps what remember_request() allocates, lets go of what
 * answer_request() does, and goes on until memory is refused; then SIGKILL ends it, as the kernel
 * would. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void *kept;

static __attribute__((noinline)) void remember_request(void)
{
    void **p = malloc(40000); /* the leak */
    if (p == NULL)
        raise(SIGKILL);
    memset(p, 1, 40000);
    *p = kept;
    kept = p;
}

static __attribute__((noinline)) void answer_request(void)
{
    char *volatile p = malloc(100000);
    if (p == NULL)
        raise(SIGKILL);
    p[0] = p[50000] = 1;
    free(p);
}

int main(void)
{
    for (;;) {
        remember_request();
        answer_request();
    }
}
