/* test: link=proto quick */
/* codec_malformed.c - each rule of pprof's decoder and validator, broken on purpose: the error is
 * the one that pprof names, and the first in its order where a message breaks several.
 */
#include "proto_test.h"

/* A message is built from fields; nesting by building the inner one first. */
struct wire_out {
    uint8_t bytes[512];
    size_t n;
};

static void put(struct wire_out *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        out->bytes[out->n++] = (uint8_t)(v | 0x80);
    out->bytes[out->n++] = (uint8_t)v;
}

static void number(struct wire_out *out, unsigned field, uint64_t value)
{
    put(out, field << 3);
    put(out, value);
}

static void bytes_field(struct wire_out *out, unsigned field, const void *bytes, size_t n)
{
    put(out, field << 3 | 2);
    put(out, n);
    memcpy(out->bytes + out->n, bytes, n);
    out->n += n;
}

static void text(struct wire_out *out, const char *text)
{
    bytes_field(out, 6, text, strlen(text));
}

/* A message of up to four numbers (field, value pairs, ended by field 0). */
static void message(struct wire_out *out, unsigned field, const uint64_t (*pairs)[2])
{
    struct wire_out inner = {0};
    for (; (*pairs)[0]; pairs++)
        number(&inner, (unsigned)(*pairs)[0], (*pairs)[1]);
    bytes_field(out, field, inner.bytes, inner.n);
}
#define MESSAGE(out, field, ...) message(out, field, (const uint64_t[][2]){__VA_ARGS__, {0, 0}})

static void line(struct wire_out *out, uint64_t location, uint64_t function)
{
    struct wire_out inner = {0};
    number(&inner, 1, location);
    MESSAGE(&inner, 4, {1, function});
    bytes_field(out, 4, inner.bytes, inner.n);
}

/* A sound profile, two types, without its samples. */
static void base(struct wire_out *out)
{
    *out = (struct wire_out){0};
    text(out, "");
    text(out, "space");
    text(out, "bytes");
    MESSAGE(out, 1, {1, 1}, {2, 2});
    MESSAGE(out, 1, {1, 1}, {2, 2});
    MESSAGE(out, 3, {1, 1}, {2, 4096});
    MESSAGE(out, 5, {1, 1}, {2, 1});
    line(out, 1, 1);
}

static void expect(const struct wire_out *out, const char *want, int where)
{
    struct profile p;
    struct profile_error error = {0};
    bool good = profile_decode(out->bytes, out->n, &p, &error);
    CHECK(good == !want, "line %d: %s", where, good ? "accepted" : error.text);
    if (!good && want)
        CHECK(strcmp(error.text, want) == 0, "line %d: \"%s\", not \"%s\"", where, error.text,
              want);
    if (good) {
        CHECK(!profile_out_of_range(&p), "line %d", where);
        profile_free(&p);
    }
}
#define EXPECT(want) expect(&m, want, __LINE__)
#define SAMPLE(...)  MESSAGE(&m, 2, __VA_ARGS__)

#define MALFORMED    "malformed profile: "
#define UNRECOGNIZED "unrecognized profile format"

