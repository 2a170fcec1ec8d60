/* tables_world.h - what the tests of the tables share: a hook that says nothing, a directory of
 * their own, stacks, and checks that may be made in any thread. Include it in one .c only.
 *
 * Link with link=tables (tests/README.md).
 */
#ifndef APPROF_TEST_TABLES_WORLD_H
#define APPROF_TEST_TABLES_WORLD_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hook_state.h"
#include "tables.h"

static int world_quiet;
static int world_complaints;
static int world_failures;
static char world_directory[256];

bool hook_quiet(void)
{
    return __atomic_load_n(&world_quiet, __ATOMIC_RELAXED) != 0;
}

void hook_say(const char *text)
{
    (void)text;
}

void hook_complain(const char *key, const char *text, const char *hint)
{
    (void)key, (void)text, (void)hint;
    world_complaints++;
}

#define CHECK(condition, ...)                                                    \
    do {                                                                         \
        if (!(condition)) {                                                      \
            if (__atomic_add_fetch(&world_failures, 1, __ATOMIC_RELAXED) < 20) { \
                printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);           \
                printf(__VA_ARGS__);                                             \
                putchar('\n');                                                   \
            }                                                                    \
        }                                                                        \
    } while (0)

static inline void world_remove_directory(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", world_directory);
    if (world_directory[0] && system(command) != 0)
        puts("cannot remove the test's directory");
}

/* A fresh 0700 directory, in memory if there is any. */
static inline const char *world_make_directory(void)
{
    snprintf(world_directory, sizeof world_directory, "/dev/shm/approf-test-XXXXXX");
    if (!mkdtemp(world_directory)) {
        snprintf(world_directory, sizeof world_directory, "/tmp/approf-test-XXXXXX");
        if (!mkdtemp(world_directory))
            perror("mkdtemp"), exit(1);
    }
    return world_directory;
}

static inline struct tables_config world_config(uint64_t rate)
{
    return (struct tables_config){.directory = world_directory,
                                  .memory_limit = UINT64_C(1) << 30,
                                  .rate = rate,
                                  .depth = 128,
                                  .exe = "/usr/bin/tables-test"};
}

static inline uint64_t world_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 30;
}

/* Stack number n, of depth frames, in module 0. */
static inline void world_stack(struct unwind_stack *stack, uint64_t n, uint32_t depth)
{
    stack->n_frames = depth;
    stack->flags = 0;
    stack->hash = world_mix(n);
    stack->frames = stack->room;
    stack->place = NULL;
    for (uint32_t i = 0; i < depth; i++)
        stack->room[i] = HEAP_FRAME(0, world_mix(n * 1000 + i));
}

/* A whole file; NULL if it can't be read. */
static inline char *world_read(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return NULL;
    char *bytes = malloc((size_t)st.st_size + 1);
    ssize_t n = bytes ? pread(fd, bytes, (size_t)st.st_size, 0) : -1;
    close(fd);
    *size = n < 0 ? 0 : (size_t)n;
    return bytes;
}

static inline double world_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Sums over all counters of a copy of the file. */
struct world_sums {
    uint64_t counters, stacks, modules;
    uint64_t alloc_samples, freed_samples, inherited_samples, dropped_samples;
    double alloc_bytes, freed_bytes, alloc_objects, freed_objects;
    uint64_t live, live_count, stripes_without_mirror;
};

static inline void world_sum_counters(const char *file, size_t size, const struct heap_region *r,
                                      struct world_sums *sums)
{
    for (uint64_t at = 0; at + sizeof(struct heap_counter) <= r->used;
         at += sizeof(struct heap_counter)) {
        const struct heap_counter *c = (const void *)(file + r->offset + at);
        if (!(c->flags & HEAP_COUNTER_VALID))
            continue;
        CHECK(HEAP_OFFSET(c->stack) + sizeof(struct heap_stack) <= size, "stack out of the file");
        const struct heap_stack *s = (const void *)(file + HEAP_OFFSET(c->stack));
        CHECK(s->check == HEAP_STACK_CHECK(s->n_frames, s->flags), "a counter's stack is invalid");
        sums->counters++;
        if (c->flags & HEAP_COUNTER_INHERITED)
            sums->inherited_samples += c->alloc_samples;
        if (s->flags & HEAP_STACK_DROPPED)
            sums->dropped_samples += c->alloc_samples;
        sums->alloc_samples += c->alloc_samples;
        sums->freed_samples += c->freed_samples;
        sums->alloc_bytes += world_double(c->alloc_bytes);
        sums->freed_bytes += world_double(c->freed_bytes);
        sums->alloc_objects += world_double(c->alloc_objects);
        sums->freed_objects += world_double(c->freed_objects);
    }
}

/* Of a file at rest: nobody writes it, or its writer is gone. */
static inline struct world_sums world_sum(const char *file, size_t size)
{
    struct world_sums sums = {0};
    const struct heap_header *h = (const void *)file;
    CHECK(size >= sizeof *h && h->magic == HEAP_TABLES_MAGIC, "no header");
    if (size < sizeof *h || h->magic != HEAP_TABLES_MAGIC)
        return sums;
    CHECK(h->file_size <= size, "file_size");
    for (uint32_t i = 0; i < h->n_regions; i++) {
        const struct heap_region *r = &h->regions[i];
        CHECK(r->offset + r->size <= h->file_size && r->used <= r->size, "region %u", i);
        if (r->kind == HEAP_REGION_COUNTERS)
            world_sum_counters(file, size, r, &sums);
        for (uint64_t at = 0; r->kind == HEAP_REGION_STACKS && at < r->used; sums.stacks++) {
            const struct heap_stack *s = (const void *)(file + r->offset + at);
            CHECK(s->check == HEAP_STACK_CHECK(s->n_frames, s->flags), "stack at %lu", (long)at);
            at += sizeof *s + s->n_frames * sizeof(uint64_t);
        }
        if (r->kind == HEAP_REGION_MODULES)
            sums.modules += r->used / sizeof(struct heap_module);
    }
    for (unsigned s = 0; s < HEAP_LIVE_STRIPES; s++) {
        const struct heap_stripe *stripe = &h->stripes[s];
        uint64_t seen = 0;
        CHECK(stripe->offset + stripe->capacity * sizeof(struct heap_live) <= size, "stripe");
        for (uint32_t i = 0; i < stripe->capacity; i++)
            seen += ((const struct heap_live *)(file + stripe->offset))[i].address != 0;
        CHECK(seen == stripe->count || stripe->capacity == 0, "stripe %u: %lu of %u", s, (long)seen,
              stripe->count);
        sums.live += seen;
        sums.live_count += stripe->count;
        sums.stripes_without_mirror += stripe->capacity == 0 && stripe->count > 0;
    }
    return sums;
}

static inline int world_end(void)
{
    world_remove_directory();
    printf("%d failures\n", world_failures);
    return world_failures != 0;
}

#endif
