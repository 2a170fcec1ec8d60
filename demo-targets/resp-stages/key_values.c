// An open table: slots with hash and pointer, searched one after the other. With a million keys
// nearly every access is a cache miss, so a slot tells by its hash whether the pair is worth a
// look, and growing never looks at pairs.

#include "key_values.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SLOTS 1024 // a power of two, as always

struct pair {
    size_t key_len;
    size_t len, room; // of the value, which is behind the key
    char key[];
};

struct slot {
    uint64_t hash;
    struct pair *pair; // null: free
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots; // this and all below is guarded by the lock
static size_t slot_count;
static size_t pair_count;
static uint64_t seed; // so that a client can't choose keys that meet

// Eight bytes at a time, each step a multiplication whose halves are folded.
static uint64_t hash_of(const char *key, size_t len)
{
    uint64_t hash = seed ^ len;
    for (; len >= 8; key += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, key, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    memcpy(&rest, key, len);
    hash = (hash ^ rest) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

// The slot of the key, or the free one where it would go.
static struct slot *find(const char *key, size_t key_len, uint64_t hash)
{
    size_t at = hash & (slot_count - 1);
    while (slots[at].pair && !(slots[at].hash == hash && slots[at].pair->key_len == key_len &&
                               memcmp(slots[at].pair->key, key, key_len) == 0))
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static void resize(size_t count)
{
    struct slot *old = slots;
    size_t old_count = slot_count;

    slots = calloc(count, sizeof *slots);
    if (!slots)
        no_memory(count * sizeof *slots);
    slot_count = count;
    for (size_t i = 0; i < old_count; i++) {
        if (!old[i].pair)
            continue;
        size_t at = old[i].hash & (count - 1);
        while (slots[at].pair)
            at = (at + 1) & (count - 1);
        slots[at] = old[i];
    }
    free(old);
}

static void lock_table(void)
{
    pthread_mutex_lock(&lock);
    if (!slots) {
        if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
            seed = (uintptr_t)&seed;
        resize(FIRST_SLOTS);
    }
}

static char *value_of(struct pair *pair)
{
    return pair->key + pair->key_len;
}

static struct pair *new_pair(const char *key, size_t key_len, size_t len)
{
    struct pair *pair = malloc(sizeof *pair + key_len + len);
    if (!pair)
        no_memory(sizeof *pair + key_len + len);
    pair->key_len = key_len;
    pair->room = len;
    memcpy(pair->key, key, key_len);
    return pair;
}

void key_values_expect(const struct argument *const *keys, size_t count)
{
    uint64_t hashes[BATCH];

    lock_table();
    for (size_t i = 0; i < count; i++) {
        hashes[i] = hash_of(keys[i]->data, keys[i]->len);
        __builtin_prefetch(&slots[hashes[i] & (slot_count - 1)]);
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = hashes[i] & (slot_count - 1);
        while (slots[at].pair && slots[at].hash != hashes[i])
            at = (at + 1) & (slot_count - 1);
        __builtin_prefetch(slots[at].pair, 1);
    }
    pthread_mutex_unlock(&lock);
}

void key_values_set(const char *key, size_t key_len, const char *value, size_t len)
{
    lock_table();
    uint64_t hash = hash_of(key, key_len);
    struct slot *slot = find(key, key_len, hash);
    struct pair *pair = slot->pair;
    if (!pair && 4 * (pair_count + 1) > 3 * slot_count) {
        resize(slot_count * 2);
        slot = find(key, key_len, hash);
    }
    // The old room is kept when most of it is used.
    if (!pair || len > pair->room || len < pair->room / 2) {
        pair_count += !pair;
        free(pair);
        pair = new_pair(key, key_len, len);
        *slot = (struct slot){.hash = hash, .pair = pair};
    }
    memcpy(value_of(pair), value, len);
    pair->len = len;
    pthread_mutex_unlock(&lock);
}

void key_values_get(const char *key, size_t key_len,
                    void (*found)(void *to, const char *value, size_t len), void *to)
{
    lock_table();
    struct pair *pair = find(key, key_len, hash_of(key, key_len))->pair;
    found(to, pair ? value_of(pair) : NULL, pair ? pair->len : 0);
    pthread_mutex_unlock(&lock);
}

// Closes the gap, so that no search ends at it too early: moves up each later one that may lie
// here.
static void close_gap(size_t gap)
{
    size_t mask = slot_count - 1;

    for (size_t at = (gap + 1) & mask; slots[at].pair; at = (at + 1) & mask) {
        size_t home = slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            slots[gap] = slots[at];
            gap = at;
        }
    }
    slots[gap].pair = NULL;
}

bool key_values_remove(const char *key, size_t key_len)
{
    lock_table();
    struct slot *slot = find(key, key_len, hash_of(key, key_len));
    struct pair *pair = slot->pair;
    if (pair) {
        close_gap((size_t)(slot - slots));
        pair_count--;
    }
    pthread_mutex_unlock(&lock);
    free(pair);
    return pair != NULL;
}
