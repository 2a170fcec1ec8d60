/* test: link=proto time=120 variant=san quick */
/* fuzz_tables.c - a snapshot from any tables: no crash, no index out of range, and the profile made
 * of it is one that can be read.
 *
 * The input is a list of changes to a small sound image, each of 12 bytes: where (4), when (1:
 * before which read, so that tables change under the reader), how many bytes (1), spare (2) and
 * what (4, repeated). An input that starts with the tables' magic is an image itself.
 */
#define FUZZ_NAME "tables"
#include "fuzz_main.h"

#include "../proto/proto_test.h"
#include "../proto/tables_image.h"

struct change {
    uint32_t offset;
    uint8_t when, length;
    uint16_t spare;
    uint32_t what;
};

struct changes {
    const uint8_t *data;
    size_t n;
};

static void apply(struct image *image, unsigned reads, uint64_t offset, size_t n)
{
    const struct changes *changes = image->user;
    (void)offset;
    (void)n;
    for (size_t i = 0; i < changes->n; i++) {
        struct change c;
        memcpy(&c, changes->data + i * sizeof c, sizeof c);
        if (c.when != (reads < 255 ? reads : 255))
            continue;
        if (c.spare == 1)
            image->cut = c.offset < image->size ? c.offset : image->size;
        for (uint8_t k = 0; k < c.length && (size_t)c.offset + k < image->size; k++)
            image->bytes[c.offset + k] = ((const uint8_t *)&c.what)[k % 4];
    }
}

static void check_snapshot(const struct heap_snapshot *s)
{
    for (uint32_t i = 0; i < s->n_counters; i++) {
        const struct snapshot_counter *c = &s->counters[i];
        FUZZ_HOLDS(c->stack < s->n_stacks && c->rate >= 1);
        FUZZ_HOLDS(c->freed_samples <= c->alloc_samples);
        FUZZ_HOLDS(c->freed_objects >= 0 && c->freed_objects <= c->alloc_objects);
        FUZZ_HOLDS(c->freed_bytes >= 0 && c->freed_bytes <= c->alloc_bytes);
        FUZZ_HOLDS(c->freed_w2 >= 0 && c->freed_w2 <= c->alloc_w2);
    }
    for (uint32_t i = 0; i < s->n_stacks; i++) {
        FUZZ_HOLDS(s->stacks[i].n_frames <= HEAP_MAX_DEPTH);
        for (uint32_t k = 0; k < s->stacks[i].n_frames; k++) {
            uint32_t module = HEAP_FRAME_MODULE(s->stacks[i].frames[k]);
            FUZZ_HOLDS(module <= s->n_modules && (!module || s->modules[module - 1].valid));
        }
    }
    for (uint32_t i = 0; i < s->n_live; i++)
        FUZZ_HOLDS(s->live[i].counter < s->n_counters && s->live[i].address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image image;
    struct changes changes = {0};
    uint64_t magic = HEAP_TABLES_MAGIC;
    if (size >= 8 && memcmp(data, &magic, 8) == 0) {
        image = (struct image){.size = size, .cut = size};
        image.bytes = malloc(size);
        memcpy(image.bytes, data, size);
    } else {
        static struct image sound;
        if (!sound.bytes) {
            image_init(&sound, 524288);
            image_fill(&sound);
        }
        image = sound;
        image.bytes = malloc(image.size);
        memcpy(image.bytes, sound.bytes, image.size);
        changes = (struct changes){data, size / sizeof(struct change)};
        image.user = &changes;
        image.on_read = apply;
        apply(&image, 0, 0, 0);
    }
    struct tables_io io = image_io(&image);
    struct heap_snapshot snapshot;
    struct profile_error error = {0};
    if (heap_snapshot_read(&io, SNAPSHOT_LIVE, &snapshot, &error)) {
        check_snapshot(&snapshot);
        FUZZ_HOLDS(snapshot.arena.used <= 4 * image.size + (2 << 20));
        struct snapshot_profile_options options = {.default_sample_type = "alloc_space",
                                                   .command_line = "image --with=options"};
        struct profile p, again;
        FUZZ_HOLDS(heap_snapshot_to_profile(&snapshot, &options, &p, &error));
        FUZZ_HOLDS(!profile_out_of_range(&p));
        struct arena arena;
        arena_init(&arena, 0);
        struct byte_buffer bytes = {.arena = &arena};
        FUZZ_HOLDS(profile_encode(&p, &bytes));
        FUZZ_HOLDS(profile_decode(bytes.bytes, bytes.length, &again, &error));
        FUZZ_HOLDS(!profile_difference(&p, &again));
        profile_free(&again);
        profile_free(&p);
        arena_free(&arena);
        heap_snapshot_free(&snapshot);
    } else {
        FUZZ_HOLDS(error.kind && error.text[0]);
    }
    image_free(&image);
    return 0;
}
