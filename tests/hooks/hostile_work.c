/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: */
/* hostile_work.c [nofile|fsize|closed|moved|wait] - what hostile.sh runs where a program can hardly
 * live: allocates 6,000 times from thousands of stacks in site_hostile, checks what it got, keeps a
 * thousand blocks, and says so on stdout or in the file $RESULT. With an argument it makes its own
 * surroundings worse half-way: no descriptor beyond three, no file beyond a kilobyte, all
 * descriptors closed, another root directory; or waits until it can read a line. */
#include "behaviour.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS = 6000, KEPT = 1000, DEPTH = 12 };

static unsigned char *kept[KEPT];

SITE unsigned char *site_hostile(size_t size, unsigned bits, int depth)
{
    unsigned char *p;
    if (depth == 0)
        p = malloc(size);
    else if (bits & 1)
        p = site_hostile(size, bits >> 1, depth - 1);
    else
        p = site_hostile(size, bits >> 1, depth - 1);
    KEEP_FRAME();
    return p;
}

static void work(int from, int to)
{
    for (int i = from; i < to; i++) {
        unsigned char **place = &kept[i * 7919 % KEPT];
        if (*place != NULL)
            CHECK((*place)[0] == (unsigned char)(uintptr_t)place && (*place)[99] == 1);
        free(*place);
        *place = site_hostile(100 + (size_t)(i % 400), (unsigned)i, DEPTH);
        CHECK(*place != NULL);
        if (*place == NULL)
            continue;
        memset(*place, 1, 100);
        (*place)[0] = (unsigned char)(uintptr_t)place;
    }
}

static void limit(__rlimit_resource_t what, rlim_t value)
{
    struct rlimit r = {value, value};
    setrlimit(what, &r);
}

static void worse(const char *how)
{
    char line[16];
    if (strcmp(how, "nofile") == 0)
        limit(RLIMIT_NOFILE, 3);
    if (strcmp(how, "fsize") == 0)
        limit(RLIMIT_FSIZE, 1024);
    if (strcmp(how, "closed") == 0) {
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
    }
    if (strcmp(how, "moved") == 0) {
        mkdir("another-root", 0700);
        CHECK(chroot("another-root") == 0 && chdir("/") == 0);
    }
    if (strcmp(how, "wait") == 0) {
        CHECK(write(1, "ready\n", 6) == 6);
        CHECK(read(0, line, sizeof line) > 0);
    }
}

static void *rest(void *argument)
{
    work(CALLS / 2, CALLS);
    return argument;
}

int main(int argc, char **argv)
{
    const char *result = getenv("RESULT");
    work(0, CALLS / 2);
    if (argc > 1)
        worse(argv[1]);
    rest(NULL);
    if (result != NULL) {
        int fd = open(result, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
        if (out != NULL) {
            fprintf(out, "%d calls, %d faults\n", CALLS, behaviour_faults);
            fclose(out);
        }
    }
    printf("%d calls, %d faults\n", CALLS, behaviour_faults);
    return behaviour_faults == 0 ? 7 : 8;
}
