/* target: */
/* own_memory.c - a process whose memory does not come from malloc: 64 MiB mapped, 100 bytes
 * allocated. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    size_t size = (size_t)64 << 20;
    char *own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return 2;
    memset(own, 1, size);
    char *volatile block = malloc(100);
    return block == NULL;
}
