/* gzip.c - zlib over an arena (see profile_codec.h). */
#include "profile_codec.h"

#include <string.h>
#include <zlib.h>

enum {
    GZIP_WINDOW = 16 + MAX_WBITS, /* zlib: expect or write a gzip header */
    MOST_RATIO = 1032,            /* deflate can't do better */
    STEP = 1u << 30,              /* zlib counts in 32 bits */
};

static void *zlib_alloc(void *arena, unsigned items, unsigned size)
{
    return arena_array(arena, items, size);
}

static void zlib_free(void *arena, void *p)
{
    (void)arena;
    (void)p; /* goes with the arena */
}

bool gzip_is(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    return n >= 2 && b[0] == 0x1f && b[1] == 0x8b;
}

size_t profile_inflate_limit(size_t n)
{
    size_t limit;
    if (__builtin_mul_overflow(n, (size_t)PROFILE_MAX_RATIO, &limit) ||
        __builtin_add_overflow(limit, (size_t)64 << 20, &limit) || limit > PROFILE_MAX_BYTES)
        return PROFILE_MAX_BYTES;
    return limit;
}

static bool corrupt(struct profile_error *error, const char *what)
{
    return profile_error_set(error, PROFILE_ERROR_GZIP, "decompressing profile: %s", what);
}

/* zlib's verdict in the words of Go's reader, which pprof's users know. */
static bool corrupt_data(struct profile_error *error, const char *zlib_says)
{
    if (!zlib_says)
        return corrupt(error, "flate: corrupt input");
    if (strcmp(zlib_says, "incorrect data check") == 0 ||
        strcmp(zlib_says, "incorrect length check") == 0)
        return corrupt(error, "gzip: invalid checksum");
    if (strstr(zlib_says, "header") || strstr(zlib_says, "compression method"))
        return corrupt(error, "gzip: invalid header");
    return corrupt(error, "flate: corrupt input");
}

/* What a single member says about its size, as far as that can be true: the buffer then never has
 * to grow. */
static size_t first_guess(const uint8_t *bytes, size_t n, size_t limit)
{
    size_t guess = 0;
    if (n >= 18) {
        uint32_t size;
        memcpy(&size, bytes + n - 4, 4);
        guess = (size_t)size + 1;
    }
    if (guess > n * MOST_RATIO)
        guess = n * 4;
    return guess > limit ? limit : guess;
}

/* Inflates into out until the stream's member ends. */
static bool inflate_member(z_stream *stream, const uint8_t **at, const uint8_t *end, size_t limit,
                           struct byte_buffer *out, struct profile_error *error)
{
    for (;;) {
        size_t in = (size_t)(end - *at);
        stream->next_in = (Bytef *)*at;
        stream->avail_in = in > STEP ? STEP : (unsigned)in;
        /* One byte over the limit is asked for, so that exactly the limit is no error. */
        if (out->length > limit)
            return profile_error_set(error, PROFILE_ERROR_TOO_LARGE,
                                     "decompressing profile: more than %zu bytes", limit);
        if (out->length == out->room) {
            size_t more = out->room / 2 > 4096 ? out->room / 2 : 4096;
            if (more > limit - out->length + 1)
                more = limit - out->length + 1;
            if (!byte_buffer_reserve(out, more))
                return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
        }
        size_t room = out->room - out->length;
        if (room > limit - out->length + 1)
            room = limit - out->length + 1;
        stream->next_out = out->bytes + out->length;
        stream->avail_out = room > STEP ? STEP : (unsigned)room;
        int status = inflate(stream, Z_NO_FLUSH);
        *at = stream->next_in;
        out->length = (size_t)(stream->next_out - out->bytes);
        if (status == Z_STREAM_END)
            return true;
        if (status == Z_MEM_ERROR)
            return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
        if (status != Z_OK && status != Z_BUF_ERROR)
            return corrupt_data(error, stream->msg);
        if (*at == end && stream->avail_out != 0)
            return corrupt(error, "unexpected EOF");
    }
}

bool gzip_inflate(const void *bytes, size_t n, size_t limit, struct byte_buffer *out,
                  struct profile_error *error)
{
    const uint8_t *at = bytes, *end = at + n;
    if (n && !byte_buffer_reserve(out, first_guess(bytes, n, limit)))
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    struct arena scratch;
    arena_init(&scratch, 0);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &scratch};
    bool good;
    if (n == 0)
        good = corrupt(error, "unexpected EOF");
    else if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        good = profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    else
        do
            good = inflate_member(&stream, &at, end, limit, out, error);
        while (good && at != end && inflateReset(&stream) == Z_OK);
    if (good && out->length > limit)
        good = profile_error_set(error, PROFILE_ERROR_TOO_LARGE,
                                 "decompressing profile: more than %zu bytes", limit);
    arena_free(&scratch);
    return good;
}

bool gzip_deflate(const void *bytes, size_t n, int level, struct byte_buffer *out)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &scratch};
    const uint8_t *at = bytes, *end = at + n;
    bool good = false;
    /* The default header: no name, time 0, so that equal profiles make equal files. */
    if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        goto done;
    for (;;) {
        size_t in = (size_t)(end - at);
        stream.next_in = (Bytef *)at;
        stream.avail_in = in > STEP ? STEP : (unsigned)in;
        if (!byte_buffer_reserve(out, 4096))
            goto done;
        size_t room = out->room - out->length;
        stream.next_out = out->bytes + out->length;
        stream.avail_out = room > STEP ? STEP : (unsigned)room;
        int status = deflate(&stream, in > STEP ? Z_NO_FLUSH : Z_FINISH);
        at = stream.next_in;
        out->length = (size_t)(stream.next_out - out->bytes);
        if (status == Z_STREAM_END) {
            good = true;
            goto done;
        }
        if (status != Z_OK && status != Z_BUF_ERROR)
            goto done;
    }
done:
    arena_free(&scratch);
    return good;
}
