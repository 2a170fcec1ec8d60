/* target: cflags=-O1,-fno-builtin,-fno-inline,-pthread */
/* steady - a short program that does a little of everything and prints what it found in its memory,
 * so that whatever happens to the hook can be seen not to have happened to it: threads, new stacks,
 * growing blocks, a child, a grandchild, errno. Ends with exit status 7. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 1000 };

struct worker {
    unsigned seed;
    uint64_t sum;
    unsigned char *blocks[BLOCKS];
};

static unsigned char *deep(unsigned n, unsigned path, size_t size)
{
    unsigned char *p;
    if (n == 0)
        return malloc(size);
    if (path & 1)
        p = deep(n - 1, path >> 1, size);
    else
        p = deep(n - 1, path >> 1, size);
    return p;
}

static uint64_t check(unsigned char *p, size_t size, unsigned char fill)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += p[i] == fill;
    return sum;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    for (unsigned i = 0; i < BLOCKS; i++) {
        size_t size = 1 + (i * 37 + w->seed) % 400;
        errno = 4711;
        unsigned char *p = deep(6, i, size);
        if (p == NULL || errno != 4711)
            abort();
        memset(p, (int)i, size);
        if (i % 5 == 0) {
            p = realloc(p, size * 3);
            memset(p + size, (int)i, size * 2);
            size *= 3;
        }
        w->sum += check(p, size, (unsigned char)i);
        if (i % 3 == 0)
            free(p);
        else
            w->blocks[i] = p;
    }
    return NULL;
}

static int family(int generations)
{
    pid_t child = generations > 0 ? fork() : -1;
    if (child == 0) {
        static struct worker own;
        own.seed = (unsigned)generations;
        work(&own);
        int status = family(generations - 1);
        printf("child %d: %llu, %d\n", generations, (unsigned long long)own.sum, status);
        fflush(stdout);
        _exit(generations);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) != child)
        abort();
    return status;
}

int main(void)
{
    static struct worker workers[3];
    pthread_t threads[3];
    static sigset_t before, after;
    sigprocmask(SIG_SETMASK, NULL, &before);
    for (unsigned i = 0; i < 3; i++) {
        workers[i].seed = i;
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("child ended with %x\n", (unsigned)family(2));
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned b = 0; b < BLOCKS; b++)
            free(workers[i].blocks[b]);
        printf("thread %u: %llu\n", i, (unsigned long long)workers[i].sum);
    }
    sigprocmask(SIG_SETMASK, NULL, &after);
    printf("signals %s, descriptor %d\n",
           memcmp(&before, &after, sizeof before) ? "changed" : "as they were", dup(0));
    return 7;
}
