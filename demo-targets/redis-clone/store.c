// The key table: a chained hash table that doubles, keys with an optional time to live.
// Lists are in store_list.c and store_lpush_*.c, waiting clients in store_wait.c.

#include "store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_BUCKETS       1024
#define BUCKETS_PER_CLEANUP 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry **buckets; // this and all below is guarded by the lock
static size_t bucket_count;
static size_t entry_count;
static size_t expiring_count;
static size_t cleanup_at;
static uint64_t hash_seed;

void out_of_memory(size_t wanted)
{
    fprintf(stderr, "redis-clone: out of memory: %zu bytes\n", wanted);
    abort();
}

void store_lock(void)
{
    pthread_mutex_lock(&lock);
}

void store_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int64_t store_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// FNV-1a from a random start, so that a client can't choose keys that meet.
static uint64_t hash_of(const struct bytes *key)
{
    uint64_t hash = hash_seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < key->len; i++)
        hash = (hash ^ (unsigned char)key->data[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static void resize(size_t count)
{
    struct entry **grown = calloc(count, sizeof *grown);
    if (!grown)
        out_of_memory(count * sizeof *grown);
    for (size_t i = 0; i < bucket_count; i++) {
        for (struct entry *entry = buckets[i], *next; entry; entry = next) {
            next = entry->next;
            entry->next = grown[entry->hash & (count - 1)];
            grown[entry->hash & (count - 1)] = entry;
        }
    }
    free(buckets);
    buckets = grown;
    bucket_count = count;
}

static void free_value(struct entry *entry)
{
    if (entry->type == VALUE_LIST)
        list_free(&entry->list);
    else
        free(entry->string.data);
}

void store_remove(struct entry *entry)
{
    struct entry **link = &buckets[entry->hash & (bucket_count - 1)];
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    entry_count--;
    expiring_count -= entry->expires_ms != 0;
    free_value(entry);
    free(entry->key.data);
    free(entry);
}

struct entry *store_find(const struct bytes *key)
{
    if (bucket_count == 0)
        return NULL;
    uint64_t hash = hash_of(key);
    struct entry *entry = buckets[hash & (bucket_count - 1)];
    while (entry && !(entry->hash == hash && entry->key.len == key->len &&
                      memcmp(entry->key.data, key->data, key->len) == 0))
        entry = entry->next;
    if (entry && entry->expires_ms && entry->expires_ms <= store_now_ms()) {
        store_remove(entry);
        return NULL;
    }
    return entry;
}

struct entry *store_add(struct bytes *key, enum value_type type)
{
    if (bucket_count == 0 && getrandom(&hash_seed, sizeof hash_seed, GRND_NONBLOCK) < 0)
        hash_seed = (uint64_t)store_now_ms();
    if (entry_count >= bucket_count)
        resize(bucket_count ? bucket_count * 2 : FIRST_BUCKETS);
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        out_of_memory(sizeof *entry);
    entry->key = *key;
    key->data = NULL;
    entry->hash = hash_of(&entry->key);
    entry->type = type;
    entry->next = buckets[entry->hash & (bucket_count - 1)];
    buckets[entry->hash & (bucket_count - 1)] = entry;
    entry_count++;
    return entry;
}

void store_set_string(struct entry *entry, struct bytes *value)
{
    free_value(entry);
    entry->type = VALUE_STRING;
    entry->string = *value;
    value->data = NULL;
}

void store_set_expiry(struct entry *entry, int64_t expires_ms)
{
    expiring_count -= entry->expires_ms != 0;
    expiring_count += expires_ms != 0;
    entry->expires_ms = expires_ms;
}

size_t store_size(void)
{
    return entry_count;
}

void store_clear(void)
{
    for (size_t i = 0; i < bucket_count; i++)
        while (buckets[i])
            store_remove(buckets[i]);
}

void store_expire_some(void)
{
    store_lock();
    int64_t now = store_now_ms();
    for (size_t i = 0; i < BUCKETS_PER_CLEANUP && i < bucket_count && expiring_count > 0; i++) {
        cleanup_at = (cleanup_at + 1) & (bucket_count - 1);
        for (struct entry *entry = buckets[cleanup_at], *next; entry; entry = next) {
            next = entry->next;
            if (entry->expires_ms && entry->expires_ms <= now)
                store_remove(entry);
        }
    }
    store_unlock();
}
