/* test: link=proto time=180 quick */
/* gzip_input.c - gzip that is cut off, corrupt, followed by rubbish, or a bomb. */
#include "proto_test.h"

static struct arena arena;

static void expect(const void *bytes, size_t n, size_t limit, const char *want, int where)
{
    struct byte_buffer out = {.arena = &arena};
    struct profile_error error = {0};
    bool good = gzip_inflate(bytes, n, limit, &out, &error);
    CHECK(good == !want, "line %d: %s", where, good ? "accepted" : error.text);
    if (want)
        CHECK(strstr(error.text, want), "line %d: \"%s\", not \"%s\"", where, error.text, want);
}
#define EXPECT(bytes, n, limit, want) expect(bytes, n, limit, want, __LINE__)

static struct byte_buffer packed(const void *bytes, size_t n)
{
    struct byte_buffer out = {.arena = &arena};
    CHECK(gzip_deflate(bytes, n, 6, &out), "deflate");
    return out;
}

static void faults(void)
{
    uint8_t bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    struct byte_buffer gz = packed(bytes, sizeof bytes);
    EXPECT(gz.bytes, gz.length, sizeof bytes, NULL);
    EXPECT(gz.bytes, gz.length, sizeof bytes - 1, "more than 4999 bytes");
    for (size_t n = 0; n < gz.length; n += n < 20 ? 1 : 97)
        EXPECT(gz.bytes, n, 1 << 20, "unexpected EOF");
    for (size_t n = gz.length - 9; n < gz.length; n++)
        EXPECT(gz.bytes, n, 1 << 20, "unexpected EOF");
    gz.bytes[gz.length - 5] ^= 1;
    EXPECT(gz.bytes, gz.length, 1 << 20, "gzip: invalid checksum");
    gz.bytes[gz.length - 5] ^= 1;
    gz.bytes[gz.length - 1] ^= 1;
    EXPECT(gz.bytes, gz.length, 1 << 20, "gzip: invalid checksum");
    gz.bytes[gz.length - 1] ^= 1;
    gz.bytes[2] = 7;
    EXPECT(gz.bytes, gz.length, 1 << 20, "gzip: invalid header");
    gz.bytes[2] = 8;
    gz.bytes[10] = 0xff; /* no such block type */
    EXPECT(gz.bytes, gz.length, 1 << 20, "flate: corrupt input");
    static const uint8_t rubbish[] = "behind the member";
    gz = packed(bytes, sizeof bytes);
    byte_buffer_append(&gz, rubbish, sizeof rubbish);
    EXPECT(gz.bytes, gz.length, 1 << 20, "gzip: invalid header");
    gz.length -= sizeof rubbish - 1;
    EXPECT(gz.bytes, gz.length, 1 << 20, "unexpected EOF");
}

static void members(void)
{
    struct byte_buffer gz = {.arena = &arena}, out = {.arena = &arena};
    struct profile_error error;
    for (int i = 0; i < 300; i++)
        CHECK(gzip_deflate("0123456789", (size_t)i % 11, 1 + i % 9, &gz), "deflate");
    CHECK(gzip_inflate(gz.bytes, gz.length, 1 << 20, &out, &error), "%s", error.text);
    size_t want = 0;
    for (int i = 0; i < 300; i++)
        want += (size_t)i % 11;
    CHECK(out.length == want, "%zu bytes, not %zu", out.length, want);
    CHECK(gz.bytes[4] == 0 && gz.bytes[5] == 0 && gz.bytes[6] == 0 && gz.bytes[7] == 0,
          "a time in the header");
}

/* 600 MB of zeros in 600 KB: refused, and without taking the memory. */
static void bomb(void)
{
    struct arena own;
    arena_init(&own, 0);
    struct byte_buffer zeros = {.arena = &own}, one, gz = {.arena = &own};
    byte_buffer_reserve(&zeros, 100 << 20);
    zeros.length = 100 << 20;
    one = (struct byte_buffer){.arena = &own};
    CHECK(gzip_deflate(zeros.bytes, zeros.length, 9, &one), "deflate");
    for (int i = 0; i < 6; i++)
        byte_buffer_append(&gz, one.bytes, one.length);
    size_t before = own.used;
    struct profile p;
    struct profile_error error = {0};
    CHECK(!profile_decode(gz.bytes, gz.length, &p, &error), "accepted");
    CHECK(error.kind == PROFILE_ERROR_TOO_LARGE && strstr(error.text, "more than"), "%s",
          error.text);
    CHECK(own.used == before, "memory");
    arena_free(&own);
}

int main(void)
{
    arena_init(&arena, 0);
    faults();
    members();
    bomb();
    arena_free(&arena);
    return check_failures != 0;
}
