#include "key_values.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "stage_connection.h"

#define FIRST_BUCKETS 1024

struct pair {
    struct pair *next;
    uint64_t hash;
    size_t key_len;
    size_t len, room; // of the value, which is behind the key
    char key[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair **buckets; // this and all below is guarded by the lock
static size_t bucket_count;
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

static void resize(size_t count)
{
    struct pair **grown = calloc(count, sizeof *grown);
    if (!grown)
        no_memory(count * sizeof *grown);
    for (size_t i = 0; i < bucket_count; i++) {
        for (struct pair *pair = buckets[i], *next; pair; pair = next) {
            next = pair->next;
            pair->next = grown[pair->hash & (count - 1)];
            grown[pair->hash & (count - 1)] = pair;
        }
    }
    free(buckets);
    buckets = grown;
    bucket_count = count;
}

// The link that points to the pair, or the one at the end of its chain.
static struct pair **find(const char *key, size_t key_len, uint64_t hash)
{
    struct pair **link = &buckets[hash & (bucket_count - 1)];
    while (*link && !((*link)->hash == hash && (*link)->key_len == key_len &&
                      memcmp((*link)->key, key, key_len) == 0))
        link = &(*link)->next;
    return link;
}

static void lock_table(void)
{
    pthread_mutex_lock(&lock);
    if (!buckets) {
        if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
            seed = (uintptr_t)&seed;
        resize(FIRST_BUCKETS);
    }
}

static char *value_of(struct pair *pair)
{
    return pair->key + pair->key_len;
}

static struct pair *new_pair(const char *key, size_t key_len, uint64_t hash, size_t len)
{
    struct pair *pair = malloc(sizeof *pair + key_len + len);
    if (!pair)
        no_memory(sizeof *pair + key_len + len);
    *pair = (struct pair){.hash = hash, .key_len = key_len, .room = len};
    memcpy(pair->key, key, key_len);
    return pair;
}

void key_values_set(const char *key, size_t key_len, const char *value, size_t len)
{
    lock_table();
    uint64_t hash = hash_of(key, key_len);
    struct pair **link = find(key, key_len, hash), *old = *link;
    // The old room is kept when most of it is used.
    if (!old || len > old->room || len < old->room / 2) {
        if (!old && pair_count++ >= bucket_count) {
            resize(bucket_count * 2);
            link = find(key, key_len, hash);
        }
        struct pair *pair = new_pair(key, key_len, hash, len);
        pair->next = old ? old->next : NULL;
        *link = pair;
        free(old);
    }
    memcpy(value_of(*link), value, len);
    (*link)->len = len;
    pthread_mutex_unlock(&lock);
}

void key_values_get(const char *key, size_t key_len,
                    void (*found)(void *to, const char *value, size_t len), void *to)
{
    lock_table();
    struct pair *pair = *find(key, key_len, hash_of(key, key_len));
    found(to, pair ? value_of(pair) : NULL, pair ? pair->len : 0);
    pthread_mutex_unlock(&lock);
}

bool key_values_remove(const char *key, size_t key_len)
{
    lock_table();
    struct pair **link = find(key, key_len, hash_of(key, key_len));
    struct pair *pair = *link;
    if (pair) {
        *link = pair->next;
        pair_count--;
    }
    pthread_mutex_unlock(&lock);
    free(pair);
    return pair != NULL;
}
