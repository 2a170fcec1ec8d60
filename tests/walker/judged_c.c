/* target: cflags=-O3,-fomit-frame-pointer,-fno-plt,-Wno-alloca-larger-than libs=-lm */
/* matrix: 1 */
/* judged_c.c - C that is hard on a stack walker: frames of run-time size, realigned stacks, no
 * frame pointers, tail calls, callbacks through the C library. Allocates all over; judge.c looks
 * on. */
#include <alloca.h>
#include <glob.h>
#include <locale.h>
#include <netdb.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;

static __attribute__((noinline)) void allocate(unsigned size)
{
    void *p = malloc(size);
    sink += (unsigned long)p;
    free(p);
}

static int compare(const void *a, const void *b)
{
    allocate(24);
    return *(const int *)a - *(const int *)b;
}

/* Merge sort in a buffer on the stack, and one on the heap. */
static __attribute__((noinline)) void sorts(unsigned n)
{
    int *numbers = malloc(n * sizeof *numbers);
    for (unsigned i = 0; i < n; i++)
        numbers[i] = (int)((i * 2654435761u) >> 8);
    qsort(numbers, n, sizeof *numbers, compare);
    sink += bsearch(&numbers[n / 2], numbers, n, sizeof *numbers, compare) != NULL;
    free(numbers);
}

static __attribute__((noinline)) void run_time_size(unsigned n)
{
    char array[n * 16 + 1];
    char *more = alloca(n * 8 + 1);
    memset(array, 1, sizeof array);
    memset(more, 2, n * 8 + 1);
    allocate(n);
    sink += (unsigned long)array[n] + (unsigned long)more[n];
    if (n > 0)
        run_time_size(n - 1);
    allocate(n + 1);
}

/* Realigned: fixed size, and with run-time size (where the CFA is kept in memory). */
static __attribute__((noinline)) void realigned(unsigned n)
{
    _Alignas(64) char block[256];
    memset(block, (int)n, sizeof block);
    allocate(40);
    sink += (unsigned long)block[n % 256];
    if (n > 0)
        realigned(n - 1);
    sink += (unsigned long)block[1];
}

static __attribute__((noinline)) void realigned_run_time_size(unsigned n)
{
    _Alignas(128) char block[128];
    char array[n * 32 + 32];
    memset(block, (int)n, sizeof block);
    memset(array, (int)n, sizeof array);
    allocate(48);
    if (n > 0)
        realigned_run_time_size(n - 1);
    sink += (unsigned long)block[n % 128] + (unsigned long)array[n];
}

static __attribute__((noinline, force_align_arg_pointer)) void forced(unsigned n)
{
    allocate(n + 8);
    if (n > 0)
        forced(n - 1);
    sink += n;
}

static __attribute__((noinline, target("avx2"))) void vectors(float *a, unsigned n)
{
    float local[64];
    for (unsigned i = 0; i < 64; i++)
        local[i] = a[i % n] * 2.5f;
    allocate(64);
    for (unsigned i = 0; i < 64; i++)
        a[i % n] += local[i];
}

/* More arguments than registers: outgoing ones are pushed, or stored and popped. */
static __attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g,
                                           long h, long i, long j)
{
    allocate(16);
    return a > 0 ? many(a - 1, c, b, e, d, g, f, i, h, j) + a * j : b + c + d + e + f + g + h + i;
}

static __attribute__((noinline)) void tail_b(unsigned n);
static __attribute__((noinline)) void tail_a(unsigned n)
{
    allocate(n);
    if (n > 0)
        tail_b(n - 1);
}
static __attribute__((noinline)) void tail_b(unsigned n)
{
    allocate(n);
    if (n > 0)
        tail_a(n - 1);
}

static __attribute__((noinline)) void big_frame(unsigned n)
{
    char frame[100000];
    memset(frame, 1, sizeof frame);
    allocate(n);
    sink += (unsigned long)frame[n];
}

static __attribute__((noinline)) unsigned deep(unsigned n)
{
    if (n == 0) {
        allocate(100);
        return 1;
    }
    return deep(n - 1) + (unsigned)sink % 2;
}

static jmp_buf back;
static __attribute__((noinline)) void jumps(unsigned n)
{
    allocate(8);
    if (n == 0)
        longjmp(back, 1);
    if (sink != 1)
        jumps(n - 1);
    sink++;
}

static void visit(const void *node, VISIT which, int depth)
{
    (void)node, (void)which;
    allocate((unsigned)depth + 1);
}

static __attribute__((noinline)) void library(void)
{
    void *tree = NULL;
    static char keys[50][8];
    for (int i = 0; i < 50; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i * 37 % 50);
        tsearch(keys[i], &tree, (int (*)(const void *, const void *))strcmp);
    }
    twalk(tree, visit);
    for (int i = 0; i < 50; i++)
        tdelete(keys[i], &tree, (int (*)(const void *, const void *))strcmp);

    regex_t regex;
    if (regcomp(&regex, "^(a|b)*c[0-9]{2,5}(x|yz)+$", REG_EXTENDED) == 0) {
        sink += (unsigned long)regexec(&regex, "ababc1234yzyz", 0, NULL, 0);
        regfree(&regex);
    }
    glob_t found;
    if (glob("/etc/*", 0, NULL, &found) == 0)
        globfree(&found);
    struct addrinfo *addresses, hints = {.ai_flags = AI_NUMERICHOST};
    if (getaddrinfo("127.0.0.1", "80", &hints, &addresses) == 0)
        freeaddrinfo(addresses);
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    for (int i = 0; i < 200; i++)
        fprintf(stream, "%d %.17g %s %*d\n", i, i / 7.0, "text", 300, i);
    fclose(stream);
    free(text);
    time_t now = 0;
    struct tm local;
    sink += localtime_r(&now, &local) != NULL;
    sink += setlocale(LC_ALL, "C.UTF-8") != NULL;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
    float numbers[32] = {1};
    for (volatile unsigned r = 0; r < rounds; r++) {
        sorts(50 + r % 100);
        sorts(3000 * (r % 10 == 0) + 1);
        run_time_size(r % 20);
        realigned(r % 15);
        realigned_run_time_size(r % 15);
        forced(r % 10);
        if (__builtin_cpu_supports("avx2"))
            vectors(numbers, 32);
        sink += (unsigned long)many(5, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        tail_a(r % 9);
        big_frame(r % 1000);
        sink += deep(r % 150);
        if (setjmp(back) == 0)
            jumps(r % 10);
        library();
    }
    return 0;
}
