/* target: link=tables,proto */
/* snapshot_cost.c - tables with STACKS stacks of 20 frames each, and TIMES snapshots of them taken
 * and written as profiles, as `approf record` or a dump does: snapshot_cost STACKS CLASSES TIMES,
 * with CLASSES size classes (at most 3) at each stack, which are as many samples. For counting
 * instructions (snapshot_cost.sh); prints processor time too. The stacks are a tree's, as a
 * program's are: some 4,000 call sites, three quarters of a stack shared with its neighbour. */
#include "profile_codec.h"
#include "tables_reader.h"
#include "tables_world.h"
#include <time.h>

static void make_stack(struct unwind_stack *stack, uint64_t n)
{
    stack->n_frames = 20;
    stack->flags = 0;
    stack->hash = world_mix(n);
    stack->frames = stack->room;
    stack->place = NULL;
    for (uint32_t depth = 0; depth < 20; depth++) { /* from the outermost frame inwards */
        uint64_t node = depth < 14 ? n >> (14 - depth) : world_mix(n * 20 + depth);
        stack->room[19 - depth] =
            HEAP_FRAME(1, 0x400000 + world_mix(node << 5 | depth) % 4000 * 64);
    }
}

static int snapshot(void)
{
    struct tables_io io = tables_own_io();
    struct heap_snapshot s;
    struct profile p;
    struct profile_error error;
    struct snapshot_profile_options options = {.default_sample_type = "alloc_space"};
    if (!heap_snapshot_read(&io, 0, &s, &error) ||
        !heap_snapshot_to_profile(&s, &options, &p, &error))
        return -1;
    int samples = (int)p.n_samples;
    char path[300];
    snprintf(path, sizeof path, "%s/out.pb.gz", world_directory);
    if (!profile_write_file(&p, path, true, NULL, 0, &error))
        samples = -1;
    heap_snapshot_free(&s);
    profile_free(&p);
    return samples;
}

int main(int argc, char **argv)
{
    static struct unwind_stack stack;
    if (argc != 4)
        return 2;
    uint64_t classes = strtoull(argv[2], NULL, 10);
    world_make_directory();
    struct tables_config config = world_config(524288);
    config.directory = "off";
    if (!tables_init(&config))
        return 2;
    tables_add_module(&(struct heap_module){.map_start = 0x400000,
                                            .map_end = 0x500000,
                                            .text_start = 0x400000,
                                            .text_end = 0x500000,
                                            .path_len = 4,
                                            .path = "/exe"});
    for (uint64_t n = 0; n < strtoull(argv[1], NULL, 10); n++) {
        make_stack(&stack, n);
        for (uint64_t i = 0; i < 3; i++)
            tables_record_alloc((void *)(0x7f0000000000 + (n * 3 + i) * 64),
                                (16 + world_mix(n) % 5000) << 3 * (i % classes), 0, &stack);
    }
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    int samples = 0, times = atoi(argv[3]);
    for (int i = 0; i < times && samples >= 0; i++)
        samples = snapshot();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double ms = (double)(after.tv_sec - before.tv_sec) * 1e3 +
                (double)(after.tv_nsec - before.tv_nsec) / 1e6;
    char path[300];
    struct stat st = {0};
    snprintf(path, sizeof path, "%s/out.pb.gz", world_directory);
    stat(path, &st);
    printf("%d samples, %ld bytes, %.1f ms each\n", samples, (long)st.st_size,
           times ? ms / times : 0);
    world_end();
    return samples < 0;
}
