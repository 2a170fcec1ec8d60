/* target: link=proto cflags=-O1,-D_GNU_SOURCE libs=-lm */
/* Takes snapshots of heap tables and looks whether each is sound in itself, and none goes back
 * behind the one before.
 *   snapshots PATH N         N snapshots at random moments within about 10 ms each; prints how many
 *                            samples the last one had, and what was wrong (exit status 1)
 *   snapshots PATH N GROUP   the same in groups: each begins when a line is read, and ends with one
 *   snapshots PATH total     prints total_bytes, threads and rate */
#include "tables_reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

#define CHECK(condition, ...)                                \
    do {                                                     \
        if (!(condition) && failures++ < 20) {               \
            printf("snapshot %d: %s: ", number, #condition); \
            printf(__VA_ARGS__);                             \
            putchar('\n');                                   \
        }                                                    \
    } while (0)

static int64_t read_at(void *ctx, void *bytes, size_t n, uint64_t offset)
{
    return pread(*(int *)ctx, bytes, n, (off_t)offset);
}

static void pause_a_little(void *ctx)
{
    (void)ctx;
    usleep(10000);
}

struct sums {
    uint64_t total_bytes, samples, alloc_samples, stacks, modules;
    double alloc_bytes, alloc_objects;
};

static void look(const struct heap_snapshot *s, struct sums *before, int number)
{
    struct sums now = {.total_bytes = s->header->total_bytes,
                       .samples = s->header->samples,
                       .stacks = s->n_stacks,
                       .modules = s->n_modules};
    CHECK(!s->damaged, "damaged");
    for (uint32_t i = 0; i < s->n_counters; i++) {
        const struct snapshot_counter *c = &s->counters[i];
        CHECK(c->stack < s->n_stacks, "counter %u", i);
        CHECK(c->freed_samples <= c->alloc_samples, "counter %u: %" PRIu64 " of %" PRIu64, i,
              c->freed_samples, c->alloc_samples);
        CHECK(c->freed_bytes >= 0 && c->freed_bytes <= c->alloc_bytes, "counter %u: %g of %g", i,
              c->freed_bytes, c->alloc_bytes);
        CHECK(c->freed_objects >= 0 && c->freed_objects <= c->alloc_objects, "counter %u: %g of %g",
              i, c->freed_objects, c->alloc_objects);
        CHECK(c->rate > 0, "counter %u", i);
        now.alloc_samples += c->alloc_samples;
        now.alloc_bytes += c->alloc_bytes;
        now.alloc_objects += c->alloc_objects;
    }
    for (uint32_t i = 0; i < s->n_stacks; i++)
        for (uint32_t k = 0; k < s->stacks[i].n_frames; k++) {
            uint32_t module = HEAP_FRAME_MODULE(s->stacks[i].frames[k]);
            CHECK(module <= s->n_modules, "stack %u: module %u", i, module);
            if (module > 0 && module <= s->n_modules) {
                const struct heap_module *m = &s->modules[module - 1];
                uint64_t pc = HEAP_FRAME_PC(s->stacks[i].frames[k]) - 1;
                CHECK(m->valid, "stack %u: module %u is not complete", i, module);
                CHECK(pc >= m->map_start && pc < m->map_end,
                      "stack %u: frame outside of its module", i);
            }
        }
    CHECK(now.total_bytes >= before->total_bytes, "%" PRIu64 " after %" PRIu64, now.total_bytes,
          before->total_bytes);
    CHECK(now.samples >= before->samples, "%" PRIu64 " after %" PRIu64, now.samples,
          before->samples);
    CHECK(now.alloc_samples >= before->alloc_samples, "%" PRIu64 " after %" PRIu64,
          now.alloc_samples, before->alloc_samples);
    CHECK(now.alloc_bytes >= before->alloc_bytes, "%g after %g", now.alloc_bytes,
          before->alloc_bytes);
    CHECK(now.alloc_objects >= before->alloc_objects, "%g after %g", now.alloc_objects,
          before->alloc_objects);
    CHECK(now.stacks >= before->stacks, "%" PRIu64 " after %" PRIu64, now.stacks, before->stacks);
    CHECK(now.modules >= before->modules, "%" PRIu64 " after %" PRIu64, now.modules,
          before->modules);
    *before = now;
}

int main(int argc, char **argv)
{
    int fd = argc == 3 || argc == 4 ? open(argv[1], O_RDONLY) : -1;
    struct tables_io io = {.read_at = read_at, .pause = pause_a_little, .ctx = &fd};
    struct profile_error error;
    struct heap_snapshot snapshot;
    struct sums sums = {0};
    if (fd < 0)
        return 2;
    if (strcmp(argv[2], "total") == 0) {
        if (!heap_snapshot_read(&io, 0, &snapshot, &error)) {
            printf("%s\n", error.text);
            return 1;
        }
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", snapshot.header->total_bytes,
               snapshot.header->threads, snapshot.header->rate);
        return 0;
    }
    int n = atoi(argv[2]), group = argc == 4 ? atoi(argv[3]) : n;
    for (int i = 0; i < n; i++) {
        char line[16];
        if (argc == 4 && i % group == 0 && fgets(line, sizeof line, stdin) == NULL)
            return 2;
        if (!heap_snapshot_read(&io, i % 10 == 0 ? SNAPSHOT_LIVE : 0, &snapshot, &error)) {
            printf("snapshot %d: %s\n", i, error.text);
            return 1;
        }
        look(&snapshot, &sums, i);
        if (i % 10 == 0) { /* and the profile that is made of it */
            struct profile profile;
            struct snapshot_profile_options options = {0};
            int number = i;
            CHECK(heap_snapshot_to_profile(&snapshot, &options, &profile, &error), "%s",
                  error.text);
            for (uint32_t s = 0; s < profile.n_samples; s++) {
                const int64_t *v = &profile.values[4 * (size_t)s];
                CHECK(v[2] >= 0 && v[3] >= 0 && v[2] <= v[0] && v[3] <= v[1], "sample %u", s);
            }
            profile_free(&profile);
        }
        heap_snapshot_free(&snapshot);
        usleep((useconds_t)(random() % 10000));
        if (argc == 4 && (i + 1) % group == 0) {
            puts("taken");
            fflush(stdout);
        }
    }
    printf("%" PRIu64 " samples\n", sums.samples);
    return failures > 0;
}
