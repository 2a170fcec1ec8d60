/* elf_sample.c - prints where its own functions are, and how the kernel mapped them: built by
 * elf_kinds.sh in every way that moves addresses about.
 *
 *   NAME ADDRESS START LIMIT OFFSET      ADDRESS lies in the function's code
 */
#include <stdio.h>

__attribute__((noinline)) int sample_global(int x)
{
    __asm__ volatile("nop; nop; nop; nop");
    return x * 3 + 1;
}

__attribute__((noinline)) static int sample_static(int x)
{
    __asm__ volatile("nop; nop; nop; nop");
    return sample_global(x) + 2;
}

/* In a segment of its own, when the linker is told to put it far away. */
__attribute__((noinline, section(".far_text"))) int sample_far(int x)
{
    __asm__ volatile("nop; nop; nop; nop");
    return sample_static(x) + 3;
}

/* Without a size, as hand-written code often is. */
__asm__(".text\n.type sample_unsized, @function\nsample_unsized:\n.rept 32\nnop\n.endr\nret\n");
extern void sample_unsized(void);

/* Something before and behind, so that a wrong offset hits another name. */
__attribute__((noinline, used)) static void sample_last(void)
{
    __asm__ volatile("nop; nop; nop; nop");
}

static void tell(const char *name, void *function)
{
    unsigned long address = (unsigned long)function + 2, start, limit, offset;
    char line[1024], rights[8];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s %lx", &start, &limit, rights, &offset) == 4 &&
            address >= start && address < limit)
            printf("%s %lx %lx %lx %lx\n", name, address, start, limit, offset);
    if (maps)
        fclose(maps);
}

int main(void)
{
    tell("sample_global", (void *)sample_global);
    tell("sample_static", (void *)sample_static);
    tell("sample_far", (void *)sample_far);
    tell("sample_unsized", (void *)sample_unsized);
    tell("sample_last", (void *)sample_last);
    tell("main", (void *)main);
    return sample_far(1) == 0;
}
