/* test: cflags=-Iinterpose,-Iproto,-DAPPROF_FAULTS time=400 */
/* tables_faults.c - each system call of the tables is made to fail, one after the other, and from
 * one on all of them, in a run that makes tables, fills them, forks and ends. Nothing may crash or
 * hang, figures stay right wherever there are tables, no descriptor and no signal mask is left
 * changed, and no file is left behind that nobody maps.
 *
 * Built of the sources themselves, since the faults are compiled in.
 */
#include "raw_sys.c"
#include "spin.c"
#include "weight.c"
#include "tables.c"
#include "tables_memory.c"
#include "tables_cgroup.c"
#include "tables_start.c"
#include "tables_file.c"
#include "tables_fork.c"
#include "tables_stripes.c"
#include "tables_stacks.c"
#include "tables_world.h"
#include <dirent.h>

enum { ALLOCS = 8000 };

static long calls, fail_from, fail_to;
static long errors[] = {-ENOMEM, -ENOSPC, -EACCES, -EIO, -EMFILE, -EFBIG};
static long error;

static long fault(long number)
{
    calls++;
    if (number == SYS_close || number == SYS_munmap || number == SYS_rt_sigprocmask)
        return 0; /* these don't fail in a way that leaves anything to do */
    return calls >= fail_from && calls <= fail_to ? error : 0;
}

static const void *address(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f0000000000) + n * 48);
}

static void check_figures(uint64_t samples, uint64_t inherited)
{
    struct heap_header *h = tables_header();
    struct tables_io io = tables_own_io();
    char *file = malloc(h->file_size);
    uint64_t n = 0;
    int64_t got;
    while (n < h->file_size && (got = io.read_at(io.ctx, file + n, h->file_size - n, n)) > 0)
        n += (uint64_t)got;
    struct world_sums s = world_sum(file, n);
    CHECK(h->samples == samples, "%lu samples", (long)h->samples);
    CHECK(s.alloc_samples == samples + inherited, "%lu counted", (long)s.alloc_samples);
    CHECK(s.alloc_samples - s.freed_samples == s.live_count, "%lu - %lu, %lu live",
          (long)s.alloc_samples, (long)s.freed_samples, (long)s.live_count);
    CHECK(h->lost_samples == 0 || inherited < ALLOCS, "lost samples");
    free(file);
}

static void fill(void)
{
    static struct unwind_stack stack;
    for (uint64_t i = 0; i < ALLOCS; i++) {
        world_stack(&stack, i / 2, 20);
        tables_record_alloc(address(i), 100, 0, &stack);
    }
}

static int descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* One life. */
static void run(void)
{
    struct tables_config config = world_config(1);
    int open_before = descriptors();
    sigset_t mask_before = {0}, mask = {0};
    sigprocmask(SIG_BLOCK, NULL, &mask_before);
    raw_fault = fault;
    if (tables_init(&config)) {
        fill();
        check_figures(ALLOCS, 0);
        pid_t pid = fork();
        if (pid == 0) {
            if (tables_after_fork(&config)) {
                struct heap_header *h = tables_header();
                check_figures(0, ALLOCS - h->lost_live - h->lost_samples);
                tables_unlink();
            } else {
                CHECK(!tables_record_free(address(1)), "freed without tables");
            }
            _exit(world_failures ? 1 : 0);
        }
        int status;
        waitpid(pid, &status, 0);
        CHECK(status == 0, "child: %x", status);
        for (uint64_t i = 0; i < ALLOCS; i++)
            tables_record_free(address(i));
        CHECK(tables_header()->live_bytes == 0, "live");
        raw_fault = NULL; /* or the file could not go */
        tables_unlink();
    } else {
        fill();
        CHECK(!tables_header() && !tables_record_free(address(1)), "recorded without tables");
    }
    raw_fault = NULL;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    CHECK(memcmp(&mask, &mask_before, sizeof mask) == 0, "signal mask");
    CHECK(descriptors() == open_before, "descriptors: %d, %d before", descriptors(), open_before);
}

/* In a process of its own, which tells how many calls it made. */
static long life(long from, long to, long with)
{
    int fds[2], status;
    long made = 0;
    if (pipe(fds) != 0)
        exit(1);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        world_failures = 0;
        close(fds[0]);
        fail_from = from, fail_to = to, error = with;
        run();
        if (world_failures)
            printf("^ calls %ld to %ld fail with %ld\n", from, to, with);
        fflush(stdout);
        if (write(fds[1], &calls, sizeof calls) < 0)
            _exit(2);
        _exit(world_failures ? 1 : 0);
    }
    close(fds[1]);
    if (read(fds[0], &made, sizeof made) < 0)
        made = 0;
    close(fds[0]);
    waitpid(pid, &status, 0);
    CHECK(status == 0, "calls %ld to %ld fail with %ld: status %x", from, to, with, status);
    return made;
}

int main(void)
{
    world_make_directory();
    long n = life(0, -1, 0), lives = 0, step = n / 100 + 1;
    for (long at = 1; at <= n; at += at < 100 ? 1 : step, lives += 2) {
        long with = errors[at % (long)(sizeof errors / sizeof errors[0])];
        life(at, at, with);
        life(at, 1000000, with);
    }
    CHECK(n > 60, "only %ld calls", n);
    printf("%ld calls, %ld lives\n", n, lives);
    return world_end();
}
