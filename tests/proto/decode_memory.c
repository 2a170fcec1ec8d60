/* test: link=proto variant=none time=240 */
/* decode_memory.c - memory stays below 32 times the message, for messages made to need much of it.
 * A child decodes each, and is asked for its peak.
 */
#include "proto_test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = 2 << 20, SLACK_KB = 2048 };

static uint8_t *message;
static size_t length;

static void put(const void *bytes, size_t n)
{
    memcpy(message + length, bytes, n);
    length += n;
}

/* A number of three bytes: more than the dense ids. */
static void put_id(uint32_t id)
{
    uint8_t bytes[5] = {(uint8_t)(id | 0x80), (uint8_t)(id >> 7 | 0x80), (uint8_t)(id >> 14 | 0x80),
                        (uint8_t)(id >> 21 | 0x80), (uint8_t)(id >> 28)};
    put(bytes, 5);
}

/* Returns the peak in KB of a child that decodes the message, or only touches it. */
static long peak(bool decode)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct profile p;
        volatile uint8_t sum = 0;
        for (size_t i = 0; i < length; i += 4096)
            sum = (uint8_t)(sum + message[i]);
        if (decode && profile_decode(message, length, &p, NULL))
            profile_free(&p);
        _exit(0);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child || status != 0)
        return -1;
    return usage.ru_maxrss;
}

static void measure(const char *what)
{
    long without = peak(false), with = peak(true);
    long times = (with - without) * 1024 / (long)length;
    printf("%-28s %7zu bytes, %7ld KB, %ld times\n", what, length, with - without, times);
    CHECK(without > 0 && with > 0, "%s: the child failed", what);
    CHECK((size_t)(with - without) * 1024 < 32 * length + SLACK_KB * 1024, "%s: %ld times", what,
          times);
}

static void start(void)
{
    length = 0;
    put("\x32", 2); /* the empty string: field 6, length 0 */
}

int main(void)
{
    message = malloc(MESSAGE + 64);
    static const struct {
        const char *what, *entry;
        size_t n;
    } repeated[] = {
        {"empty samples", "\x12", 2},   {"samples with one value", "\x12\x02\x10\x01", 4},
        {"empty mappings", "\x1a", 2},  {"empty locations", "\x22", 2},
        {"empty functions", "\x2a", 2}, {"empty strings", "\x32", 2},
        {"sample types", "\x0a", 2},    {"comments", "\x68", 2},
        {"period types", "\x5a", 2}};
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++) {
        start();
        while (length < MESSAGE)
            put(repeated[i].entry, repeated[i].n);
        measure(repeated[i].what);
    }
    /* nested: one sample of labels, one location of lines, packed lists */
    static const struct {
        const char *what;
        uint8_t outer, tag, step;
    } nested[] = {{"labels", 0x12, 0x1a, 2},
                  {"lines", 0x22, 0x22, 2},
                  {"locations of one sample", 0x12, 0x08, 2},
                  {"values of one sample", 0x12, 0x10, 2}};
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++) {
        start();
        uint8_t size[4] = {nested[i].outer, 0x80, 0x80, 0x40}; /* 1 MiB */
        put(size, 4);
        for (size_t k = 0; k < (1 << 20); k += nested[i].step) {
            uint8_t entry[2] = {nested[i].tag, 0};
            put(entry, 2);
        }
        measure(nested[i].what);
    }
    /* ids that need the hash table, and strings that are all different */
    static const uint8_t fields[] = {0x1a, 0x22, 0x2a};
    for (size_t i = 0; i < sizeof fields; i++) {
        start();
        for (uint32_t id = 1u << 27; length < MESSAGE; id += 77) {
            uint8_t head[3] = {fields[i], 6, 0x08};
            put(head, 3);
            put_id(id);
        }
        measure(i == 0 ? "sparse mappings" : i == 1 ? "sparse locations" : "sparse functions");
    }
    start();
    for (uint32_t n = 0; length < MESSAGE; n++) {
        uint8_t text[6] = {0x32, 3, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16)};
        put(text, 5);
    }
    measure("different strings");
    free(message);
    return check_failures != 0;
}
