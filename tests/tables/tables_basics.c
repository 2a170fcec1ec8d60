/* test:
 * link=interpose/tables.c,interpose/tables_stripes.c,interpose/tables_stacks.c,interpose/tables_memory.c,interpose/tables_cgroup.c,interpose/tables_start.c,interpose/tables_file.c,interpose/tables_fork.c,interpose/spin.c,interpose/raw_sys.c,interpose/weight.c
 * libs=-lm quick */
/* tables_basics.c - one thread, step by step: every figure of the tables after every kind of event.
 */
#include "tables_world.h"
#include "weight.h"

static struct unwind_stack stack;

static struct world_sums sums(void)
{
    size_t size = 0;
    char *file = world_read(tables_path(), &size);
    CHECK(file != NULL, "cannot read %s", tables_path());
    struct world_sums result = file ? world_sum(file, size) : (struct world_sums){0};
    free(file);
    return result;
}

static const void *address(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f0000000000) + n * 1024);
}

static void exact(void)
{
    struct heap_header *h = tables_header();
    world_stack(&stack, 1, 20);
    tables_record_alloc(address(1), 100, 0, &stack);
    tables_record_alloc(address(2), 0, 0, &stack);
    CHECK(h->live_bytes == 100 && h->peak_bytes == 100 && h->samples == 2, "totals");
    CHECK(!tables_record_free(address(3)), "a stranger was freed");
    CHECK(tables_filter[tables_filter_bucket(address(1))] == 1, "filter");
    CHECK(tables_record_free(address(1)), "not found");
    CHECK(!tables_record_free(address(1)), "found twice");
    CHECK(tables_filter[tables_filter_bucket(address(1))] == 0, "filter after free");
    struct world_sums s = sums();
    CHECK(s.alloc_samples == 2 && s.freed_samples == 1 && s.live == 1, "%lu %lu %lu",
          (long)s.alloc_samples, (long)s.freed_samples, (long)s.live);
    CHECK(s.alloc_bytes == 100 && s.freed_bytes == 100, "bytes");
    CHECK(s.counters == 2 && s.stacks == 2, "%lu counters, %lu stacks", (long)s.counters,
          (long)s.stacks);
    CHECK(tables_record_free(address(2)), "malloc(0)");
    CHECK(h->live_bytes == 0 && h->peak_bytes == 100, "totals at the end");

    /* the same address again without a free in between */
    tables_record_alloc(address(5), 8, 0, &stack);
    tables_record_alloc(address(5), 16, 0, &stack);
    CHECK(h->frees_unseen == 1 && h->live_bytes == 16, "unseen free");
    CHECK(tables_record_free(address(5)) && h->live_bytes == 0, "after an unseen free");
    CHECK(tables_filter[tables_filter_bucket(address(5))] == 0, "filter after an unseen free");
}

static void reallocs(void)
{
    struct heap_header *h = tables_header();
    struct tables_ticket ticket;
    tables_record_alloc(address(10), 1000, 0, &stack);
    CHECK(!tables_realloc_begin(address(11), &ticket), "realloc of a stranger");
    CHECK(tables_realloc_begin(address(10), &ticket), "realloc");
    CHECK(!tables_record_free(address(10)), "still there during realloc");
    CHECK(h->live_bytes == 1000, "counted too early");
    tables_realloc_abort(&ticket);
    CHECK(h->live_bytes == 1000 && tables_record_free(address(10)), "not put back");
    tables_record_alloc(address(10), 1000, 0, &stack);
    CHECK(tables_realloc_begin(address(10), &ticket), "realloc");
    tables_realloc_commit(&ticket);
    CHECK(h->live_bytes == 0 && !tables_record_free(address(10)), "not committed");
}

