/* test: link=proto quick */
/* snapshot.c - heap tables to a snapshot to a profile: figures, labels, mappings, comments. */
#include "proto_test.h"
#include "tables_image.h"

#include "profile_comments.h"

static struct profile_error error;

static bool take(struct image *image, struct heap_snapshot *s)
{
    struct tables_io io = image_io(image);
    bool good = heap_snapshot_read(&io, SNAPSHOT_LIVE, s, &error);
    CHECK(good, "%s", error.text);
    return good;
}

static bool convert(const struct heap_snapshot *s, struct profile *p, uint64_t exact)
{
    struct snapshot_profile_options options = {.default_sample_type = "alloc_space",
                                               .exact_total_bytes = exact,
                                               .exact = exact != 0,
                                               .command_line = "image -x"};
    bool good = heap_snapshot_to_profile(s, &options, p, &error);
    CHECK(good, "%s", error.text);
    CHECK(!good || !profile_out_of_range(p), "out of range");
    return good;
}

/* The label's number or text, "" for none. */
static const char *label(const struct profile *p, uint32_t sample, const char *key)
{
    static char number[24];
    for (uint32_t i = 0; i < p->samples[sample].n_labels; i++) {
        const struct profile_label *l = &p->labels[p->samples[sample].first_label + i];
        if (strcmp(profile_text(p, l->key), key) != 0)
            continue;
        if (l->str)
            return profile_text(p, l->str);
        snprintf(number, sizeof number, "%ld", (long)l->num);
        return number;
    }
    return "";
}

static const struct profile_location *frame(const struct profile *p, uint32_t sample, uint32_t i)
{
    return &p->locations[p->sample_locations[p->samples[sample].first_location + i]];
}

static const char *name(const struct profile *p, const struct profile_location *l)
{
    return l->n_lines ? profile_text(p, p->functions[p->lines[l->first_line].function].name) : "";
}

static void check_values(const struct profile *p, uint32_t sample, int64_t a, int64_t b, int64_t c,
                         int64_t d)
{
    const int64_t *v = p->values + (size_t)sample * 4;
    CHECK(v[0] == a && v[1] == b && v[2] == c && v[3] == d, "sample %u: %ld %ld %ld %ld", sample,
          (long)v[0], (long)v[1], (long)v[2], (long)v[3]);
}

static void small_process(void)
{
    struct image image;
    image_init(&image, 524288);
    image_fill(&image);
    image.header->start_monotonic_ns = 1;
    image.header->peak_bytes = 123456;
    struct heap_snapshot s;
    struct profile p;
    if (!take(&image, &s) || !convert(&s, &p, 9000001))
        return;
    CHECK(!s.damaged, "damaged");
    CHECK(s.n_modules == 2 && s.n_stacks == 3 && s.n_counters == 5 && s.n_live == 3, "%u %u %u %u",
          s.n_modules, s.n_stacks, s.n_counters, s.n_live);
    CHECK(s.counters[s.live[0].counter].size_class == heap_size_class(100), "live's counter");
    CHECK(s.live[2].address == 0x7e0000000030 && s.live[2].counter == 2, "live");

    static const char *types[] = {"alloc_objects", "count", "alloc_space", "bytes",
                                  "inuse_objects", "count", "inuse_space", "bytes"};
    CHECK(p.n_sample_types == 4, "%u types", p.n_sample_types);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(!strcmp(profile_text(&p, p.sample_types[i].type), types[2 * i]) &&
                  !strcmp(profile_text(&p, p.sample_types[i].unit), types[2 * i + 1]),
              "type %u", i);
    CHECK(!strcmp(profile_text(&p, p.default_sample_type), "alloc_space"), "default");
    CHECK(p.period == 524288 && !strcmp(profile_text(&p, p.period_type.type), "space"), "period");
    CHECK(p.time_nanos > 0 && p.duration_nanos > 0, "time");

    CHECK(p.n_samples == 5, "%u samples", p.n_samples);
    check_values(&p, 0, 52429, 5242880, 31457, 3145730); /* 52428.8, 52428.8 - 20971.5 */
    check_values(&p, 1, 210, 1048576, 210, 1048576);
    check_values(&p, 2, 5243, 524338, 5243, 524338);
    check_values(&p, 3, 0, 0, 10, 1000); /* inherited: in use, not allocated here */
    check_values(&p, 4, 8193, 524320, 8193, 524320);
    CHECK(!strcmp(label(&p, 0, "bytes"), "96") && !strcmp(label(&p, 1, "bytes"), "4096"), "bytes");
    CHECK(!strcmp(label(&p, 3, "inherited"), "true") && !*label(&p, 2, "inherited"), "inherited");

    CHECK(p.n_mappings == 3, "%u mappings", p.n_mappings);
    CHECK(!strcmp(profile_text(&p, p.mappings[0].filename), "/bin/image"), "executable first");
    CHECK(p.mappings[1].start == 0x7f0000000000 && p.mappings[1].limit == 0x7f0000100000, "range");
    CHECK(!strcmp(profile_text(&p, p.mappings[1].build_id),
                  "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"),
          "%s", profile_text(&p, p.mappings[1].build_id));
    CHECK(!strcmp(profile_text(&p, p.mappings[2].filename), "[anon:jit]") &&
              p.mappings[2].start == 0x600000000000 && p.mappings[2].limit == 0x600000001000,
          "anonymous");
    CHECK(p.samples[0].n_locations == 2 && p.samples[2].n_locations == 4, "depths");
    CHECK(frame(&p, 0, 0)->address == 0x400fff && frame(&p, 0, 0)->mapping == 0, "frame");
    CHECK(frame(&p, 2, 1)->mapping == 2 && frame(&p, 2, 1)->address == 0x600000000fff, "jit");
    CHECK(frame(&p, 2, 2) == frame(&p, 0, 1), "one location for one frame");
    CHECK(!strcmp(name(&p, frame(&p, 2, 3)), "[truncated]"), "truncated");
    CHECK(!strcmp(name(&p, frame(&p, 4, 0)), "[stacks dropped]"), "dropped");

    struct profile_facts facts;
    CHECK(profile_facts_read(&p, &facts) && facts.n_comments == 1, "facts");
    CHECK(facts.total_bytes == 9000001 && facts.exact == 1 && facts.rate == 524288 &&
              facts.samples == 17 && facts.threads == 1 && facts.peak_bytes == 123456 &&
              facts.pid == 4242 && !facts.damaged && facts.version[0],
          "facts");
    bool command = false;
    for (uint32_t i = 0; i < p.n_comments; i++) {
        CHECK(!strncmp(profile_text(&p, p.comments[i]), "# ", 2), "a comment that pprof shows");
        command |= !strcmp(profile_text(&p, p.comments[i]), "# command: image -x");
    }
    CHECK(command, "command line");
    profile_free(&p);
    heap_snapshot_free(&s);
    image_free(&image);
}

