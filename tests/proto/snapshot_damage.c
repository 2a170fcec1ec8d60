/* test: link=proto time=180 quick */
/* snapshot_damage.c - tables that are damaged, cut off, or change while they are read. */
#include "proto_test.h"
#include "tables_image.h"

static struct profile_error error;

static bool take(struct image *image, struct heap_snapshot *s)
{
    struct tables_io io = image_io(image);
    error = (struct profile_error){0};
    return heap_snapshot_read(&io, SNAPSHOT_LIVE, s, &error);
}

/* One fault in an otherwise sound image: read, marked, and this many counters are left. */
static void expect(struct image *image, uint32_t counters, uint32_t live, int where)
{
    struct heap_snapshot s;
    if (!take(image, &s)) {
        CHECK(false, "line %d: %s", where, error.text);
    } else {
        CHECK(s.damaged, "line %d: not marked", where);
        CHECK(s.n_counters == counters && s.n_live == live, "line %d: %u counters, %u live", where,
              s.n_counters, s.n_live);
        heap_snapshot_free(&s);
    }
    image_free(image);
}
#define START()                (image_init(&image, 524288), image_fill(&image))
#define EXPECT(counters, live) expect(&image, counters, live, __LINE__)

static struct heap_counter *counter(struct image *image, int i)
{
    uint64_t offset = image->header->regions[IMAGE_REGION_COUNTERS].offset;
    return (struct heap_counter *)(image->bytes + offset) + i;
}

static void refused(void)
{
    struct image image;
    struct heap_snapshot s;
    START();
    image.header->magic = 0;
    CHECK(!take(&image, &s) && strstr(error.text, "without content"), "%s", error.text);
    image.header->magic = 5;
    CHECK(!take(&image, &s) && !strcmp(error.text, "not heap tables"), "%s", error.text);
    image.header->magic = HEAP_TABLES_MAGIC;
    image.header->version = 9;
    CHECK(!take(&image, &s) && strstr(error.text, "version 9"), "%s", error.text);
    image.header->version = HEAP_TABLES_VERSION;
    image.cut = sizeof(struct heap_header) - 1;
    CHECK(!take(&image, &s) && strstr(error.text, "cut off"), "%s", error.text);
    image.cut = 0;
    CHECK(!take(&image, &s) && error.kind == PROFILE_ERROR_TABLES, "%s", error.text);
    image_free(&image);
}

static void faults(void)
{
    struct image image;
    START(), counter(&image, 1)->stack = 1; /* in no region */
    EXPECT(4, 3);
    START(), counter(&image, 0)->stack += 1; /* into the middle of an entry: its check fails */
    EXPECT(4, 1);
    START(), counter(&image, 0)->stack = UINT32_MAX;
    EXPECT(4, 1);
    START(), counter(&image, 1)->rate = 1;
    EXPECT(4, 3);
    START(), counter(&image, 1)->size_class = 255;
    EXPECT(4, 3);
    START(), counter(&image, 1)->freed_samples = UINT64_MAX;
    EXPECT(5, 3);
    START(), counter(&image, 1)->alloc_bytes = image_double(-1);
    EXPECT(5, 3);
    START(), counter(&image, 1)->alloc_bytes = UINT64_MAX; /* not a number */
    EXPECT(5, 3);
    START(), counter(&image, 1)->freed_objects = image_double(1e300);
    EXPECT(5, 3);
    START(), image.header->rates[0] = 0;
    EXPECT(0, 0);
    START(), image.header->n_regions = UINT32_MAX;
    EXPECT(5, 3);
    START(), image.header->n_modules = UINT32_MAX;
    EXPECT(5, 3);
    START(), image.header->exe_len = UINT32_MAX;
    EXPECT(5, 3);
    START(), image.header->file_size = UINT64_MAX;
    EXPECT(5, 3);
    START(), image.header->regions[IMAGE_REGION_COUNTERS].offset = UINT64_MAX - 7;
    EXPECT(0, 0);
    START(), image.header->regions[IMAGE_REGION_COUNTERS].offset += 4;
    EXPECT(0, 0);
    START(), image.header->regions[IMAGE_REGION_STACKS].offset = 8; /* over the header */
    EXPECT(0, 0);
    START(), image.header->regions[3] = image.header->regions[IMAGE_REGION_COUNTERS],
             image.header->n_regions = 4; /* the same region twice */
    EXPECT(5, 3);
    START(), image.header->stripes[1].capacity = 3;
    EXPECT(5, 1);
    START(), image.header->stripes[1].offset = image.size - 24;
    EXPECT(5, 1);
    START(), image_live(&image, 0, 8, 0x99, 1, 12345); /* of no counter */
    EXPECT(5, 3);
    START(), image.header->stripes[1].seq = 7; /* the writer died inside: what is sound is taken */
    EXPECT(5, 3);
    START(), image.header->stripes[1].seq = 7,
             image_live(&image, 1, 11, 0x7e0000000030, 102, HEAP_REF(0)); /* half written */
    EXPECT(5, 3);
}

