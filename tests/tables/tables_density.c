/* test: link=tables time=240 */
/* tables_density.c - what the tables cost, counted and not timed: bytes for each distinct stack,
 * for each live sample, and steps to find a live sample, which a million replacements must not
 * raise (no tombstones). */
#include "tables_world.h"
#include "tables_internal.h"

static struct tables_config config;
static struct unwind_stack stack;

static uint64_t used(void)
{
    return tables.shared_bytes + tables.private_bytes;
}

static const void *address(uint64_t n)
{
    return (const void *)(uintptr_t)(UINT64_C(0x7f0000000000) + n * 64);
}

static void in_child(const char *what, void (*run)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        world_failures = 0;
        CHECK(tables_init(&config) && !tables_are_private(), "no tables");
        run();
        tables_unlink();
        fflush(stdout);
        _exit(world_failures ? 1 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    CHECK(status == 0, "%s", what);
}

/* The promise: 4 MiB and 400 bytes for each distinct stack of 20 frames, at any number of them. */
static void stacks(void)
{
    uint64_t next = 1000, empty = used();
    CHECK(empty <= 4 << 20, "%lu bytes while empty", (long)empty);
    for (uint64_t n = 0; n < 80000; n++) {
        world_stack(&stack, n, 20);
        tables_record_alloc(address(1), 64, 0, &stack);
        CHECK(used() <= (4 << 20) + 400 * (n + 1), "%lu bytes for %lu stacks", (long)used(),
              (long)n + 1);
        if (n + 1 == next) {
            printf("%6lu stacks: %lu bytes, %.0f each\n", (long)next, (long)used(),
                   (double)(used() - empty) / (double)next);
            next *= next == 10000 ? 8 : 10;
        }
    }
    CHECK(used() - empty <= 400 * 80000, "%lu bytes for 80000 stacks", (long)(used() - empty));
    CHECK(tables_header()->lost_stacks == 0, "dropped");
}

/* At rate 1 every live block is one sample: private entry and mirror, at a load of 0.4 to 0.8, and
 * what growing leaves behind. */
static void live(void)
{
    world_stack(&stack, 1, 20);
    uint64_t empty = used(), worst = 0;
    for (uint64_t n = 1; n <= 2000000; n++) {
        tables_record_alloc(address(n), 64, 0, &stack);
        if (n % 100000 == 0 && (used() - empty) / n > worst)
            worst = (used() - empty) / n;
    }
    printf("2000000 live: %lu bytes each at the end, %lu at worst; %u extents\n",
           (long)((used() - empty) / 2000000), (long)worst, tables.n_extents);
    CHECK(worst <= 2 * 24 * 10 / 4 * 3 / 2, "%lu bytes for a live sample", (long)worst);
    CHECK(tables_header()->lost_live == 0, "lost");
}

/* Sum of the distances of all entries from their homes, straight from the arrays. */
static double mean_steps(void)
{
    uint64_t steps = 0, n = 0;
    for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++) {
        uintptr_t array = tables.stripes[s].array;
        unsigned order = array & 63;
        const struct heap_live *slots = (const struct heap_live *)(array & ~(uintptr_t)63);
        for (uint32_t i = 0; i < 1u << order; i++)
            if (slots[i].address) {
                uint32_t home = (uint32_t)(tables_mix(slots[i].address) >> (64 - order));
                steps += (i - home) & ((1u << order) - 1);
                n++;
            }
        CHECK(memcmp(slots, tables.stripes[s].mirror, sizeof *slots << order) == 0 || order > 20,
              "stripe %u: the mirror differs", s);
    }
    return (double)steps / (double)n;
}

static void churn(void)
{
    enum { LIVE = 150000, ROUNDS = 1000000 };
    static uint64_t held[LIVE];
    uint64_t random = 1, next = LIVE;
    world_stack(&stack, 1, 20);
    for (uint64_t i = 0; i < LIVE; i++)
        tables_record_alloc(address(held[i] = i), 64, 0, &stack);
    double fresh = mean_steps();
    uint64_t before = used();
    for (int i = 0; i < ROUNDS; i++) {
        random = world_mix(random + 1);
        uint64_t *which = &held[random % LIVE];
        CHECK(tables_record_free(address(*which)), "not found");
        tables_record_alloc(address(*which = next++), 64, 0, &stack);
    }
    double after = mean_steps();
    printf("steps beyond the first: %.3f fresh, %.3f after %d replacements\n", fresh, after,
           ROUNDS);
    CHECK(after < fresh * 1.15 + 0.05, "%.3f steps, %.3f when fresh", after, fresh);
    CHECK(used() == before, "%ld bytes more", (long)(used() - before));
    for (uint64_t i = 0; i < LIVE; i++)
        CHECK(tables_record_free(address(held[i])), "not found at the end");
    CHECK(tables_header()->live_bytes == 0, "live");
}

int main(void)
{
    world_make_directory();
    config = world_config(1);
    in_child("stacks", stacks);
    in_child("live", live);
    in_child("churn", churn);
    return world_end();
}