/* Counters of one stack and class at two rates are one sample; at rate 1 objects are samples. */
static void rates(void)
{
    struct image image;
    image_init(&image, 524288);
    image.header->rates[1] = 1;
    image.header->n_rates = 2;
    uint32_t exe = image_module(&image, "/bin/image", 0x400000, 0x500000);
    uint64_t frames[] = {HEAP_FRAME(exe, 0x401000)};
    uint32_t stack = image_stack(&image, frames, 1, HEAP_STACK_DEEP);
    image_counter(&image, stack, 100, 0, 2, 100.25, 10025, NULL);
    struct heap_counter *c = image_counter(&image, stack, 100, 1, 7, 0, 700, NULL);
    c->freed_samples = 3;
    c->freed_bytes = image_double(300);
    /* all freed: the sums differ in their last bits, and nothing is left */
    c = image_counter(&image, stack, 8, 0, 5, 0.5, 40.3, NULL);
    c->freed_samples = 5;
    c->freed_objects = image_double(0.4);
    c->freed_bytes = image_double(39.7);
    struct heap_snapshot s;
    struct profile p;
    if (!take(&image, &s) || !convert(&s, &p, 0))
        return;
    CHECK(s.counters[1].alloc_objects == 7 && s.counters[1].freed_w2 == 3, "rate 1");
    CHECK(p.n_samples == 2, "%u samples", p.n_samples);
    check_values(&p, 0, 107, 10725, 104, 10425); /* 107.25, 104.25 */
    check_values(&p, 1, 1, 40, 0, 0);
    struct profile_facts facts;
    CHECK(profile_facts_read(&p, &facts) && !facts.exact && facts.total_bytes == 0, "facts");
    CHECK(!strcmp(name(&p, frame(&p, 0, 1)), "[truncated]"), "a stack that was cut at its depth");
    profile_free(&p);
    heap_snapshot_free(&s);
    image_free(&image);
}

/* The executable comes first even if it was seen last, or never. */
static void executable_first(void)
{
    for (int seen = 0; seen < 2; seen++) {
        struct image image;
        image_init(&image, 1);
        uint32_t lib = image_module(&image, "/lib/a.so", 0x7f0000000000, 0x7f0000100000);
        uint32_t other = seen ? image_module(&image, "/bin/image", 0x400000, 0x500000) : lib;
        uint64_t frames[] = {HEAP_FRAME(lib, 0x7f0000001000), HEAP_FRAME(other, 0x401000)};
        uint32_t stack = image_stack(&image, frames, 1 + (unsigned)seen, 0);
        image_counter(&image, stack, 100, 0, 2, 0, 200, NULL);
        struct heap_snapshot s;
        struct profile p;
        if (!take(&image, &s) || !convert(&s, &p, 200))
            return;
        CHECK(p.n_mappings == 2 && !strcmp(profile_text(&p, p.mappings[0].filename), "/bin/image"),
              "first is %s", profile_text(&p, p.mappings[0].filename));
        CHECK(frame(&p, 0, 0)->mapping == 1, "mapping");
        profile_free(&p);
        heap_snapshot_free(&s);
        image_free(&image);
    }
}

static void merged_facts(void)
{
    struct profile p;
    struct profile_facts facts = {.version = "1.2", .rate = 100, .samples = 5, .exact = 1},
                         other = {.rate = 200, .samples = 6, .exact = 1, .peak_bytes = 7};
    profile_init(&p, 0);
    CHECK(!profile_facts_read(&p, &facts), "facts from nothing");
    facts = (struct profile_facts){.version = "1.2", .rate = 100, .samples = 5, .exact = 1};
    profile_facts_add(&p, &facts);
    profile_facts_add(&p, &other);
    profile_add_comment(&p, "# approf: samples=x rate=5y later=7 =8 samples exact=0 samples=1");
    CHECK(profile_facts_read(&p, &facts) && facts.n_comments == 3, "%u", facts.n_comments);
    CHECK(facts.samples == 12 && facts.rate == 200 && !facts.exact && facts.peak_bytes == 7,
          "%lu %lu", (long)facts.samples, (long)facts.rate);
    CHECK(!strcmp(facts.version, "1.2"), "%s", facts.version);
    profile_free(&p);
}

int main(void)
{
    small_process();
    rates();
    executable_first();
    merged_facts();
    return check_failures != 0;
}
