/* target: cflags=-O1,-fno-builtin */
/* live_heap.c - allocates MIB of blocks of 100 to 1,000 bytes and keeps them, under some hundreds
 * of stacks, then prints how much memory the process has in RAM, in KiB: live_heap MIB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void *below(unsigned bits, size_t size)
{
    void *volatile p;
    if (bits == 0)
        p = malloc(size);
    else if (bits & 1)
        p = below(bits >> 1, size);
    else
        p = below(bits >> 1, size);
    return p;
}

int main(int argc, char **argv)
{
    size_t most = (size_t)(argc > 1 ? atoi(argv[1]) : 0) << 20, used = 0;
    for (unsigned i = 0; used < most; i++) {
        size_t size = 100 + i * 7919u % 901;
        memset(below(i * 2654435761u >> 23, size), 1, size);
        used += size;
    }
    char line[200];
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            printf("%d\n", atoi(line + 6));
    return 0;
}
