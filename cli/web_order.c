/* web_order.c - see web_order.h.
 *
 * Multikey quicksort (Bentley and Sedgewick): samples are parted by one location, and what has the
 * same one goes on with the next. The location that is looked at is kept beside the sample's
 * number. */
#include "web_order.h"

#include "memory.h"

#include <stdlib.h>

struct keyed {
    uint32_t sample,
        key; /* key: the rank of the location at this depth, from 1; 0: the stack ends */
};

struct sorter {
    const struct profile *profile;
    const uint32_t *ranks; /* by location */
    uint64_t random;
};

struct ranked {
    const uint32_t *frames;
    uint32_t n, location;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        uint32_t x = FRAME_INFO(a->frames[i]), y = FRAME_INFO(b->frames[i]);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return (a->n > b->n) - (a->n < b->n);
}

/* Locations with the same frames get the same rank; those with the same first ones lie together. */
static uint32_t *rank_locations(const struct profile *profile, const struct frame_table *lines)
{
    struct ranked *list = memory_array(profile->n_locations, sizeof *list);
    uint32_t *ranks = memory_array(profile->n_locations, sizeof *ranks);
    for (uint32_t l = 0; l < profile->n_locations; l++) {
        list[l] = (struct ranked){lines->frames + lines->first[l],
                                  lines->first[l + 1] - lines->first[l], l};
    }
    if (profile->n_locations) {
        qsort(list, profile->n_locations, sizeof *list, compare_ranked);
    }
    for (uint32_t i = 0, rank = 0; i < profile->n_locations; i++) {
        rank += i == 0 || compare_ranked(&list[i - 1], &list[i]) != 0;
        ranks[list[i].location] = rank;
    }
    free(list);
    return ranks;
}

static void read_keys(const struct sorter *s, struct keyed *list, size_t n, uint32_t depth)
{
    for (size_t i = 0; i < n; i++) {
        const struct profile_sample *sample = &s->profile->samples[list[i].sample];
        list[i].key = depth >= sample->n_locations
                          ? 0
                          : s->ranks[s->profile->sample_locations[sample->first_location +
                                                                  sample->n_locations - 1 - depth]];
    }
}

static void swap(struct keyed *a, struct keyed *b)
{
    struct keyed kept = *a;
    *a = *b;
    *b = kept;
}

/* Parts of the list: [0, low) below the pivot, [low, high) equal to it, [high, n) above. */
static void part(struct sorter *s, struct keyed *list, size_t n, size_t *low, size_t *high)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    uint32_t pivot = list[(size_t)((s->random >> 33) % n)].key;
    *low = 0;
    *high = n;
    for (size_t at = 0; at < *high;) {
        if (list[at].key < pivot) {
            swap(&list[at++], &list[(*low)++]);
        } else if (list[at].key > pivot) {
            swap(&list[at], &list[--*high]);
        } else {
            at++;
        }
    }
}

/* Recursion takes the two smaller parts, so that it is never deeper than log2(n). */
static void sort(struct sorter *s, struct keyed *list, size_t n, uint32_t depth)
{
    while (n > 1) {
        size_t low, high;
        part(s, list, n, &low, &high);
        struct {
            struct keyed *list;
            size_t n;
            bool deeper;
        } parts[3] = {
            {list, low, false}, {list + low, high - low, true}, {list + high, n - high, false}};
        bool ended = list[low].key == 0;
        int largest = parts[1].n > parts[0].n ? 1 : 0;
        largest = parts[2].n > parts[largest].n ? 2 : largest;
        if (!ended) {
            read_keys(s, parts[1].list, parts[1].n, depth + 1);
        }
        for (int p = 0; p < 3; p++) {
            if (p != largest && !(ended && parts[p].deeper)) {
                sort(s, parts[p].list, parts[p].n, depth + parts[p].deeper);
            }
        }
        if (ended && parts[largest].deeper) {
            return;
        }
        list = parts[largest].list;
        n = parts[largest].n;
        depth += parts[largest].deeper;
    }
}

uint32_t *web_order(const struct profile *profile, const struct frame_table *lines)
{
    uint32_t *ranks = rank_locations(profile, lines), n = profile->n_samples;
    struct sorter sorter = {profile, ranks, 1};
    struct keyed *list = memory_array(n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        list[i].sample = i;
    }
    read_keys(&sorter, list, n, 0);
    sort(&sorter, list, n, 0);
    uint32_t *order = memory_array(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = list[i].sample;
    }
    free(list);
    free(ranks);
    return order;
}
