/* test: link=tables time=240 */
/* tables_limits.c - when memory, the file system, or the right to ask for them runs out: nothing
 * dies, the limit holds, the totals stay right, and what was lost is counted. Each case in a
 * process of its own. */
#include "tables_world.h"
#include "tables_internal.h"
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { ALLOCS = 150000, STACKS = 50000 };

#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static struct tables_config config;
static struct unwind_stack stack;

static const void *address(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f0000000000) + n * 48);
}

static struct world_sums own_sums(void)
{
    struct tables_io io = tables_own_io();
    size_t size = tables_header()->file_size, n = 0;
    char *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int64_t got = 0;
    while (file != MAP_FAILED && n < size && (got = io.read_at(io.ctx, file + n, size - n, n)) > 0)
        n += (size_t)got;
    CHECK(n == size, "own reader ends at %lu of %lu", (long)n, (long)size);
    struct world_sums sums = world_sum(file, n);
    munmap(file, size);
    return sums;
}

static void record(void)
{
    for (uint64_t i = 0; i < ALLOCS; i++) {
        world_stack(&stack, i % STACKS, 20);
        tables_record_alloc(address(i), 100, 0, &stack);
    }
}

static void check_figures(void)
{
    struct heap_header *h = tables_header();
    struct world_sums s = own_sums();
    CHECK(s.alloc_samples == ALLOCS && h->samples == ALLOCS && h->lost_samples == 0,
          "%lu samples, %lu lost", (long)s.alloc_samples, (long)h->lost_samples);
    CHECK(s.alloc_bytes == 100.0 * ALLOCS, "bytes");
    CHECK(s.dropped_samples == h->lost_stacks, "%lu dropped, %lu said", (long)s.dropped_samples,
          (long)h->lost_stacks);
    CHECK(s.live_count + h->lost_live == ALLOCS, "%lu live, %lu lost", (long)s.live_count,
          (long)h->lost_live);
    CHECK(s.freed_samples == h->lost_live, "what isn't followed isn't in use");
    CHECK(h->live_bytes == 100 * s.live_count, "live bytes");
}

static uint64_t memory_used(void)
{
    return tables.shared_bytes + tables.private_bytes;
}

static void in_child(const char *what, void (*run)(uint64_t), uint64_t argument)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        world_failures = 0;
        run(argument);
        if (world_failures)
            printf("^ %s %lu\n", what, (long)argument);
        fflush(stdout);
        _exit(world_failures ? 1 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    CHECK(status == 0, "%s %lu: status %x", what, (long)argument, status);
}

/* --- the cases --- */

static void limit(uint64_t bytes)
{
    config.memory_limit = bytes;
    if (!tables_init(&config)) {
        CHECK(bytes < 512 << 10, "no tables within %lu bytes", (long)bytes);
        tables_record_alloc(address(1), 1, 0, &stack); /* harmless */
        CHECK(!tables_record_free(address(1)) && !tables_header(), "no tables");
        return;
    }
    record();
    CHECK(memory_used() <= bytes, "%lu of %lu bytes used", (long)memory_used(), (long)bytes);
    check_figures();
    bool lost = tables_header()->lost_live + tables_header()->lost_stacks > 0;
    CHECK(lost == (bytes < 32 << 20), "losses with a limit of %lu: %d", (long)bytes, lost);
    for (uint64_t i = 0; i < ALLOCS; i++)
        tables_record_free(address(i));
    CHECK(tables_header()->live_bytes == 0, "live at the end");
    tables_unlink();
}

static void private(uint64_t ignored)
{
    (void)ignored;
    config.directory = "off";
    CHECK(tables_init(&config) && tables_are_private() && world_complaints == 0, "private");
    record();
    check_figures();
    CHECK(tables_header()->lost_live + tables_header()->lost_stacks == 0, "losses");
}