static void deferred(void)
{
    struct heap_header *h = tables_header();
    tables_record_alloc(address(20), 64, 0, &stack);
    tables_defer_free(address(20));
    tables_defer_free(address(21)); /* never sampled: not even queued */
    CHECK(h->live_bytes == 64, "removed too early");
    tables_record_alloc(address(20), 32, 0, &stack); /* the allocator gave it out again */
    CHECK(h->live_bytes == 32 && h->frees_unseen == 1, "%lu live, %lu unseen", (long)h->live_bytes,
          (long)h->frees_unseen);
    CHECK(tables_record_free(address(20)) && h->live_bytes == 0, "deferred");
    /* more than the queue holds: the rest is counted, and nothing is lost when they come back */
    for (uint64_t i = 0; i < 2000; i++)
        tables_record_alloc(address(100 + i), 1, 0, &stack);
    for (uint64_t i = 0; i < 2000; i++)
        tables_defer_free(address(100 + i));
    uint64_t unseen = h->frees_unseen - 1;
    CHECK(unseen > 1000 && unseen < 2000, "%lu unseen", (long)unseen);
    for (uint64_t i = 0; i < 2000; i++)
        tables_record_alloc(address(100 + i), 1, 0, &stack);
    CHECK(h->live_bytes == 2000, "%lu live", (long)h->live_bytes);
    for (uint64_t i = 0; i < 2000; i++)
        CHECK(tables_record_free(address(100 + i)), "lost");
    CHECK(h->live_bytes == 0, "%lu live", (long)h->live_bytes);
}

static void weighted(void)
{
    struct heap_header *h = tables_header();
    uint64_t before = h->peak_bytes;
    uint32_t index = tables_set_rate(4096);
    CHECK(index == 1 && h->n_rates == 2 && h->rate == 4096 && h->rates[1] == 4096, "rate");
    CHECK(tables_set_rate(4096) == 1 && h->n_rates == 2, "the same rate again");
    struct world_sums a = sums();
    tables_record_alloc(address(30), 5000, index, &stack);
    double w = weight_of(5000, 4096);
    CHECK(h->live_bytes == weight_bytes(w, 5000), "weighted live bytes");
    CHECK(tables_record_free(address(30)) && h->live_bytes == 0, "weighted free");
    CHECK(h->peak_bytes >= before, "peak");
    struct world_sums b = sums();
    CHECK(b.alloc_objects == w && b.freed_objects == w, "objects");
    CHECK(b.alloc_bytes - a.alloc_bytes > w * 5000 * 0.999999, "bytes");
    for (unsigned i = 0; i < 100; i++)
        index = tables_set_rate(i % 2 ? 1 : 100 + i);
    CHECK(index == HEAP_MAX_RATES - 1 && h->n_rates == HEAP_MAX_RATES, "index %u", index);
    CHECK(h->rate == h->rates[HEAP_MAX_RATES - 1], "current rate");
}

static void modules(void)
{
    struct heap_module m = {.map_start = 1, .path_len = 3, .path = "abc"};
    for (uint32_t id = 1; id <= 1000; id++) {
        m.map_end = id;
        CHECK(tables_add_module(&m) == id, "id %u", id);
    }
    for (uint32_t id = 1; id <= 1000; id++)
        CHECK(tables_module(id) && tables_module(id)->valid == 1 &&
                  tables_module(id)->map_end == id,
              "module %u", id);
    CHECK(!tables_module(0) && !tables_module(1001), "no such module");
    CHECK(sums().modules == 1000, "modules in the file");
}

static void own_io(void)
{
    size_t size = 0;
    char *file = world_read(tables_path(), &size), *own = malloc(size + 10);
    struct tables_io io = tables_own_io();
    int64_t n = 0, got;
    while ((got = io.read_at(io.ctx, own + n, size + 10 - (size_t)n, (uint64_t)n)) > 0)
        n += got;
    CHECK(n == (int64_t)size && memcmp(file, own, size) == 0, "own reader differs");
    CHECK(io.read_at(io.ctx, own, 8, UINT64_MAX - 3) <= 0, "offset out of range");
    free(file);
    free(own);
}

int main(void)
{
    world_make_directory();
    struct tables_config config = world_config(1);
    CHECK(tables_init(&config) && !tables_are_private(), "no tables in %s", world_directory);
    CHECK(tables_header()->pid == (uint32_t)getpid() && tables_header()->start_ticks > 0 &&
              tables_header()->pid_namespace > 0,
          "process facts");
    exact();
    reallocs();
    deferred();
    weighted();
    modules();
    own_io();
    CHECK(tables_header()->lost_live + tables_header()->lost_samples +
                  tables_header()->lost_stacks ==
              0,
          "losses");
    CHECK(access(tables_path(), F_OK) == 0, "file");
    tables_unlink();
    CHECK(tables_path()[0] == 0, "path after unlink");
    return world_end();
}
