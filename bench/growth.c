/* growth.c - how the cost of an allocation grows with something: growth WHAT N [MODULE...]
 *
 *   live N      N blocks alive, one of them freed and replaced again and again
 *   stacks N    N different call stacks: each for the first time, then each again and again
 *   depth N     allocated under N frames
 *   modules N   called from N libraries in turn (their paths follow)
 *   samples N   N allocations from a thousand stacks, 4,096 alive, told ten times on the way
 *
 * Prints lines of three numbers: N (or how far it is), CPU nanoseconds an operation, and how many
 * bytes the profiler's tables take ($APPROF_TABLES, 0 without). What comes before the part that is
 * told of does not count. An operation is a malloc and a free. The last line is the CPU time of the
 * process so far: what the profiler does after it is its work at the end.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t state = 42;
static volatile int sink;

static uint32_t next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long long tables_bytes(void)
{
    long long bytes = 0;
    const char *path = getenv("APPROF_TABLES");
    DIR *dir = path ? opendir(path) : NULL;
    struct stat st;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            bytes += st.st_blocks * 512LL;
    if (dir)
        closedir(dir);
    return bytes;
}

static void tell(long n, double nanoseconds, long operations)
{
    printf("%ld %.2f %lld\n", n, nanoseconds / (double)operations, tables_bytes());
    fflush(stdout);
}

static void live(long n)
{
    enum { OPERATIONS = 300000 };
    void **blocks = malloc((size_t)n * sizeof *blocks);
    for (long i = 0; i < n; i++)
        blocks[i] = malloc(48);
    double start = now();
    for (long i = 0; i < OPERATIONS; i++) {
        long k = (long)(next() % (uint32_t)n);
        free(blocks[k]);
        blocks[k] = malloc(48);
    }
    tell(n, now() - start, OPERATIONS);
}

/* Ten functions that call each other as the digits of a number say: each number has a call stack of
 * its own. */
typedef void digit(unsigned long rest, int digits);
static digit digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7, digit8, digit9;
static digit *const by_digit[] = {digit0, digit1, digit2, digit3, digit4,
                                  digit5, digit6, digit7, digit8, digit9};
static void **keep; /* where the block goes, freed at once when NULL */

static inline __attribute__((always_inline)) void step(unsigned long rest, int digits, int k)
{
    if (digits == 0) {
        char *volatile p = malloc(100);
        if (keep) {
            free(*keep);
            *keep = p;
        } else {
            free(p);
        }
    } else {
        by_digit[rest % 10](rest / 10, digits - 1);
    }
    sink = k; /* no tail call */
}

#define DIGIT(k)                                                                   \
    static __attribute__((noinline)) void digit##k(unsigned long rest, int digits) \
    {                                                                              \
        step(rest, digits, k);                                                     \
    }
DIGIT(0)
DIGIT(1)
DIGIT(2)
DIGIT(3)
DIGIT(4)
DIGIT(5)
DIGIT(6)
DIGIT(7)
DIGIT(8)
DIGIT(9)

static void stacks(long n)
{
    enum { DIGITS = 6 };
    double start = now();
    for (long i = 0; i < n; i++)
        digit0((unsigned long)i, DIGITS);
    double first = now() - start;
    long again = n < 300000 ? 300000 / n * n : n;
    start = now();
    for (long i = 0; i < again; i++)
        digit0((unsigned long)(i % n), DIGITS);
    tell(n, now() - start, again);
    tell(-n, first, n);
}

static __attribute__((noinline)) void below(long depth)
{
    if (depth > 0) {
        below(depth - 1);
    } else {
        char *volatile p = malloc(16384);
        free(p);
    }
    sink = 1;
}

static void depth(long n)
{
    long operations = 40000000 / (n + 100);
    below(n);
    double start = now();
    for (long i = 0; i < operations; i++)
        below(n - 3); /* main, depth and the last one are frames too */
    tell(n, now() - start, operations);
}

static int modules(long n, char **paths)
{
    void (**call)(size_t) = malloc((size_t)n * sizeof *call);
    for (long i = 0; i < n; i++) {
        void *module = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        call[i] = module ? (void (*)(size_t))dlsym(module, "allocate") : NULL;
        if (!call[i]) {
            fprintf(stderr, "growth: %s\n", dlerror());
            return 1;
        }
        call[i](100);
    }
    long operations = 300000 / n * n;
    double start = now();
    for (long i = 0; i < operations; i++)
        call[i % n](100);
    tell(n, now() - start, operations);
    return 0;
}

static void samples(long n)
{
    enum { ALIVE = 4096, TIMES = 10 };
    static void *alive[ALIVE];
    long done = 0;
    for (int part = 1; part <= TIMES; part++) {
        double start = now();
        long until = n / TIMES * part, operations = until - done;
        for (; done < until; done++) {
            keep = &alive[done % ALIVE];
            digit0(next() % 1000, 3);
        }
        tell(done, now() - start, operations);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    if (n < 4)
        what = "";
    if (strcmp(what, "live") == 0) {
        live(n);
    } else if (strcmp(what, "stacks") == 0) {
        stacks(n);
    } else if (strcmp(what, "depth") == 0) {
        depth(n);
    } else if (strcmp(what, "modules") == 0 && argc == n + 3) {
        if (modules(n, argv + 3) != 0)
            return 1;
    } else if (strcmp(what, "samples") == 0) {
        samples(n);
    } else {
        fputs("usage: growth live|stacks|depth|modules|samples N [MODULE...]\n", stderr);
        return 2;
    }
    printf("end %.0f 0\n", now());
    return 0;
}
