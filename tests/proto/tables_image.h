/* tables_image.h - heap tables made by hand, for tests of the reader.
 *
 * An image is the bytes of a tables file. Regions have room for a fixed number of entries; nothing
 * here is checked but room, so that tests may write nonsense on purpose.
 */
#ifndef APPROF_TABLES_IMAGE_H
#define APPROF_TABLES_IMAGE_H

#include "heap_tables.h"
#include "tables_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    IMAGE_MODULES = 16,
    IMAGE_STACK_BYTES = 64 << 10,
    IMAGE_COUNTERS = 1024,
    IMAGE_LIVE = 64, /* slots of stripe 0 and stripe 1 */
};

struct image {
    uint8_t *bytes;
    size_t size;
    struct heap_header *header;
    /* Reading: */
    size_t cut;     /* bytes that can be read; size at first */
    unsigned reads; /* calls so far */
    size_t most;    /* bytes that one read gives at most; 0: all that are asked for */
    void (*on_read)(struct image *, unsigned reads, uint64_t offset, size_t n);
    void *user;
};

enum { IMAGE_REGION_MODULES, IMAGE_REGION_STACKS, IMAGE_REGION_COUNTERS };

static inline void image_init(struct image *image, uint64_t rate)
{
    size_t modules = sizeof(struct heap_header);
    modules = (modules + 511) / 512 * 512;
    size_t stacks = modules + IMAGE_MODULES * sizeof(struct heap_module);
    size_t counters = stacks + IMAGE_STACK_BYTES;
    size_t live = counters + IMAGE_COUNTERS * sizeof(struct heap_counter);
    *image = (struct image){.size = live + 2 * IMAGE_LIVE * sizeof(struct heap_live)};
    image->cut = image->size;
    image->bytes = calloc(1, image->size);
    struct heap_header *h = image->header = (struct heap_header *)image->bytes;
    h->magic = HEAP_TABLES_MAGIC;
    h->version = HEAP_TABLES_VERSION;
    h->header_size = sizeof *h;
    h->file_size = image->size;
    h->pid = 4242;
    h->rate = h->rates[0] = rate;
    h->n_rates = 1;
    h->threads = 1;
    h->exe_len = (uint32_t)strlen("/bin/image");
    memcpy(h->exe, "/bin/image", h->exe_len);
    h->n_regions = 3;
    h->regions[IMAGE_REGION_MODULES] = (struct heap_region){
        .kind = HEAP_REGION_MODULES, .offset = modules, .size = stacks - modules};
    h->regions[IMAGE_REGION_STACKS] = (struct heap_region){
        .kind = HEAP_REGION_STACKS, .offset = stacks, .size = counters - stacks};
    h->regions[IMAGE_REGION_COUNTERS] = (struct heap_region){
        .kind = HEAP_REGION_COUNTERS, .offset = counters, .size = live - counters};
    for (int i = 0; i < 2; i++)
        h->stripes[i] = (struct heap_stripe){.capacity = IMAGE_LIVE,
                                             .offset = live + (size_t)i * IMAGE_LIVE *
                                                                  sizeof(struct heap_live)};
}

static inline void image_free(struct image *image)
{
    free(image->bytes);
}

static inline void *image_take(struct image *image, int region, size_t n, uint64_t *offset)
{
    struct heap_region *r = &image->header->regions[region];
    if (r->used + n > r->size)
        abort();
    *offset = r->offset + r->used;
    r->used += n;
    return image->bytes + *offset;
}

/* Returns the module's id. */
static inline uint32_t image_module(struct image *image, const char *path, uint64_t start,
                                    uint64_t end)
{
    uint64_t offset;
    struct heap_module *m = image_take(image, IMAGE_REGION_MODULES, sizeof *m, &offset);
    m->map_start = m->text_start = m->bias = start;
    m->map_end = m->text_end = end;
    m->build_id_len = 20;
    memset(m->build_id, 0xa0 + (int)image->header->n_modules, 20);
    m->path_len = (uint32_t)strlen(path);
    memcpy(m->path, path, m->path_len);
    m->valid = 1;
    return ++image->header->n_modules;
}