/* used may run past size, an entry may be half written: both are normal and no damage. */
static void normal(void)
{
    struct image image;
    struct heap_snapshot s;
    START();
    image.header->regions[IMAGE_REGION_COUNTERS].used = UINT64_MAX;
    image.header->regions[IMAGE_REGION_STACKS].used += 8; /* check still 0 */
    counter(&image, 1)->flags = 0;
    if (take(&image, &s)) {
        CHECK(!s.damaged && s.n_counters == 4 && s.n_live == 3, "%d %u %u", s.damaged, s.n_counters,
              s.n_live);
        heap_snapshot_free(&s);
    } else {
        CHECK(false, "%s", error.text);
    }
    image_free(&image);
}

static void modules(void)
{
    struct image image;
    struct heap_snapshot s;
    START();
    struct heap_module *m =
        (struct heap_module *)(image.bytes + image.header->regions[IMAGE_REGION_MODULES].offset);
    m[1].path_len = 5000;
    if (take(&image, &s)) {
        CHECK(s.damaged && !s.modules[1].valid && s.n_stacks == 3, "a bad module");
        for (uint32_t i = 0; i < s.n_stacks; i++)
            for (uint32_t k = 0; k < s.stacks[i].n_frames; k++)
                CHECK(HEAP_FRAME_MODULE(s.stacks[i].frames[k]) <= 1, "a frame of a bad module");
        heap_snapshot_free(&s);
    } else {
        CHECK(false, "%s", error.text);
    }
    image_free(&image);
}

/* Cut off anywhere: no crash, and never more than is there. */
static void cut_off(void)
{
    struct image image;
    START();
    for (size_t cut = sizeof(struct heap_header); cut < image.size; cut += 97) {
        struct heap_snapshot s;
        image.cut = cut;
        if (!take(&image, &s)) {
            CHECK(false, "%zu: %s", cut, error.text);
            continue;
        }
        CHECK(s.damaged && s.n_counters <= 5 && s.n_live <= 3, "%zu", cut);
        CHECK(s.arena.used < 4 * image.size + (1 << 20), "%zu: %zu bytes", cut, s.arena.used);
        heap_snapshot_free(&s);
    }
    image_free(&image);
}

/* A writer between any two reads: allocations and frees go on, in all orders, and 0 <= in use <=
 * allocated holds for every counter, every time. */
static void write_meanwhile(struct image *image, unsigned reads, uint64_t offset, size_t n)
{
    uint64_t *state = image->user;
    (void)reads;
    (void)offset;
    (void)n;
    for (int i = 0; i < 5; i++) {
        struct heap_counter *c = counter(image, i);
        uint64_t more = test_below(state, 50);
        double bytes;
        c->alloc_samples += more;
        memcpy(&bytes, &c->alloc_bytes, 8);
        c->alloc_bytes = image_double(bytes + 7.3 * (double)more);
        c->freed_samples = c->alloc_samples - test_below(state, 10) % (c->alloc_samples + 1);
        memcpy(&bytes, &c->alloc_bytes, 8);
        c->freed_bytes = image_double(bytes * 0.9999);
    }
    /* stripe 1: an entry moves between two slots, seq counts on */
    struct heap_live *slots = (struct heap_live *)(image->bytes + image->header->stripes[1].offset);
    unsigned from = slots[9].address ? 9 : 30, to = from == 9 ? 30 : 9;
    if (test_below(state, 2)) {
        image->header->stripes[1].seq += 2;
        slots[to] = slots[from];
        slots[from] = (struct heap_live){0};
    }
    if (test_below(state, 8) == 0 && image->header->n_rates < HEAP_MAX_RATES) {
        image->header->rates[image->header->n_rates] = 1000; /* a new rate, and a counter at it */
        struct heap_region *r = &image->header->regions[IMAGE_REGION_COUNTERS];
        if (r->used + sizeof(struct heap_counter) <= r->size)
            image_counter(image, counter(image, 0)->stack, 700, (uint8_t)image->header->n_rates++,
                          1, 2, 1400, NULL);
    }
}