static void validation(void)
{
    struct wire_out m = {0};
    EXPECT("empty input file");
    base(&m);
    EXPECT(NULL);
    SAMPLE({1, 1}, {2, 5}, {2, 6});
    EXPECT(NULL);
    base(&m), SAMPLE({1, 1}, {2, 5});
    EXPECT(MALFORMED "mismatch: sample has 1 values vs. 2 types");
    base(&m), SAMPLE({2, 5}, {2, 5}, {2, 7});
    EXPECT(MALFORMED "mismatch: sample has 3 values vs. 2 types");
    base(&m), SAMPLE({2, 1}), SAMPLE({2, 1}, {2, 1}, {2, 1}); /* right in all, wrong in each */
    EXPECT(MALFORMED "mismatch: sample has 1 values vs. 2 types");
    base(&m), SAMPLE({1, 9}, {2, 5}, {2, 6});
    EXPECT(MALFORMED "sample has nil location");
    base(&m), SAMPLE({1, 0}, {2, 5}, {2, 6});
    EXPECT(MALFORMED "sample has nil location");
    base(&m), SAMPLE({1, 9}, {2, 5}, {2, 6}), SAMPLE({2, 1}); /* the first sample's fault */
    EXPECT(MALFORMED "sample has nil location");
    base(&m), MESSAGE(&m, 3, {2, 1});
    EXPECT(MALFORMED "found mapping with reserved ID=0");
    base(&m), MESSAGE(&m, 3, {1, 1});
    EXPECT(MALFORMED "multiple mappings with same id: 1");
    base(&m), MESSAGE(&m, 5, {2, 1});
    EXPECT(MALFORMED "found function with reserved ID=0");
    base(&m), MESSAGE(&m, 5, {1, 77}), MESSAGE(&m, 5, {1, 77});
    EXPECT(MALFORMED "multiple functions with same id: 77");
    base(&m), MESSAGE(&m, 4, {3, 1});
    EXPECT(MALFORMED "found location with reserved id=0");
    base(&m), MESSAGE(&m, 4, {1, UINT64_MAX}), MESSAGE(&m, 4, {1, UINT64_MAX});
    EXPECT(MALFORMED "multiple locations with same id: 18446744073709551615");
    base(&m), line(&m, 7, 9);
    EXPECT(MALFORMED "location id: 7 has a line with nil function");
    base(&m), line(&m, 7, 0);
    EXPECT(MALFORMED "location id: 7 has a line with nil function");
    base(&m), MESSAGE(&m, 4, {1, 7}, {2, 99}); /* an unknown mapping is none */
    EXPECT(NULL);
    /* samples before mappings before functions before locations */
    base(&m), line(&m, 7, 9), MESSAGE(&m, 5, {2, 1}), MESSAGE(&m, 3, {1, 1});
    EXPECT(MALFORMED "multiple mappings with same id: 1");
    SAMPLE({2, 1});
    EXPECT(MALFORMED "mismatch: sample has 1 values vs. 2 types");
    /* a sample may refer to a location of id 0, which is then what is wrong */
    base(&m), MESSAGE(&m, 4, {3, 1}), SAMPLE({1, 0}, {2, 5}, {2, 6});
    EXPECT(MALFORMED "found location with reserved id=0");
    m = (struct wire_out){0}, text(&m, ""), SAMPLE({2, 1});
    EXPECT(MALFORMED "missing sample type information");
}

static void strings(void)
{
    struct wire_out m;
    m = (struct wire_out){0}, MESSAGE(&m, 1, {3, 1});
    EXPECT(UNRECOGNIZED); /* no strings at all */
    m = (struct wire_out){0}, text(&m, "x"), text(&m, "");
    EXPECT(UNRECOGNIZED);
    for (unsigned field = 7; field <= 15; field++)
        if (field != 9 && field != 10 && field != 11 && field != 12) {
            base(&m), number(&m, field, 3);
            EXPECT(UNRECOGNIZED);
            base(&m), number(&m, field, (uint64_t)-1);
            EXPECT(UNRECOGNIZED);
            base(&m), number(&m, field, 2);
            EXPECT(NULL);
        }
    base(&m), MESSAGE(&m, 11, {1, 3});
    EXPECT(UNRECOGNIZED);
    base(&m), MESSAGE(&m, 3, {1, 2}, {6, 3});
    EXPECT(UNRECOGNIZED);
    base(&m), MESSAGE(&m, 5, {1, 2}, {4, 3});
    EXPECT(UNRECOGNIZED);
    base(&m), SAMPLE({2, 1}), number(&m, 7, 3); /* before any validation */
    EXPECT(UNRECOGNIZED);
}

