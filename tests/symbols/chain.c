/* target: cflags=-O2 */
/* Inlined chains, static functions, a tail call, a cold part: what the DWARF of C has to tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *innermost(size_t n)
{
    return malloc(n);
}

static inline void *middle(size_t n)
{
    void *p = innermost(2 * n);
    memset(p, 0, n);
    return p;
}

static __attribute__((noinline)) void *outermost(size_t n)
{
    char *p = middle(n + 1);
    p[0] = 1;
    return p;
}

static __attribute__((noinline)) void *tail(size_t n)
{
    return malloc(n + 3);
}

static __attribute__((noinline)) void *tail_caller(size_t n)
{
    return tail(n * 2);
}

static __attribute__((noinline, cold)) void *rare(size_t n)
{
    fprintf(stderr, "rare\n");
    return calloc(n, 2);
}

void *exported(int n)
{
    if (n > 100)
        return rare(n);
    if (__builtin_expect(n == 77, 0))
        return realloc(tail_caller(3), 10);
    return n & 1 ? outermost(n) : middle(n);
}

int main(int argc, char **argv)
{
    (void)argv;
    void *p = exported(argc), *q = tail_caller(argc);
    printf("%d\n", p != q);
    free(p);
    free(q);
    return 0;
}
