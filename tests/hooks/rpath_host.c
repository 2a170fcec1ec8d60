/* target: cflags=-O1,-fno-builtin libs=-ldl,-Xlinker,-rpath,-Xlinker,'$$ORIGIN' */
/* matrix: */
/* rpath_host.c - dlopen by a bare name searches the RUNPATH of its caller, which is this program
 * and not us; dlerror and dladdr say what they say. (pitfall: wrapping dlopen breaks RPATH) */
#include "behaviour.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>

int main(void)
{
    void *library = dlopen("tls_part.so", RTLD_NOW);
    if (library == NULL)
        puts(dlerror());
    CHECK(library != NULL);
    CHECK(dlopen("no-such-library.so", RTLD_NOW) == NULL);
    puts(dlerror());
    CHECK(dlerror() == NULL);
    CHECK(dlsym(RTLD_NEXT, "main") == NULL);
    puts(dlerror());
    struct link_map *map = NULL;
    CHECK(library != NULL && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 &&
          strstr(map->l_name, "/tls_part.so") != NULL);
    return behaviour_end();
}
