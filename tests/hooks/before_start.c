/* target: cflags=-O1,-fno-builtin */
/* matrix: */
/* before_start.c - allocations before there is a main: in functions of .preinit_array, which run
 * before any library's constructor, and in constructors; they are freed and reallocated after.
 * (pitfall: hang or deadlock during start) */
#include "behaviour.h"
#include <string.h>

static char *early[3];

static char *text(const char *what)
{
    char *p = calloc(1, strlen(what) + 1);
    strcpy(p, what);
    return realloc(p, 1000);
}

static void preinit(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
    early[0] = text("before all constructors");
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **,
                                                                            char **) = preinit;

__attribute__((constructor(101))) static void first(void)
{
    early[1] = text("in an early one");
}

__attribute__((constructor)) static void late(void)
{
    early[2] = text("in a late one");
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        puts(early[i]);
        early[i] = realloc(early[i], 100000);
        CHECK(early[i] != NULL);
    }
    for (int i = 0; i < 3; i++)
        free(early[i]);
    return behaviour_end();
}
