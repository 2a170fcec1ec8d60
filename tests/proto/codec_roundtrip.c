/* test: link=proto time=180 quick */
/* codec_roundtrip.c - decode(encode(x)) is x, for random profiles and for those kept for the
 * fuzzer; gzipped or not, in one member or many; equal profiles make equal bytes.
 */
#include "proto_test.h"

#include <dirent.h>

static struct profile_error error;

static void round_trip(const struct profile *p, const char *name)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena}, twice = {.arena = &arena};
    struct byte_buffer packed = {.arena = &arena};
    struct profile again;
    CHECK(profile_encode(p, &bytes), "%s", name);
    if (profile_decode(bytes.bytes, bytes.length, &again, &error)) {
        const char *difference = profile_difference(p, &again);
        CHECK(!difference, "%s: %s", name, difference);
        CHECK(!profile_out_of_range(&again), "%s", name);
        CHECK(profile_encode(&again, &twice) && twice.length == bytes.length &&
                  memcmp(twice.bytes, bytes.bytes, bytes.length) == 0,
              "%s: not the same bytes the second time", name);
        profile_free(&again);
    } else {
        CHECK(false, "%s: %s", name, error.text);
    }
    /* Two members: the split may be anywhere. */
    size_t half = bytes.length / 3;
    CHECK(gzip_deflate(bytes.bytes, half, 1, &packed) &&
              gzip_deflate(bytes.bytes + half, bytes.length - half, 9, &packed),
          "%s", name);
    if (profile_decode(packed.bytes, packed.length, &again, &error)) {
        CHECK(!profile_difference(p, &again), "%s: gzipped", name);
        profile_free(&again);
    } else {
        CHECK(false, "%s: gzipped: %s", name, error.text);
    }
    arena_free(&arena);
}

static void random_profiles(void)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct profile p;
        char name[32];
        snprintf(name, sizeof name, "seed %lu", (unsigned long)seed);
        test_profile(&p, seed);
        CHECK(!p.arena.failed && !profile_out_of_range(&p), "%s", name);
        round_trip(&p, name);
        profile_free(&p);
    }
}

static void kept_files(void)
{
    char folder[4096], path[8192];
    const char *top = getenv("TOP");
    snprintf(folder, sizeof folder, "%s/tests/fuzz/regress/decode", top ? top : ".");
    DIR *dir = opendir(folder);
    CHECK(dir != NULL, "%s", folder);
    int accepted = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct arena arena;
        arena_init(&arena, 0);
        struct byte_buffer bytes = {.arena = &arena};
        struct profile p;
        CHECK(file_read(path, 1 << 20, &bytes, &error), "%s: %s", path, error.text);
        if (profile_decode(bytes.bytes, bytes.length, &p, &error)) {
            accepted++;
            round_trip(&p, entry->d_name);
            profile_free(&p);
        }
        arena_free(&arena);
    }
    if (dir)
        closedir(dir);
    CHECK(accepted > 0, "no kept file is a profile");
}

/* Lists of every length around the switch between words and single bytes, numbers of all lengths.
 */
static void long_lists(void)
{
    struct profile p;
    profile_init(&p, 0);
    profile_add_sample_type(&p, "t", "u");
    uint32_t list[300];
    for (uint32_t i = 0; i < 40000; i++) {
        struct profile_location l = {.id = i + 1, .address = i, .mapping = PROFILE_NONE};
        profile_add_location(&p, &l, NULL, 0);
    }
    for (uint32_t n = 0; n < 300; n++) {
        for (uint32_t i = 0; i < n; i++)
            list[i] = i % 3 ? (i * 7919 + n) % 40000 : i % 100;
        int64_t value = n % 64 == 63 ? INT64_MIN : (int64_t)1 << (n % 64);
        profile_add_sample(&p, list, n, &value, NULL, 0);
    }
    round_trip(&p, "long lists");
    profile_free(&p);
}

int main(void)
{
    random_profiles();
    kept_files();
    long_lists();
    return check_failures != 0;
}
