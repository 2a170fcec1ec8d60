// Shared by the fuzz programs of the demo servers' parsers: each has LLVMFuzzerTestOneInput, and
// either libFuzzer (clang -fsanitize=fuzzer) or fuzz_driver.c makes the inputs.
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What the driver mutates, and pieces that it puts in; null at the end.
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];

// A digest of what was parsed; the driver prints it, so that parsers that should agree can be
// compared.
extern uint64_t fuzz_digest;

static inline void fuzz_note(const void *data, size_t len)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++)
        fuzz_digest = (fuzz_digest ^ bytes[i]) * 0x100000001b3u;
    fuzz_digest = (fuzz_digest ^ len) * 0x100000001b3u;
}

#define FUZZ_CHECK(condition)                                                       \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

#endif
