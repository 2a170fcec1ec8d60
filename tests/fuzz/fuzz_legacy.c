/* test: link=cli time=120 variant=san quick */
/* fuzz_legacy.c - legacy formats, dumps of jemalloc and folded stacks from any bytes: no crash, no
 * hang, memory bounded by the input, and what is accepted is sound.
 */
#define FUZZ_NAME "legacy"
#include "fuzz_main.h"

#include "../../cli/legacy.h"
#include "../proto/proto_test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile p;
    struct profile_error error = {0};
    if (!legacy_parse(data, size, &p, &error)) {
        FUZZ_HOLDS(error.kind && error.text[0]);
        return 0;
    }
    FUZZ_HOLDS(!profile_out_of_range(&p));
    FUZZ_HOLDS(p.n_sample_types > 0);
    FUZZ_HOLDS(p.arena.used <= (1 << 20) + 256 * size);
    profile_free(&p);
    return 0;
}