/* Returns the stack's reference. */
static inline uint32_t image_stack(struct image *image, const uint64_t *frames, unsigned n,
                                   unsigned flags)
{
    uint64_t offset;
    struct heap_stack *s = image_take(image, IMAGE_REGION_STACKS, sizeof *s + 8 * n, &offset);
    s->n_frames = (uint16_t)n;
    s->flags = (uint16_t)flags;
    if (n)
        memcpy(s->frames, frames, 8 * n);
    s->check = HEAP_STACK_CHECK(n, flags);
    return HEAP_REF(offset);
}

static inline uint64_t image_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns the counter, to be filled in further; *ref may be NULL. */
static inline struct heap_counter *image_counter(struct image *image, uint32_t stack, uint64_t size,
                                                 uint8_t rate, uint64_t samples, double objects,
                                                 double bytes, uint32_t *ref)
{
    uint64_t offset;
    struct heap_counter *c = image_take(image, IMAGE_REGION_COUNTERS, sizeof *c, &offset);
    c->stack = stack;
    c->size_class = (uint8_t)heap_size_class(size);
    c->rate = rate;
    c->alloc_samples = samples;
    c->alloc_objects = image_double(objects);
    c->alloc_bytes = image_double(bytes);
    c->alloc_w2 = image_double(objects);
    c->flags = HEAP_COUNTER_VALID;
    if (ref)
        *ref = HEAP_REF(offset);
    return c;
}

static inline struct heap_live *image_live(struct image *image, unsigned stripe, unsigned slot,
                                           uint64_t address, uint64_t size, uint32_t counter)
{
    struct heap_live *l =
        (struct heap_live *)(image->bytes + image->header->stripes[stripe].offset) + slot;
    *l = (struct heap_live){.address = address, .size = size, .counter = counter};
    image->header->stripes[stripe].count++;
    return l;
}

static inline int64_t image_read_at(void *ctx, void *bytes, size_t n, uint64_t offset)
{
    struct image *image = ctx;
    image->reads++;
    if (image->on_read)
        image->on_read(image, image->reads, offset, n);
    if (offset >= image->cut)
        return 0;
    if (n > image->cut - offset)
        n = image->cut - offset;
    if (image->most && n > image->most)
        n = image->most;
    memcpy(bytes, image->bytes + offset, n);
    return (int64_t)n;
}

static inline struct tables_io image_io(struct image *image)
{
    return (struct tables_io){.read_at = image_read_at, .ctx = image};
}

/* A small process: two modules, three stacks, five counters, three live samples. */
static inline void image_fill(struct image *image)
{
    uint32_t exe = image_module(image, "/bin/image", 0x400000, 0x500000);
    uint32_t lib = image_module(image, "/lib/libimage.so", 0x7f0000000000, 0x7f0000100000);
    uint64_t main_frames[] = {HEAP_FRAME(exe, 0x401000), HEAP_FRAME(exe, 0x402000)};
    uint64_t lib_frames[] = {HEAP_FRAME(lib, 0x7f0000001000), HEAP_FRAME(0, 0x600000001000),
                             HEAP_FRAME(exe, 0x402000)};
    uint32_t a = image_stack(image, main_frames, 2, 0), ref;
    uint32_t b = image_stack(image, lib_frames, 3, HEAP_STACK_TRUNCATED);
    uint32_t dropped = image_stack(image, NULL, 0, HEAP_STACK_DROPPED);
    struct heap_counter *c = image_counter(image, a, 100, 0, 10, 52428.8, 5242880, &ref);
    c->freed_samples = 4;
    c->freed_objects = image_double(20971.5);
    c->freed_bytes = image_double(2097150);
    image_live(image, 0, 3, 0x7e0000000010, 100, ref);
    image_live(image, 1, 9, 0x7e0000000020, 101, ref);
    image_counter(image, a, 5000, 0, 2, 210, 1048576, NULL);
    image_counter(image, b, 100, 0, 1, 5243.4, 524338, &ref);
    image_live(image, 1, 10, 0x7e0000000030, 102, ref);
    image_counter(image, b, 100, 0, 3, 10, 1000, NULL)->flags |= HEAP_COUNTER_INHERITED;
    image_counter(image, dropped, 64, 0, 1, 8192.5, 524320, NULL);
    image->header->samples = 17;
    image->header->total_bytes = 9000000;
}

#endif
