// Where log-parse has its lines from.

#include "log_lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define POOL_LINES     4096
#define LONGEST_MADE   176
#define SEED           20240511u
#define FIRST_BUFFER   (64 * 1024)
#define LONGEST_LINE   (1024 * 1024)
#define COUNT(array)   (sizeof(array) / sizeof *(array))
#define PICK(of, bits) (of)[(bits) % COUNT(of)]

struct log_lines {
    // Made up: line i is pool + starts[i % POOL_LINES].
    long left;
    size_t at;
    char *pool;
    uint32_t starts[POOL_LINES + 1];
    // Read: what is in the buffer and not yet returned is start to end.
    FILE *file;
    char *buffer;
    size_t start, end, room;
};

static struct log_lines *new_lines(void)
{
    struct log_lines *lines = calloc(1, sizeof *lines);
    if (!lines) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        exit(1);
    }
    return lines;
}

static void *pool_of(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "%s: out of memory: %zu bytes\n", program_invocation_short_name, size);
        exit(1);
    }
    return memory;
}

// xorshift64*: small, and the same everywhere.
static uint64_t next_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du >> 16;
}

static size_t make_line(char *into, size_t number, uint64_t *state)
{
    static const char *const levels[] = {"INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"};
    static const char *const services[] = {"cart", "checkout", "search", "session", "mailer"};
    static const char *const paths[] = {"/api/v2/cart/items", "/api/v2/orders", "/api/v1/search",
                                        "/api/v2/account/me", "/healthz"};
    static const char *const regions[] = {"eu-west-1", "eu-north-1", "us-east-2", "ap-south-1"};
    uint64_t bits = next_bits(state), more = next_bits(state);

    return (size_t)snprintf(
        into, LONGEST_MADE,
        "2024-05-11T%02zu:%02zu:%02u.%03uZ|%s|%s|"
        "user=%06u request=%08x path=%s status=%d took=%ums region=%s",
        number / 3600 % 24, number / 60 % 60, (unsigned)(bits % 60), (unsigned)(bits >> 8) % 1000,
        PICK(levels, bits >> 20), PICK(services, bits >> 28), (unsigned)(more % 1000000),
        (unsigned)(bits >> 12), PICK(paths, more >> 20), more >> 32 & 15 ? 200 : 503,
        (unsigned)(more >> 24) % 900, PICK(regions, more >> 40));
}

struct log_lines *log_lines_generate(long count)
{
    struct log_lines *lines = new_lines();
    uint64_t state = SEED;

    lines->left = count;
    lines->pool = pool_of(POOL_LINES * LONGEST_MADE);
    for (size_t i = 0; i < POOL_LINES; i++)
        lines->starts[i + 1] =
            lines->starts[i] + (uint32_t)make_line(lines->pool + lines->starts[i], i, &state);
    return lines;
}

struct log_lines *log_lines_read(FILE *file)
{
    struct log_lines *lines = new_lines();

    lines->file = file;
    lines->room = FIRST_BUFFER;
    lines->buffer = pool_of(lines->room);
    return lines;
}

// Makes room behind what is in the buffer and reads on. Returns as log_lines_next does.
static int read_more(struct log_lines *lines)
{
    memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
    lines->end -= lines->start;
    lines->start = 0;
    if (lines->end == lines->room) {
        if (lines->room >= LONGEST_LINE) {
            fprintf(stderr, "%s: a line is longer than %d bytes\n", program_invocation_short_name,
                    LONGEST_LINE);
            return -1;
        }
        char *buffer = realloc(lines->buffer, lines->room * 2);
        if (!buffer) {
            fprintf(stderr, "%s: out of memory: %zu bytes\n", program_invocation_short_name,
                    lines->room * 2);
            return -1;
        }
        lines->buffer = buffer;
        lines->room *= 2;
    }
    size_t got = fread(lines->buffer + lines->end, 1, lines->room - lines->end, lines->file);
    lines->end += got;
    if (got == 0 && ferror(lines->file)) {
        fprintf(stderr, "%s: reading: %s\n", program_invocation_short_name, strerror(errno));
        return -1;
    }
    return got > 0;
}

static int next_read(struct log_lines *lines, const char **line, size_t *len)
{
    size_t seen = 0;

    for (;;) {
        char *from = lines->buffer + lines->start;
        size_t here = lines->end - lines->start;
        char *newline = memchr(from + seen, '\n', here - seen);
        int more = newline ? 1 : (seen = here, read_more(lines));
        if (more < 0)
            return -1;
        if (newline || !more) {
            *line = lines->buffer + lines->start;
            *len = newline ? (size_t)(newline - from) : here;
            lines->start += *len + (newline != NULL);
            return newline || here > 0;
        }
    }
}

int log_lines_next(struct log_lines *lines, const char **line, size_t *len)
{
    if (lines->file)
        return next_read(lines, line, len);
    if (lines->left == 0)
        return 0;
    lines->left--;
    *line = lines->pool + lines->starts[lines->at];
    *len = lines->starts[lines->at + 1] - lines->starts[lines->at];
    lines->at = (lines->at + 1) % POOL_LINES;
    return 1;
}

void log_lines_close(struct log_lines *lines)
{
    free(lines->pool);
    free(lines->buffer);
    free(lines);
}
