// Mutates seeds with a fixed random sequence: fuzz_driver RUNS [SECONDS]. With SECONDS it goes on
// until they are over, with other inputs all along. Prints how many inputs there were, and the
// digest.

#include "fuzz_input.h"

#include <string.h>
#include <time.h>

#define LONGEST 4096

uint64_t fuzz_digest = 0xcbf29ce484222325u;

static uint64_t state = 0x5eed5eed5eed5eedu;

static uint32_t random_below(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1du >> 32) % limit);
}

static const char *pick(const char *const *from)
{
    uint32_t count = 0;
    while (from[count])
        count++;
    return from[random_below(count)];
}

static size_t insert(uint8_t *data, size_t size, size_t at, const void *piece, size_t len)
{
    if (len > LONGEST - size)
        len = LONGEST - size;
    memmove(data + at + len, data + at, size - at);
    memcpy(data + at, piece, len);
    return size + len;
}

static size_t mutate(uint8_t *data, size_t size)
{
    size_t at = random_below((uint32_t)size + 1);
    size_t len = random_below(16) + 1;
    const char *word = pick(fuzz_words);
    uint8_t copy[LONGEST];

    switch (random_below(8)) {
    case 0: // a bit
        if (at < size)
            data[at] ^= (uint8_t)(1u << random_below(8));
        return size;
    case 1: // a byte
        if (at < size)
            data[at] = (uint8_t)random_below(256);
        return size;
    case 2: // cut out
        len = len < size - at ? len : size - at;
        memmove(data + at, data + at + len, size - at - len);
        return size - len;
    case 3: // cut off
        return random_below(4) ? size : at;
    case 4: // a known word, over or between
        if (random_below(2) && strlen(word) <= size - at) {
            memcpy(data + at, word, strlen(word));
            return size;
        }
        return insert(data, size, at, word, strlen(word));
    case 5: // the same again
        memcpy(copy, data, size);
        len = random_below((uint32_t)(size - at) + 1);
        return insert(data, size, random_below((uint32_t)size + 1), copy + at, len);
    case 6: { // a number
        char number[24];
        int digits =
            snprintf(number, sizeof number, "%u", random_below(random_below(3) ? 40 : 2000000000));
        return insert(data, size, at, number, (size_t)digits);
    }
    default: // another seed behind
        word = pick(fuzz_seeds);
        return insert(data, size, size, word, strlen(word));
    }
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, done = 0;
    time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);
    uint8_t data[LONGEST];

    while (done < runs || (argc > 2 && time(NULL) < end)) {
        const char *seed = pick(fuzz_seeds);
        size_t size = strlen(seed) < LONGEST ? strlen(seed) : LONGEST;
        memcpy(data, seed, size);
        for (uint32_t i = random_below(8); i > 0; i--)
            size = mutate(data, size);

        // Exactly as large as the input, so that a read behind it is seen.
        uint8_t *input = malloc(size ? size : 1);
        FUZZ_CHECK(input != NULL);
        memcpy(input, data, size);
        LLVMFuzzerTestOneInput(input, size);
        free(input);
        done++;
    }
    printf("%lu inputs, digest %016llx\n", done, (unsigned long long)fuzz_digest);
    return 0;
}
