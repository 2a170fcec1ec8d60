/* target: cflags=-O2,-fno-builtin */
/* pair N - allocates and frees 64 bytes N times. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    for (long i = 0; i < n; i++) {
        void *volatile p = malloc(64);
        free(p);
    }
    return 0;
}
