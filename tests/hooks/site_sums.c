/* target: link=proto cflags=-Iproto libs=-lm */
/* site_sums PROFILE FUNCTION - for the samples that have FUNCTION on their stack, one line each for
 * those without and with the label `inherited`: "no|yes ALLOC_OBJECTS INUSE_OBJECTS". */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "profile_codec.h"

static bool has(const struct profile *p, const struct profile_sample *sample, const char *function)
{
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        const struct profile_location *l =
            &p->locations[p->sample_locations[sample->first_location + i]];
        for (uint32_t k = 0; k < l->n_lines; k++)
            if (strcmp(profile_text(p, p->functions[p->lines[l->first_line + k].function].name),
                       function) == 0)
                return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct profile_error error;
    struct profile p;
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    if (argc != 3 || !file_read(argv[1], 1 << 30, &bytes, &error) ||
        !profile_decode(bytes.bytes, bytes.length, &p, &error)) {
        printf("%s\n", error.text);
        return 2;
    }
    long long sums[2][2] = {{0}};
    for (uint32_t i = 0; i < p.n_samples; i++) {
        if (!has(&p, &p.samples[i], argv[2]))
            continue;
        bool inherited = false;
        for (uint32_t k = 0; k < p.samples[i].n_labels; k++)
            inherited |= strcmp(profile_text(&p, p.labels[p.samples[i].first_label + k].key),
                                "inherited") == 0;
        sums[inherited][0] += p.values[i * 4];
        sums[inherited][1] += p.values[i * 4 + 2];
    }
    printf("no %lld %lld\nyes %lld %lld\n", sums[0][0], sums[0][1], sums[1][0], sums[1][1]);
    return 0;
}
