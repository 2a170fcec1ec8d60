/* test: link=proto quick */
/* arena_text.c - arenas and text into fixed buffers. */
#include "proto_test.h"

#include "text.h"

#include <errno.h>

static void allocations(void)
{
    struct arena a;
    arena_init(&a, 0);
    uint64_t state = 5;
    uint8_t *seen[300];
    size_t sizes[300];
    for (int i = 0; i < 300; i++) {
        sizes[i] = test_below(&state, i % 50 ? 3000 : 400000);
        seen[i] = arena_alloc(&a, sizes[i]);
        CHECK(seen[i] && (uintptr_t)seen[i] % 16 == 0, "%zu", sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            if (seen[i][k]) {
                CHECK(false, "not zeroed");
                break;
            }
        memset(seen[i], i + 1, sizes[i]);
    }
    for (int i = 0; i < 300; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            if (seen[i][k] != (uint8_t)(i + 1)) {
                CHECK(false, "allocations overlap");
                break;
            }
    CHECK(arena_alloc(&a, 0) != arena_alloc(&a, 0), "not unique");
    CHECK(!a.failed && !arena_alloc(&a, SIZE_MAX - 5) && a.failed, "overflow");
    arena_free(&a);
    CHECK(!a.failed && a.used == 0, "after free");
    CHECK(!arena_array(&a, SIZE_MAX / 2, 3), "overflow of count * size");
    arena_free(&a);
}

/* Growing keeps the contents, whatever lies between and however large it becomes. */
static void growing(void)
{
    struct arena a;
    arena_init(&a, 0);
    uint64_t state = 9;
    uint32_t *arrays[3] = {0};
    size_t n[3] = {0};
    for (int step = 0; step < 400; step++) {
        int i = (int)test_below(&state, 3);
        size_t more = n[i] + 1 + test_below(&state, n[i] + 10);
        if (more > 3000000)
            more = n[i] + 1;
        uint32_t *grown = arena_grow(&a, arrays[i], n[i] * 4, more * 4);
        CHECK(grown != NULL, "step %d", step);
        arrays[i] = grown;
        for (size_t k = n[i]; k < more; k++)
            arrays[i][k] = (uint32_t)(k * 3 + (size_t)i);
        n[i] = more;
        if (step % 7 == 0)
            memset(arena_alloc(&a, 64), 0xff, 64);
    }
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < n[i]; k++)
            if (arrays[i][k] != (uint32_t)(k * 3 + (size_t)i)) {
                CHECK(false, "array %d changed at %zu of %zu", i, k, n[i]);
                break;
            }
    arena_free(&a);
}

static void limits(void)
{
    struct arena a;
    arena_init(&a, 1 << 20);
    size_t n = 0;
    while (arena_alloc(&a, 1000))
        n++;
    CHECK(n > 500 && n < 1100 && a.failed && a.used <= 1 << 20, "%zu", n);
    char *kept = arena_alloc(&a, 8);
    CHECK(!kept || !arena_grow(&a, kept, 8, 2 << 20), "beyond the limit");
    arena_free(&a);
    CHECK(a.limit == 1 << 20, "limit forgotten");
}

static void formats(void)
{
    char buffer[64];
    struct text text;
    TEXT_ON(&text, buffer);
    text_format(&text, "%s|%.*s|%c|%d|%u|%lu|%ld|%zu|%x|%02x|%%", "abc", 2, "xyz", 'c', -5, 7u,
                UINT64_MAX, (long)INT64_MIN, (size_t)12, 255u, 10u);
    CHECK(!strncmp(buffer, "abc|xy|c|-5|7|18446744073709551615|-9223372036854775808|12|ff|0", 63),
          "%s", buffer);
    CHECK(text.truncated && text.length == 63 && strlen(buffer) == 63, "%zu", text.length);
    TEXT_ON(&text, buffer);
    text_append_errno(&text, ENOENT);
    CHECK(!strcmp(buffer, "no such file or directory"), "%s", buffer);
    TEXT_ON(&text, buffer);
    text_append_errno(&text, 99999);
    CHECK(!strcmp(buffer, "error 99999"), "%s", buffer);
    const char *at = "18446744073709551615,18446744073709551616", *end = at + strlen(at);
    uint64_t value;
    CHECK(text_parse_u64(&at, end, &value) && value == UINT64_MAX && *at == ',', "largest");
    at++;
    CHECK(!text_parse_u64(&at, end, &value), "overflow");
    CHECK(!text_parse_u64(&end, end, &value), "nothing");
}

int main(void)
{
    allocations();
    growing();
    limits();
    formats();
    return check_failures != 0;
}
