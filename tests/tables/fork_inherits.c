/* test: link=tables cflags=-pthread time=240 */
/* fork_inherits.c - a process forks (by fork and by raw clone) at any instant while three of its
 * threads change its tables. Each child must come to tables of its own that hold exactly what was
 * live, as inherited, with the stacks that it had; and must not have changed the parent's.
 *
 * The child knows what was live from its copy of the slots: one that nobody had in hand was live
 * with that size or free, and its table must say the same. A size tells the number of the stack.
 */
#include "tables_world.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

enum { THREADS = 3, SLOTS = 600, STACKS = 32 };

static int forks = 60;
static int done;
static struct tables_config config;

static struct {
    int lock;
    uint32_t size;
} slots[SLOTS];
static uint64_t sum_samples, sum_bytes;

static const void *address(unsigned i)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f1200000010) + (uint64_t)i * 0x10030);
}

/* Module ids 1..3, so that ids that come out wrong are seen. */
static void make_stack(struct unwind_stack *stack, uint32_t n)
{
    world_stack(stack, n, 3 + n);
    stack->room[0] = HEAP_FRAME(1 + n % 3, world_mix(n));
}

static void *worker(void *arg)
{
    static __thread struct unwind_stack stack;
    uint64_t random = world_mix((uintptr_t)arg + 77);
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        random = world_mix(random + 0x9e3779b97f4a7c15);
        unsigned i = (unsigned)random % SLOTS;
        uint32_t size = 32 + (uint32_t)(random >> 32) % 5000;
        if (__atomic_exchange_n(&slots[i].lock, 1, __ATOMIC_ACQUIRE))
            continue;
        if (slots[i].size == 0) {
            make_stack(&stack, size % STACKS);
            tables_record_alloc(address(i), size, 0, &stack);
            slots[i].size = size;
            __atomic_fetch_add(&sum_samples, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&sum_bytes, size, __ATOMIC_RELAXED);
        } else {
            if (random >> 60 == 0)
                tables_defer_free(address(i));
            else
                CHECK(tables_record_free(address(i)), "a live sample was not found");
            slots[i].size = 0;
        }
        __atomic_store_n(&slots[i].lock, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Every live entry of the child's file leads to the stack that its size names. */
static void check_stacks(const char *file)
{
    static struct unwind_stack wanted;
    const struct heap_header *h = (const void *)file;
    for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++) {
        for (uint32_t i = 0; i < h->stripes[s].capacity; i++) {
            const struct heap_live *live =
                (const void *)(file + h->stripes[s].offset + i * sizeof *live);
            if (live->address == 0)
                continue;
            const struct heap_counter *c = (const void *)(file + HEAP_OFFSET(live->counter));
            const struct heap_stack *stack = (const void *)(file + HEAP_OFFSET(c->stack));
            make_stack(&wanted, (uint32_t)live->size % STACKS);
            CHECK(stack->n_frames == wanted.n_frames &&
                      memcmp(stack->frames, wanted.frames, wanted.n_frames * 8) == 0,
                  "wrong stack for size %lu", (long)live->size);
            CHECK(c->flags & HEAP_COUNTER_INHERITED, "not inherited");
            CHECK(c->size_class == heap_size_class(live->size), "size class");
        }
    }
}

static void come_to_own(uint32_t parent)
{
    world_failures = 0;
    uint64_t live = 0;
    CHECK(tables_forked(), "the fork was not noticed");
    CHECK(!tables_record_free(address(0)) && tables_header()->pid == parent,
          "a child used its parent's tables");
    CHECK(tables_after_fork(&config) && !tables_forked(), "no tables for the child");
    struct heap_header *h = tables_header();
    CHECK(h->pid == (uint32_t)getpid() && h->inherited_from == parent, "pid");
    CHECK(h->samples == 0 && h->lost_live + h->lost_samples + h->lost_stacks == 0, "losses");
    for (uint32_t id = 1; id <= 3; id++)
        CHECK(tables_module(id) && tables_module(id)->map_start == id, "module %u", id);
    CHECK(h->n_modules == 3 && h->n_rates == 2 && h->rates[0] == 1, "modules and rates");

    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    struct world_sums sums = world_sum(file, size);
    check_stacks(file);
    free(file);
    CHECK(sums.alloc_samples == sums.live && sums.inherited_samples == sums.live &&
              sums.alloc_bytes == (double)h->live_bytes,
          "%lu counted, %lu inherited, %lu live", (long)sums.alloc_samples,
          (long)sums.inherited_samples, (long)sums.live);
    for (unsigned i = 0; i < SLOTS; i++)
        live += slots[i].size != 0 || slots[i].lock;
    CHECK(sums.live <= live && sums.live + THREADS >= live, "%lu live, slots say %lu",
          (long)sums.live, (long)live);
}

static void use_own(void)
{
    static struct unwind_stack stack;
    struct heap_header *h = tables_header();
    make_stack(&stack, 5);
    tables_record_alloc((void *)0x7f0000000040, 5, 0, &stack);
    CHECK(h->samples == 1 && tables_record_free((void *)0x7f0000000040), "the child's own");
    for (unsigned i = 0; i < SLOTS; i++) {
        bool found = tables_record_free(address(i));
        CHECK(slots[i].lock || found == (slots[i].size != 0), "slot %u: size %u, found %d", i,
              slots[i].size, found);
    }
    CHECK(h->live_bytes == 0 && h->frees_unseen == 0, "%ld live at the end", (long)h->live_bytes);
    tables_unlink();
}

static void child(uint32_t parent, bool has_child)
{
    come_to_own(parent);
    if (has_child) { /* which inherits the same from its own parent */
        parent = (uint32_t)getpid();
        pid_t pid = fork();
        if (pid == 0) {
            come_to_own(parent);
        } else {
            int status;
            waitpid(pid, &status, 0);
            CHECK(status == 0, "grandchild: %x", status);
        }
    }
    use_own();
    _exit(world_failures ? 1 : 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        forks = atoi(argv[1]);
    world_make_directory();
    config = world_config(1);
    CHECK(tables_init(&config) && !tables_are_private(), "no tables");
    tables_set_rate(4096);
    config.rate = 4096; /* the child gets the current one; indexes stay */
    for (uint32_t id = 1; id <= 3; id++) {
        struct heap_module m = {.map_start = id};
        CHECK(tables_add_module(&m) == id, "module");
    }
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    uint32_t self = (uint32_t)getpid();
    uint64_t random = 1;
    int bad = 0;
    for (int n = 0; n < forks; n++) {
        random = world_mix(random + 1);
        struct timespec pause = {.tv_nsec = (long)(random % 2000000)};
        nanosleep(&pause, NULL);
        pid_t pid = n % 4 == 3 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (pid == 0)
            child(self, n % 8 == 0);
        int status;
        waitpid(pid, &status, 0);
        bad += status != 0;
    }
    CHECK(bad == 0, "%d of %d children failed", bad, forks);
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    /* The parent's figures are as if it had never forked. */
    struct heap_header *h = tables_header();
    tables_record_alloc(address(SLOTS), 64, 0, &(struct unwind_stack){.n_frames = 0});
    tables_record_free(address(SLOTS));
    uint64_t live = 0, live_bytes = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        live += slots[i].size != 0, live_bytes += slots[i].size;
    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    struct world_sums sums = world_sum(file, size);
    CHECK(sums.alloc_samples == sum_samples + 1 && sums.alloc_bytes == (double)sum_bytes + 64 &&
              sums.live == live && h->live_bytes == live_bytes && sums.inherited_samples == 0,
          "the parent's figures: %lu of %lu samples, %lu of %lu live", (long)sums.alloc_samples,
          (long)sum_samples, (long)sums.live, (long)live);
    CHECK(h->lost_live + h->lost_samples + h->lost_stacks + h->frees_unseen == 0, "losses");
    printf("%d forks, %lu samples\n", forks, (long)sum_samples);
    free(file);
    return world_end();
}
