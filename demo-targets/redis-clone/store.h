// What the server holds: keys with a string or a list, perhaps with a time to live.
//
// One lock for all of it: a command runs from store_lock to store_unlock, and every function here
// but those two wants it held. Entries and lists are pointers into the store, valid while it is
// locked. Values are moved in, never copied: what is stored is the memory that the request was read
// into. Times are milliseconds of the monotonic clock.
#ifndef DEMO_STORE_H
#define DEMO_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

// Elements are items[head] to items[head + len - 1].
struct list {
    struct bytes *items;
    size_t head, len, room;
};

enum value_type { VALUE_STRING, VALUE_LIST };

struct entry {
    struct entry *next;
    struct bytes key;
    uint64_t hash;
    int64_t expires_ms; // 0: never
    enum value_type type;
    union {
        struct bytes string;
        struct list list;
    };
};

void store_lock(void);
void store_unlock(void);

int64_t store_now_ms(void);

// Null when there is none, or it has just run out.
struct entry *store_find(const struct bytes *key);

// Adds an empty value under a key that is not there. Takes the key's memory and nulls the pointer.
struct entry *store_add(struct bytes *key, enum value_type type);

void store_remove(struct entry *entry);
void store_clear(void);
size_t store_size(void);

// Replaces the value by a string, whose memory it takes.
void store_set_string(struct entry *entry, struct bytes *value);
void store_set_expiry(struct entry *entry, int64_t expires_ms);

// Drops some of what has run out; called now and then so that unread keys go too. Locks by itself.
void store_expire_some(void);

// Pushing takes the values' memory and nulls their pointers. With several values the last one ends
// up outermost, as in Redis.
void store_lpush(struct list *list, struct bytes *values, size_t count);
void store_rpush(struct list *list, struct bytes *values, size_t count);

// Popping gives the memory to the caller. False when the list is empty.
bool store_lpop(struct list *list, struct bytes *value);
bool store_rpop(struct list *list, struct bytes *value);
void list_free(struct list *list);

// --- clients that wait for a list (BLPOP)
// ------------------------------------------------------------

struct waiter {
    struct waiter *next;
    const struct bytes *keys; // the first of these to get a value
    size_t key_count;
    int event_fd; // becomes readable when served
    bool served;
    size_t key; // index of the key that it was served from
    struct bytes value;
};

void store_wait(struct waiter *waiter);
void store_wait_end(struct waiter *waiter); // no effect on one that was served

// Gives the list's values to those who wait for them, the longest waiting first. Removes the entry
// when nothing is left of it.
void store_serve_waiters(struct entry *entry);

#endif