/* Strict mode kills at any system call but read, write and exit. */
static void quiet(uint64_t ignored)
{
    (void)ignored;
    CHECK(tables_init(&config), "tables");
    for (uint64_t i = 0; i < 100; i++)
        tables_record_alloc(address(ALLOCS + i), 100, 0, &stack);
    for (uint64_t i = 0; i < 100; i++)
        tables_record_free(address(ALLOCS + i));
    world_quiet = 1;
    if (prctl(PR_SET_SECCOMP, 1) != 0)
        syscall(SYS_exit, 0); /* none here: nothing to test */
    record();
    struct heap_header *h = tables_header();
    bool good = h->samples == ALLOCS + 100 && h->lost_stacks > 0 && h->lost_live > 0 &&
                h->lost_samples == 0;
    for (uint64_t i = 0; i < ALLOCS; i++)
        tables_record_free(address(i));
    good = good && h->live_bytes == 0;
    syscall(SYS_exit, good ? 0 : 1);
}

static void set_limit(int what, rlim_t value)
{
    struct rlimit r = {value, value};
    CHECK(setrlimit(what, &r) == 0, "setrlimit");
}

static void file_size(uint64_t bytes)
{
    set_limit(RLIMIT_FSIZE, bytes);
    CHECK(tables_init(&config), "tables");
    CHECK(tables_are_private() == (bytes < 1 << 20), "private");
    record();
    check_figures();
    CHECK(tables_are_private() || tables_header()->lost_stacks > 0, "no loss");
    sigset_t pending;
    CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ), "SIGXFSZ left pending");
    CHECK(sigprocmask(SIG_BLOCK, NULL, &pending) == 0 && !sigismember(&pending, SIGXFSZ) &&
              !sigismember(&pending, SIGTERM),
          "signals left blocked");
}

static void descriptors(uint64_t n)
{
    CHECK(tables_init(&config) && !tables_are_private(), "tables");
    set_limit(RLIMIT_NOFILE, n);
    record();
    check_figures();
    CHECK(tables_header()->lost_stacks > 0, "grew without a descriptor");
}

static void no_descriptor(uint64_t ignored)
{
    (void)ignored;
    set_limit(RLIMIT_NOFILE, 0);
    CHECK(tables_init(&config) && tables_are_private(), "private");
    record();
    check_figures();
}

static void address_space(uint64_t more)
{
    CHECK(tables_init(&config), "tables");
    char text[256] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    CHECK(read(fd, text, sizeof text - 1) > 0, "statm");
    close(fd);
    set_limit(RLIMIT_AS, strtoull(text, NULL, 10) * 4096 + more);
    record();
    struct rlimit r;
    getrlimit(RLIMIT_AS, &r);
    r.rlim_cur = r.rlim_max;
    CHECK(tables_header()->samples == ALLOCS && tables_header()->lost_samples == 0, "samples");
    CHECK(tables_header()->lost_live > 0, "no loss");
}

/* A file that was moved away, or replaced, is not grown. */
static void replaced(uint64_t ignored)
{
    (void)ignored;
    char other[600];
    CHECK(tables_init(&config) && !tables_are_private(), "tables");
    snprintf(other, sizeof other, "%s.moved", tables_path());
    CHECK(rename(tables_path(), other) == 0, "rename");
    close(open(tables_path(), O_CREAT | O_RDWR, 0600));
    record();
    check_figures();
    struct stat st;
    CHECK(stat(tables_path(), &st) == 0 && st.st_size == 0, "another's file was written");
    CHECK(stat(other, &st) == 0 && st.st_size == (off_t)tables_header()->file_size, "size");
    unlink(other);
    unlink(tables_path());
}

/* A small tmpfs of our own, full from the start or soon. */
static void full_disk(uint64_t megabytes)
{
    char options[64];
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        puts("skipped: a full file system (no right to mount one)");
        return;
    }
    snprintf(options, sizeof options, "size=%luk,mode=700",
             megabytes ? (long)megabytes << 10 : 256L);
    if (mount("tables-test", world_directory, "tmpfs", 0, options) != 0) {
        puts("skipped: a full file system (no tmpfs)");
        return;
    }
    CHECK(tables_init(&config), "tables");
    CHECK(tables_are_private() == (megabytes == 0), "private");
    record();
    check_figures();
    CHECK(tables_are_private() || tables_header()->lost_stacks > 0, "no loss");
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return ok;
}

