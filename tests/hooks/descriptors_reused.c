/* target: cflags=-O1,-fno-builtin */
/* matrix: */
/* descriptors_reused.c - a program that closes every descriptor it might have, again and again, and
 * whose own files then get the numbers 0, 1 and 2: they hold what it wrote and nothing else, and it
 * gets the numbers that it would get. (pitfall: closed under the tool, or output lands in a reused
 * fd 2) */
#include "behaviour.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 3, TURNS = 60 };

static int line_at_fault; /* nobody can be told until the end */
#define MUST(condition) (void)((condition) || line_at_fault || (line_at_fault = __LINE__))

static void new_stacks(int depth, int leaf)
{
    if (depth > 0) {
        if (leaf & 1)
            new_stacks(depth - 1, leaf >> 1);
        else
            new_stacks(depth - 1, leaf >> 1);
        KEEP_FRAME();
        return;
    }
    void *volatile p = malloc(3000);
    free(p);
}

static void turn(int number, const char *names[FILES])
{
    char text[40], back[80];
    for (int fd = 0; fd < 256; fd++)
        close(fd);
    for (int i = 0; i < 300; i++) /* tables grow, with 0, 1 and 2 free */
        new_stacks(12, number * 300 + i);
    for (int i = 0; i < FILES; i++)
        MUST(open(names[i], O_CREAT | O_EXCL | O_RDWR, 0600) == i);
    for (int i = 0; i < 300; i++)
        new_stacks(12, 1 << 20 | (number * 300 + i));
    for (int i = 0; i < FILES; i++) {
        int n = snprintf(text, sizeof text, "file %d of turn %d\n", i, number);
        MUST(write(i, text, (size_t)n) == n);
        MUST(pread(i, back, sizeof back, 0) == n && memcmp(text, back, (size_t)n) == 0);
    }
    for (int i = 0; i < FILES; i++)
        unlink(names[i]);
    for (int fd = FILES; fd < 256; fd++)
        MUST(close(fd) != 0);
}

int main(void)
{
    const char *names[FILES] = {"reused-0", "reused-1", "reused-2"};
    int out = dup(1), saved = fcntl(out, F_DUPFD, 300);
    for (int i = 0; i < TURNS; i++)
        turn(i, names);
    for (int i = 0; i < FILES; i++)
        dup2(saved, i);
    if (line_at_fault)
        printf("line %d\n", line_at_fault);
    CHECK(line_at_fault == 0);
    return behaviour_end();
}
