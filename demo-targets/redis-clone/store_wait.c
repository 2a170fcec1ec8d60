// Clients that wait for a list. They stand in one line in the order they came; a push serves as
// many as it has values for. Each has an eventfd, so that it can watch its client's socket
// meanwhile.

#include <sys/eventfd.h>

#include "store.h"

#include <string.h>

static struct waiter *first, **end = &first; // guarded by the store's lock

void store_wait(struct waiter *waiter)
{
    waiter->next = NULL;
    waiter->served = false;
    *end = waiter;
    end = &waiter->next;
}

static void unlink_waiter(struct waiter **link)
{
    struct waiter *waiter = *link;
    *link = waiter->next;
    if (!waiter->next)
        end = link;
}

void store_wait_end(struct waiter *waiter)
{
    if (waiter->served)
        return;
    struct waiter **link = &first;
    while (*link != waiter)
        link = &(*link)->next;
    unlink_waiter(link);
}

static bool waits_for(struct waiter *waiter, const struct bytes *key)
{
    for (size_t i = 0; i < waiter->key_count; i++) {
        if (waiter->keys[i].len == key->len &&
            memcmp(waiter->keys[i].data, key->data, key->len) == 0) {
            waiter->key = i;
            return true;
        }
    }
    return false;
}

void store_serve_waiters(struct entry *entry)
{
    struct waiter **link = &first;

    while (*link && entry->list.len > 0) {
        struct waiter *waiter = *link;
        if (!waits_for(waiter, &entry->key)) {
            link = &waiter->next;
            continue;
        }
        store_lpop(&entry->list, &waiter->value);
        waiter->served = true;
        unlink_waiter(link);
        eventfd_write(waiter->event_fd, 1);
    }
    if (entry->list.len == 0)
        store_remove(entry);
}