static void changing(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct image image;
        struct heap_snapshot s;
        uint64_t state = seed;
        START();
        image.user = &state;
        image.on_read = write_meanwhile;
        if (!take(&image, &s)) {
            CHECK(false, "%s", error.text);
        } else {
            CHECK(!s.damaged, "seed %lu", (unsigned long)seed);
            CHECK(s.n_counters >= 5 && s.n_live >= 2 && s.n_live <= 3, "%u counters, %u live",
                  s.n_counters, s.n_live);
            for (uint32_t i = 0; i < s.n_counters; i++)
                CHECK(s.counters[i].freed_samples <= s.counters[i].alloc_samples &&
                          s.counters[i].freed_bytes <= s.counters[i].alloc_bytes,
                      "seed %lu, counter %u", (unsigned long)seed, i);
            heap_snapshot_free(&s);
        }
        image_free(&image);
    }
}

/* An entry moves while its stripe is read in many pieces. */
static void move_meanwhile(struct image *image, unsigned reads, uint64_t offset, size_t n)
{
    uint64_t *state = image->user;
    (void)reads;
    (void)n;
    if (offset < image->header->stripes[0].offset || test_below(state, state[1]))
        return;
    struct heap_stripe *stripe = &image->header->stripes[1];
    struct heap_live *slots = (struct heap_live *)(image->bytes + stripe->offset);
    unsigned from = slots[9].address ? 9 : 60, to = from == 9 ? 60 : 9;
    stripe->seq += 2;
    slots[to] = slots[from];
    slots[from] = (struct heap_live){0};
}

/* At rest often enough: exactly what is there. Never at rest: maybe not all, but nothing twice. */
static void torn(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct image image;
        struct heap_snapshot s;
        uint64_t state[2] = {seed, seed % 2 ? 30 : 2};
        START();
        image.user = state;
        image.on_read = move_meanwhile;
        image.most = 100;
        if (!take(&image, &s)) {
            CHECK(false, "%s", error.text);
        } else {
            CHECK(s.n_live == 3 || (state[1] == 2 && s.n_live == 2), "seed %lu: %u live",
                  (unsigned long)seed, s.n_live);
            for (uint32_t i = 0; i < s.n_live; i++)
                for (uint32_t k = 0; k < i; k++)
                    CHECK(s.live[i].address != s.live[k].address, "seed %lu: twice",
                          (unsigned long)seed);
            heap_snapshot_free(&s);
        }
        image_free(&image);
    }
}

/* The file grows while it is read, and a stripe moves to the new part. */
static void grow_meanwhile(struct image *image, unsigned reads, uint64_t offset, size_t n)
{
    struct heap_header *h = image->header;
    struct heap_stripe *stripe = &h->stripes[1];
    size_t bytes = IMAGE_LIVE * sizeof(struct heap_live);
    (void)reads;
    (void)n;
    if (offset < offsetof(struct heap_header, stripes) + sizeof *stripe ||
        h->file_size == image->size)
        return;
    stripe->seq += 2;
    memcpy(image->bytes + h->file_size, image->bytes + stripe->offset, bytes);
    stripe->offset = h->file_size;
    h->file_size = image->size;
}

static void growing(void)
{
    struct image image;
    struct heap_snapshot s;
    START();
    image.header->file_size -= 2 * IMAGE_LIVE * sizeof(struct heap_live);
    image.header->stripes[1] = image.header->stripes[0]; /* in what there is at first */
    image.header->stripes[0] = (struct heap_stripe){0};
    image.header->stripes[1].offset = image.header->regions[IMAGE_REGION_COUNTERS].offset +
                                      IMAGE_COUNTERS / 2 * sizeof(struct heap_counter);
    image_live(&image, 1, 5, 0x7e0000000030, 100, HEAP_REF(0));
    image.on_read = grow_meanwhile;
    if (!take(&image, &s)) {
        CHECK(false, "%s", error.text);
    } else {
        CHECK(!s.damaged, "a file that grows is taken for a damaged one");
        heap_snapshot_free(&s);
    }
    CHECK(image.header->file_size == image.size, "it has not grown");
    image_free(&image);
}

int main(void)
{
    refused();
    faults();
    normal();
    modules();
    cut_off();
    changing();
    torn();
    growing();
    return check_failures != 0;
}