/* A memory cgroup of our own of 64 MiB: with little in it the tables grow, with 46 they
 * grow until the last tenth begins, at 57.6, and the kernel never has to kill. */
static void cgroup(const char *directory, uint64_t megabytes)
{
    char path[300], pid[32];
    bool v1 = strstr(directory, "/memory/") != NULL;
    snprintf(path, sizeof path, "%s/%s", directory, v1 ? "memory.limit_in_bytes" : "memory.max");
    bool ok = write_file(path, "67108864");
    snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    snprintf(pid, sizeof pid, "%d", getpid());
    if (!ok || !write_file(path, pid)) {
        puts("skipped: a cgroup nearly full (none can be had)");
        return;
    }
    size_t size = (size_t)megabytes << 20;
    char *ballast = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(ballast, 1, size);
    CHECK(tables_init(&config) || megabytes > 50, "tables");
    if (tables_header()) {
        record();
        CHECK(tables_header()->samples == ALLOCS && tables_header()->lost_samples == 0, "samples");
        bool lost = tables_header()->lost_stacks > 0;
        CHECK(lost == (megabytes > 30), "losses with %lu MiB used: %d", (long)megabytes, lost);
        tables_unlink();
    }
}

static void in_cgroup(uint64_t megabytes)
{
    char directory[100];
    snprintf(directory, sizeof directory, "/sys/fs/cgroup/memory/approf-test-%d", getpid());
    if (mkdir(directory, 0755) != 0) {
        snprintf(directory, sizeof directory, "/sys/fs/cgroup/approf-test-%d", getpid());
        if (mkdir(directory, 0755) != 0) {
            puts("skipped: a cgroup nearly full (none can be made)");
            return;
        }
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        cgroup(directory, megabytes);
        fflush(stdout);
        _exit(world_failures ? 1 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    CHECK(status == 0, "in the group: %x", status);
    for (int i = 0; rmdir(directory) != 0 && i < 100; i++)
        usleep(20000);
}

static void drop_everything(uint64_t ignored)
{
    (void)ignored;
    CHECK(tables_init(&config), "tables");
    for (uint64_t i = 0; i < 300000; i++) { /* past the 16 MiB that stacks may take */
        world_stack(&stack, i, 20);
        tables_record_alloc(address(1), 8 << i % 20, 0, &stack);
    }
    struct heap_header *h = tables_header();
    uint64_t stacks = 0;
    for (uint32_t i = 0; i < h->n_regions; i++)
        if (h->regions[i].kind == HEAP_REGION_STACKS)
            stacks += h->regions[i].size;
    CHECK(stacks <= 16 << 20 && stacks > 15 << 20, "%lu bytes of stacks", (long)stacks);
    struct world_sums s = own_sums();
    CHECK(s.alloc_samples == 300000 && s.dropped_samples == h->lost_stacks && h->lost_stacks > 0,
          "%lu dropped, %lu said", (long)s.dropped_samples, (long)h->lost_stacks);
    tables_unlink();
}

int main(void)
{
    static const uint64_t limits[] = {0,       1 << 10, 300 << 10, 400 << 10, 512 << 10,
                                      1 << 20, 2 << 20, 4 << 20,   16 << 20,  64 << 20};
    world_make_directory();
    config = world_config(1);
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        in_child("limit", limit, limits[i]);
    in_child("private", private, 0);
    in_child("quiet", quiet, 0);
    in_child("file size", file_size, 4096);
    in_child("file size", file_size, 1 << 20);
    in_child("file size", file_size, 3 << 20);
    in_child("descriptors", descriptors, 0);
    in_child("descriptors", no_descriptor, 0);
    if (!sanitized) { /* its shadow takes all the address space there is */
        in_child("address space", address_space, 4096);
        in_child("address space", address_space, 3 << 20);
    }
    in_child("replaced", replaced, 0);
    in_child("full disk", full_disk, 0);
    in_child("full disk", full_disk, 3);
    if (!sanitized) {
        in_child("cgroup", in_cgroup, 1);
        in_child("cgroup", in_cgroup, 46);
        in_child("cgroup", in_cgroup, 58);
    }
    in_child("all dropped", drop_everything, 0);
    return world_end();
}
