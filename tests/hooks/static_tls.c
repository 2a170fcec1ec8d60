/* target: cflags=-O1,-fno-builtin libs=-ldl */
/* matrix: {}/static_tls_part.so */
/* static_tls.c - a library that is loaded late finds the static thread-local storage that it would
 * find without us. (pitfall: "cannot allocate memory in static TLS block") */
#include "behaviour.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    free(malloc(1 << 20));
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (library == NULL)
        puts(dlerror());
    CHECK(library != NULL);
    int (*part)(int) = library != NULL ? (int (*)(int))dlsym(library, "static_tls_part") : NULL;
    CHECK(part != NULL && part(3) == 1 && part(3) == 2);
    return behaviour_end();
}
