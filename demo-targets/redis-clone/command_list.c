// Commands on lists. An empty list is no list: its key goes with its last value.

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client.h"
#include "resp_reply.h"
#include "store.h"

#define LONGEST_POLL_MS (60 * 1000)

struct bytes handle_lpush(struct client *client, struct bytes *argv, size_t argc)
{
    struct entry *entry = store_find(&argv[1]);

    (void)client;
    if (entry && entry->type != VALUE_LIST)
        return resp_wrong_type();
    if (!entry)
        entry = store_add(&argv[1], VALUE_LIST);
    store_lpush(&entry->list, argv + 2, argc - 2);
    size_t len = entry->list.len;
    store_serve_waiters(entry);
    return resp_integer((long long)len);
}

struct bytes handle_rpush(struct client *client, struct bytes *argv, size_t argc)
{
    struct entry *entry = store_find(&argv[1]);

    (void)client;
    if (entry && entry->type != VALUE_LIST)
        return resp_wrong_type();
    if (!entry)
        entry = store_add(&argv[1], VALUE_LIST);
    store_rpush(&entry->list, argv + 2, argc - 2);
    size_t len = entry->list.len;
    store_serve_waiters(entry);
    return resp_integer((long long)len);
}

static struct bytes reply_and_free(struct bytes value)
{
    struct bytes reply = resp_bulk_string(value.data, value.len);
    free(value.data);
    return reply;
}

// LPOP and RPOP key [count].
static struct bytes pop(struct bytes *argv, size_t argc,
                        bool (*take)(struct list *, struct bytes *))
{
    long long count = 1;
    struct bytes value;

    if (argc > 3)
        return resp_error("ERR wrong number of arguments for '%.4s' command",
                          take == store_lpop ? "lpop" : "rpop");
    if (argc == 3 && (resp_parse_integer(argv[2].data, argv[2].len, &count) < 0 || count < 0))
        return resp_error("ERR value is out of range, must be positive");
    struct entry *entry = store_find(&argv[1]);
    if (!entry)
        return argc == 3 ? resp_nil_array() : resp_nil();
    if (entry->type != VALUE_LIST)
        return resp_wrong_type();

    struct bytes reply;
    if (argc < 3) {
        take(&entry->list, &value);
        reply = reply_and_free(value);
    } else {
        size_t len = entry->list.len;
        size_t taken = (unsigned long long)count < len ? (size_t)count : len;
        struct bytes *items = malloc((taken + 1) * sizeof *items);
        if (!items)
            out_of_memory((taken + 1) * sizeof *items);
        for (size_t i = 0; i < taken && take(&entry->list, &value); i++)
            items[i] = reply_and_free(value);
        reply = resp_array(items, taken);
        free(items);
    }
    if (entry->list.len == 0)
        store_remove(entry);
    return reply;
}

struct bytes handle_lpop(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client;
    return pop(argv, argc, store_lpop);
}

struct bytes handle_rpop(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client;
    return pop(argv, argc, store_rpop);
}

struct bytes handle_llen(struct client *client, struct bytes *argv, size_t argc)
{
    struct entry *entry = store_find(&argv[1]);

    (void)client, (void)argc;
    if (entry && entry->type != VALUE_LIST)
        return resp_wrong_type();
    return resp_integer(entry ? (long long)entry->list.len : 0);
}

struct bytes handle_lrange(struct client *client, struct bytes *argv, size_t argc)
{
    long long first, last;

    (void)client, (void)argc;
    if (resp_parse_integer(argv[2].data, argv[2].len, &first) < 0 ||
        resp_parse_integer(argv[3].data, argv[3].len, &last) < 0)
        return resp_error("ERR value is not an integer or out of range");
    struct entry *entry = store_find(&argv[1]);
    if (entry && entry->type != VALUE_LIST)
        return resp_wrong_type();

    // Counted from the end when negative, then cut to what is there.
    long long len = entry ? (long long)entry->list.len : 0;
    first = first < 0 ? (first < -len ? 0 : first + len) : first;
    last = last < 0 ? last + len : (last < len ? last : len - 1);
    if (first > last || first >= len)
        return resp_array(NULL, 0);

    size_t count = (size_t)(last - first + 1);
    struct bytes *items = malloc(count * sizeof *items);
    if (!items)
        out_of_memory(count * sizeof *items);
    const struct bytes *values = entry->list.items + entry->list.head + first;
    for (size_t i = 0; i < count; i++)
        items[i] = resp_bulk_string(values[i].data, values[i].len);
    struct bytes reply = resp_array(items, count);
    free(items);
    return reply;
}

// --- BLPOP
// -----------------------------------------------------------------------------------------

// Waits until served, the time is over or the client has gone. The store is not locked meanwhile.
static void wait_for_push(struct client *client, const struct waiter *waiter, int64_t until_ms)
{
    struct pollfd ready[2] = {{.fd = waiter->event_fd, .events = POLLIN},
                              {.fd = client->fd, .events = POLLRDHUP}};
    for (;;) {
        int64_t left = until_ms ? until_ms - store_now_ms() : LONGEST_POLL_MS;
        if (left <= 0)
            return;
        int found = poll(ready, 2, (int)(left < LONGEST_POLL_MS ? left : LONGEST_POLL_MS));
        if (found < 0 && errno != EINTR)
            return;
        if (found > 0 && ready[1].revents)
            client->closing = true;
        if (found > 0)
            return;
    }
}

static struct bytes key_and_value(const struct bytes *key, struct bytes value)
{
    struct bytes items[] = {resp_bulk_string(key->data, key->len), reply_and_free(value)};
    return resp_array(items, 2);
}

static struct bytes wait_in_line(struct client *client, struct bytes *keys, size_t key_count,
                                 int64_t until_ms)
{
    struct waiter waiter = {
        .keys = keys, .key_count = key_count, .event_fd = eventfd(0, EFD_CLOEXEC)};
    if (waiter.event_fd < 0)
        return resp_error("ERR can't wait: %s", strerror(errno));

    store_wait(&waiter);
    store_unlock();
    wait_for_push(client, &waiter, until_ms);
    store_lock();
    store_wait_end(&waiter);
    close(waiter.event_fd);
    return waiter.served ? key_and_value(&keys[waiter.key], waiter.value) : resp_nil_array();
}

struct bytes handle_blpop(struct client *client, struct bytes *argv, size_t argc)
{
    struct bytes *keys = argv + 1;
    size_t key_count = argc - 2;
    char text[64], *end;

    snprintf(text, sizeof text, "%.*s", (int)(argv[argc - 1].len < 63 ? argv[argc - 1].len : 63),
             argv[argc - 1].data);
    double seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(seconds) || seconds > (double)(LLONG_MAX / 2000))
        return resp_error("ERR timeout is not a float or out of range");
    if (seconds < 0)
        return resp_error("ERR timeout is negative");
    int64_t until_ms = seconds > 0 ? store_now_ms() + (int64_t)(seconds * 1000 + 0.999) : 0;

    // What came before must not wait with us; it may block too, so not under the lock.
    store_unlock();
    client_flush(client);
    store_lock();

    for (size_t i = 0; i < key_count; i++) {
        struct entry *entry = store_find(&keys[i]);
        if (entry && entry->type != VALUE_LIST)
            return resp_wrong_type();
        if (!entry)
            continue;
        struct bytes value;
        store_lpop(&entry->list, &value);
        if (entry->list.len == 0)
            store_remove(entry);
        return key_and_value(&keys[i], value);
    }
    return wait_in_line(client, keys, key_count, until_ms);
}
