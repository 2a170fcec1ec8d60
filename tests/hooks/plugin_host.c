/* target: cflags=-O1 libs=-ldl */
/* matrix: {}/plugin.so local [no_mimalloc] */
/* matrix: {}/plugin.so deep */
/* matrix: {}/plugin.so global [no_mimalloc] */
/* plugin_host PLUGIN local|deep|global - a C program, without the C++ library, that loads a plugin
 * written in C++, uses it, unloads it, and does so again. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int flags = strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    if (strcmp(argv[2], "deep") == 0)
        flags |= RTLD_DEEPBIND;
    for (int i = 0; i < 3; i++) {
        void *plugin = dlopen(argv[1], RTLD_NOW | flags);
        if (plugin == NULL) {
            puts(dlerror());
            return 1;
        }
        int (*site)(int) = (int (*)(int))dlsym(plugin, "plugin_site");
        printf("%d\n", site(10));
        dlclose(plugin);
    }
    return 0;
}
