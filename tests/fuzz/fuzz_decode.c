/* test: link=proto time=120 variant=san quick */
/* fuzz_decode.c - a profile from any bytes: no crash, bounded memory, and what is accepted is sound
 * and survives being written and read again.
 */
#define FUZZ_NAME "decode"
#include "fuzz_main.h"

#include "../proto/proto_test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile p, again;
    struct profile_error error = {0};
    if (!profile_decode(data, size, &p, &error)) {
        FUZZ_HOLDS(error.kind && error.text[0]);
        return 0;
    }
    FUZZ_HOLDS(!profile_out_of_range(&p));
    size_t message = gzip_is(data, size) ? profile_inflate_limit(size) : size;
    FUZZ_HOLDS(p.arena.used <= (1 << 20) + 32 * message);
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena}, packed = {.arena = &arena};
    FUZZ_HOLDS(profile_encode(&p, &bytes));
    FUZZ_HOLDS(gzip_deflate(bytes.bytes, bytes.length, 1, &packed));
    FUZZ_HOLDS(profile_decode(packed.bytes, packed.length, &again, &error));
    FUZZ_HOLDS(!profile_difference(&p, &again));
    profile_free(&again);
    profile_free(&p);
    arena_free(&arena);
    return 0;
}
