/* target: link=proto cflags=-Iproto libs=-lm */
/* exact_compare PROFILE COUNTS - sums a profile's samples by their first frame named site_*, and
 * compares all four values with what the program counted, line by line. Exit status 1 if any
 * differs. Prints also how much of alloc_space is nobody's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "profile_codec.h"

static const char *site_of(const struct profile *p, const struct profile_sample *sample)
{
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        const struct profile_location *l =
            &p->locations[p->sample_locations[sample->first_location + i]];
        for (uint32_t k = 0; k < l->n_lines; k++) {
            const char *name =
                profile_text(p, p->functions[p->lines[l->first_line + k].function].name);
            if (strncmp(name, "site_", 5) == 0)
                return name;
        }
    }
    return "";
}

int main(int argc, char **argv)
{
    struct profile_error error;
    struct profile profile;
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    if (argc != 3 || !file_read(argv[1], 1 << 30, &bytes, &error) ||
        !profile_decode(bytes.bytes, bytes.length, &profile, &error)) {
        printf("%s: %s\n", argv[1], error.text);
        return 2;
    }
    FILE *counts = fopen(argv[2], "r");
    if (counts == NULL || profile.n_sample_types != 4)
        return 2;
    char name[64];
    long long want[4];
    int bad = 0, lines = 0;
    while (fscanf(counts, "%63s %lld %lld %lld %lld", name, &want[0], &want[1], &want[2],
                  &want[3]) == 5) {
        long long got[4] = {0};
        for (uint32_t i = 0; i < profile.n_samples; i++)
            if (strcmp(site_of(&profile, &profile.samples[i]), name) == 0)
                for (int t = 0; t < 4; t++)
                    got[t] += profile.values[i * 4 + (uint32_t)t];
        int differs = memcmp(got, want, sizeof got) != 0;
        lines++;
        bad += differs;
        printf("%-32s %lld/%lld objects %lld/%lld bytes, in use %lld/%lld %lld/%lld%s\n", name,
               got[0], want[0], got[1], want[1], got[2], want[2], got[3], want[3],
               differs ? "   DIFFERS" : "");
    }
    long long total = 0, nobodys = 0;
    for (uint32_t i = 0; i < profile.n_samples; i++) {
        total += profile.values[i * 4 + 1];
        if (*site_of(&profile, &profile.samples[i]) == '\0')
            nobodys += profile.values[i * 4 + 1];
    }
    printf("alloc_space %lld, outside of the sites %lld\n", total, nobodys);
    for (uint32_t i = 0; i < profile.n_comments; i++)
        printf("%s\n", profile_text(&profile, profile.comments[i]));
    return bad != 0 || lines == 0;
}