static void wire(void)
{
    struct wire_out m;
    for (unsigned type = 0; type < 8; type++) { /* unknown fields of any known type are skipped */
        base(&m);
        put(&m, 99 << 3 | type);
        /* its value, all zero, and then fields 0 of a byte and a byte */
        for (int i = 0; i < (type == 1 || type == 5 ? 8 : 9); i++)
            m.bytes[m.n++] = 0;
        if (type == 0 || type == 1 || type == 2 || type == 5)
            EXPECT(NULL);
        else
            EXPECT(UNRECOGNIZED);
    }
    base(&m), bytes_field(&m, 12, "abc", 3);
    EXPECT(UNRECOGNIZED); /* a number that is a text */
    base(&m), number(&m, 4, 1);
    EXPECT(UNRECOGNIZED); /* a message that is a number */
    base(&m), number(&m, 9, 5), number(&m, 9, 7);
    EXPECT("concatenated profiles detected");
    base(&m), number(&m, 9, 0), number(&m, 9, 7);
    EXPECT(NULL);
    base(&m), number(&m, 9, 5), put(&m, 0x7), number(&m, 9, 7); /* whichever comes first */
    EXPECT(UNRECOGNIZED);
    base(&m), number(&m, 9, 5), bytes_field(&m, 9, "", 0);
    EXPECT("concatenated profiles detected");
    /* cut off at every byte: never a crash, sometimes still a profile */
    base(&m), SAMPLE({1, 1}, {2, 5}, {2, 6});
    for (size_t n = 0; n < m.n; n++) {
        struct profile p;
        uint8_t *exact = malloc(n ? n : 1);
        memcpy(exact, m.bytes, n);
        if (profile_decode(exact, n, &p, NULL))
            profile_free(&p);
        free(exact);
    }
}

/* A varint may have ten bytes and not eleven, wherever it stands and however it is aligned. */
static void long_numbers(void)
{
    struct wire_out m;
    for (unsigned length = 1; length <= 11; length++)
        for (unsigned before = 0; before < 18; before++)
            for (unsigned after = 0; after < 9; after += 4) {
                uint8_t list[64] = {0};
                size_t n = before;
                memset(list + n, 0x80, length - 1);
                n += length + after;
                base(&m), bytes_field(&m, 13, list, n); /* comments: string 0 each */
                expect(&m, length > 10 ? UNRECOGNIZED : NULL, __LINE__);
                n -= after + 1; /* without its last byte */
                base(&m), bytes_field(&m, 13, list, n);
                expect(&m, length > 1 ? UNRECOGNIZED : NULL, __LINE__);
            }
    for (unsigned length = 1; length <= 11; length++) {
        base(&m);
        put(&m, 12 << 3);
        memset(m.bytes + m.n, 0x80, length);
        m.n += length - 1;
        m.bytes[m.n++] = 0;
        expect(&m, length > 10 ? UNRECOGNIZED : NULL, __LINE__);
    }
}

static void labels(void)
{
    struct wire_out m, inner = {0};
    struct profile p;
    struct profile_error error;
    number(&inner, 2, 5), number(&inner, 2, 6);
    MESSAGE(&inner, 3, {1, 1});                          /* says nothing: dropped */
    MESSAGE(&inner, 3, {1, 1}, {3, 9});                  /* number without a unit */
    MESSAGE(&inner, 3, {1, 1}, {4, 2});                  /* number 0 with a unit */
    MESSAGE(&inner, 3, {1, 1}, {2, 2}, {3, 9}, {4, 99}); /* a text: its number is not looked at */
    base(&m), bytes_field(&m, 2, inner.bytes, inner.n);
    if (!profile_decode(m.bytes, m.n, &p, &error)) {
        CHECK(false, "%s", error.text);
        return;
    }
    CHECK(p.samples[0].n_labels == 3, "%u labels", p.samples[0].n_labels);
    CHECK(p.labels[0].num == 9 && !p.labels[0].str && !p.labels[0].num_unit, "number");
    CHECK(p.labels[1].num == 0 && !strcmp(profile_text(&p, p.labels[1].num_unit), "bytes"), "unit");
    CHECK(p.labels[2].num == 0 && !strcmp(profile_text(&p, p.labels[2].str), "bytes"), "text");
    profile_free(&p);
}

