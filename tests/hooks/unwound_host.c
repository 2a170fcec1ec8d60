/* target: cflags=-O1,-fexceptions,-pthread libs=-ldl */
/* unwound_host PLUGIN - a C program, without the C++ library, that loads unwound.so and is called
 * back by it. */
#include <dlfcn.h>
#include <stdio.h>

static void through_c(void (*back)(int))
{
    back(3);
    puts("not reached");
}

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin == NULL)
        return 2;
    void (*unwound)(void (*)(void (*)(int))) =
        (void (*)(void (*)(void (*)(int))))dlsym(plugin, "unwound");
    unwound(through_c);
    return 0;
}
