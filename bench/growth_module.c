/* growth_module.c - a library that allocates when it is called; growth.c loads copies of it. */
#include <stdlib.h>

__attribute__((visibility("default"))) void allocate(size_t size);

void allocate(size_t size)
{
    char *volatile p = malloc(size);
    free(p);
}
