/* target: cflags=-O1,-fno-builtin,-pthread libs=-ldl */
/* matrix: {}/tls_part.so */
/* tls_user.c - libraries with thread-local storage of their own are loaded, touched by threads (the
 * loader then allocates, inside __tls_get_addr) and unloaded, while others allocate. (pitfall:
 * `__tls_get_addr` allocates: recursion) */
#include "behaviour.h"
#include <dlfcn.h>
#include <pthread.h>

static const char *path;

static void *touch(void *function)
{
    char *(*part)(int) = (char *(*)(int))function;
    void *p = malloc(1234);
    char *room = part(7);
    free(p);
    p = malloc(4321);
    part(7);
    free(p);
    CHECK(room[7] == 2 && room[8] == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argc;
    path = argv[1];
    for (int i = 0; i < 30; i++) {
        pthread_t threads[5];
        void *library = dlopen(path, RTLD_NOW);
        void *function = library != NULL ? dlsym(library, "tls_part") : NULL;
        CHECK(function != NULL);
        if (function == NULL)
            break;
        for (int k = 0; k < 5; k++)
            CHECK(pthread_create(&threads[k], NULL, touch, function) == 0);
        touch(function);
        for (int k = 0; k < 5; k++)
            pthread_join(threads[k], NULL);
        dlclose(library);
    }
    return behaviour_end();
}
