/* target: cflags=-O1,-fno-builtin,-pthread */
/* ends_ways.c WAY [THREADS [PAUSE]] - allocates 1,000 bytes at a time in site_lost and counts them
 * in the file `count`, mapped and shared, so that the count outlives it; then ends that way. With
 * THREADS these go on allocating, each with a count of its own, until there is no process any more.
 * `forever` waits to be killed, and `greedy` fills its memory until it is. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIRST = 5000, SIZE = 1000, BEFORE = 500 };

static uint64_t
    *counts; /* [0] is main's, [1 ...] the threads', [BEFORE] their sum before the end */

__attribute__((noipa)) static void *site_lost(uint64_t *count)
{
    void *p = malloc(SIZE);
    if (p != NULL)
        __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
    __asm__ volatile("" ::: "memory");
    return p;
}

static int pause_spins;

static void *on_and_on(void *count)
{
    for (;;) {
        free(site_lost(count));
        for (volatile int spin = 0; spin < pause_spins; spin++) {
        }
    }
    return NULL;
}

static int overflow(int n)
{
    volatile char frame[1000] = {0};
    return n == 1 << 30 ? 0 : overflow(n + 1) + frame[n % 1000];
}

static void limit(__rlimit_resource_t what, rlim_t value)
{
    struct rlimit r = {value, value};
    setrlimit(what, &r);
}

static void end(const char *way)
{
    volatile int zero = 0;
    int pipes[2];
    if (strcmp(way, "exit") == 0)
        exit(3);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(4);
    if (strcmp(way, "_exit") == 0)
        _exit(5);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "term") == 0)
        raise(SIGTERM);
    if (strcmp(way, "segv") == 0)
        *(volatile char *)(uintptr_t)zero = 1;
    if (strcmp(way, "fpe") == 0)
        zero = 4711 / zero;
    if (strcmp(way, "overflow") == 0)
        overflow(0);
    if (strcmp(way, "double_free") == 0) {
        void *volatile p = malloc(5000);
        memset(p, 0x55, 5000);
        free((char *)p + 16); /* the allocator notices, or the processor */
        raise(SIGABRT);
    }
    if (strcmp(way, "pipe") == 0 && pipe(pipes) == 0) {
        close(pipes[0]);
        zero = (int)write(pipes[1], "x", 1);
    }
    if (strcmp(way, "cpu") == 0) {
        limit(RLIMIT_CPU, 1);
        for (;;)
            zero++;
    }
    if (strcmp(way, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(way, "memory") == 0) {
        limit(RLIMIT_AS, 256 << 20);
        while (site_lost(counts) != NULL) {
        }
        abort();
    }
    if (strcmp(way, "greedy") == 0) {
        for (void *p; (p = site_lost(counts)) != NULL;)
            memset(p, 1, SIZE);
    }
    if (strcmp(way, "forever") == 0) {
        puts("ready");
        fflush(stdout);
        on_and_on(counts);
    }
}

int main(int argc, char **argv)
{
    int fd = open("count", O_RDWR | O_CREAT, 0600);
    if (argc < 2 || fd < 0 || ftruncate(fd, 4096) != 0)
        return 90;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    limit(RLIMIT_CORE, 0);
    pause_spins = argc > 3 ? atoi(argv[3]) : 0;
    for (int i = 0; i < FIRST; i++)
        site_lost(counts);
    for (int i = 1; argc > 2 && i <= atoi(argv[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, on_and_on, &counts[i]) != 0)
            return 91;
        while (__atomic_load_n(&counts[i], __ATOMIC_RELAXED) < 100)
            usleep(1000);
    }
    for (int i = 0; i < 100; i++)
        counts[BEFORE] += __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
    end(argv[1]);
    return 92;
}