static void packing(void)
{
    struct wire_out m, inner = {0};
    struct profile p;
    struct profile_error error;
    const uint8_t two[] = {1, 1};
    bytes_field(&inner, 1, two, 2), number(&inner, 1, 1), bytes_field(&inner, 1, two, 0);
    number(&inner, 2, (uint64_t)-5), bytes_field(&inner, 2, "\7", 1);
    base(&m), bytes_field(&m, 2, inner.bytes, inner.n);
    if (!profile_decode(m.bytes, m.n, &p, &error)) {
        CHECK(false, "%s", error.text);
        return;
    }
    CHECK(p.samples[0].n_locations == 3 && p.values[0] == -5 && p.values[1] == 7, "mixed packing");
    profile_free(&p);
    base(&m), number(&m, 12, 5), number(&m, 12, 6); /* the last one counts */
    MESSAGE(&m, 11, {1, 1}, {2, 2}), MESSAGE(&m, 11, {2, 1});
    if (profile_decode(m.bytes, m.n, &p, &error)) {
        CHECK(p.period == 6 && !p.period_type.type && p.period_type.unit, "period");
        profile_free(&p);
    } else {
        CHECK(false, "%s", error.text);
    }
}

static void equal_strings(void)
{
    struct wire_out m;
    struct profile p;
    base(&m), text(&m, "twice"), text(&m, "twice");
    MESSAGE(&m, 5, {1, 2}, {2, 3}, {3, 4});
    if (profile_decode(m.bytes, m.n, &p, NULL)) {
        CHECK(p.functions[1].name == p.functions[1].system_name, "equal strings, two ids");
        CHECK(profile_intern_text(&p, "twice") == p.functions[1].name, "interned anew");
        profile_free(&p);
    } else {
        CHECK(false, "refused");
    }
}

/* Ids that are sparse and huge, in an order that makes every reference a forward one. */
static void sparse_ids(void)
{
    struct wire_out m = {0}, inner = {0};
    struct profile p;
    struct profile_error error;
    text(&m, "");
    SAMPLE({1, UINT64_MAX}, {1, 1000000}, {2, 7});
    MESSAGE(&m, 1, {1, 1}, {2, 1});
    number(&inner, 1, UINT64_MAX), number(&inner, 2, UINT64_C(1) << 63);
    MESSAGE(&inner, 4, {1, 10000}, {2, 3});
    bytes_field(&m, 4, inner.bytes, inner.n);
    MESSAGE(&m, 4, {1, 1000000});
    MESSAGE(&m, 5, {1, 10000});
    MESSAGE(&m, 3, {1, UINT64_C(1) << 63});
    text(&m, "t");
    if (!profile_decode(m.bytes, m.n, &p, &error)) {
        CHECK(false, "%s", error.text);
        return;
    }
    CHECK(p.samples[0].n_locations == 2 && p.values[0] == 7, "sample");
    CHECK(p.sample_locations[0] == 0 && p.sample_locations[1] == 1, "locations");
    CHECK(p.locations[0].id == UINT64_MAX && p.locations[0].n_lines == 1, "location");
    CHECK(p.locations[0].mapping == 0 && p.locations[1].mapping == PROFILE_NONE, "mappings");
    CHECK(p.functions[p.lines[0].function].id == 10000 && p.lines[0].line == 3, "function");
    profile_free(&p);
}

int main(void)
{
    sparse_ids();
    validation();
    strings();
    wire();
    long_numbers();
    labels();
    packing();
    equal_strings();
    return check_failures != 0;
}
