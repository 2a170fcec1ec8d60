// Commands on keys and strings.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "resp_reply.h"
#include "store.h"

// Reads the time of EX or PX and makes it a moment of the store's clock.
static bool read_expiry(const struct bytes *text, long long unit_ms, int64_t *expires_ms)
{
    long long count;
    int64_t now = store_now_ms();

    if (resp_parse_integer(text->data, text->len, &count) < 0 || count <= 0 ||
        count > (LLONG_MAX - now) / unit_ms)
        return false;
    *expires_ms = now + count * unit_ms;
    return true;
}

struct bytes handle_set(struct client *client, struct bytes *argv, size_t argc)
{
    int64_t expires_ms = 0;
    bool only_new = false, only_old = false;

    (void)client;
    for (size_t i = 3; i < argc; i++) {
        bool seconds = is_word(&argv[i], "ex");
        if ((seconds || is_word(&argv[i], "px")) && i + 1 < argc && !expires_ms) {
            long long number;
            i++;
            if (resp_parse_integer(argv[i].data, argv[i].len, &number) < 0)
                return resp_error("ERR value is not an integer or out of range");
            if (!read_expiry(&argv[i], seconds ? 1000 : 1, &expires_ms))
                return resp_error("ERR invalid expire time in 'set' command");
        } else if (is_word(&argv[i], "nx") && !only_old) {
            only_new = true;
        } else if (is_word(&argv[i], "xx") && !only_new) {
            only_old = true;
        } else {
            return resp_error("ERR syntax error");
        }
    }

    struct entry *entry = store_find(&argv[1]);
    if (entry ? only_new : only_old)
        return resp_nil();
    if (!entry)
        entry = store_add(&argv[1], VALUE_STRING);
    store_set_string(entry, &argv[2]);
    store_set_expiry(entry, expires_ms);
    return resp_simple("OK");
}

struct bytes handle_get(struct client *client, struct bytes *argv, size_t argc)
{
    struct entry *entry = store_find(&argv[1]);

    (void)client, (void)argc;
    if (!entry)
        return resp_nil();
    if (entry->type != VALUE_STRING)
        return resp_wrong_type();
    return resp_bulk_string(entry->string.data, entry->string.len);
}

struct bytes handle_del(struct client *client, struct bytes *argv, size_t argc)
{
    long long removed = 0;

    (void)client;
    for (size_t i = 1; i < argc; i++) {
        struct entry *entry = store_find(&argv[i]);
        if (!entry)
            continue;
        store_remove(entry);
        removed++;
    }
    return resp_integer(removed);
}

struct bytes handle_exists(struct client *client, struct bytes *argv, size_t argc)
{
    long long found = 0;

    (void)client;
    for (size_t i = 1; i < argc; i++)
        found += store_find(&argv[i]) != NULL;
    return resp_integer(found);
}

static struct bytes add_to(struct bytes *key, long long change)
{
    struct entry *entry = store_find(key);
    long long number = 0;
    char text[24];

    if (entry && entry->type != VALUE_STRING)
        return resp_wrong_type();
    if (entry && resp_parse_integer(entry->string.data, entry->string.len, &number) < 0)
        return resp_error("ERR value is not an integer or out of range");
    if (__builtin_add_overflow(number, change, &number))
        return resp_error("ERR increment or decrement would overflow");

    int len = snprintf(text, sizeof text, "%lld", number);
    struct bytes value = {.data = malloc((size_t)len), .len = (size_t)len};
    if (!value.data)
        out_of_memory(value.len);
    memcpy(value.data, text, value.len);
    if (!entry)
        entry = store_add(key, VALUE_STRING);
    store_set_string(entry, &value);
    return resp_integer(number);
}

struct bytes handle_incr(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client, (void)argc;
    return add_to(&argv[1], 1);
}

// What python's client sends for incr.
struct bytes handle_incrby(struct client *client, struct bytes *argv, size_t argc)
{
    long long change;

    (void)client, (void)argc;
    if (resp_parse_integer(argv[2].data, argv[2].len, &change) < 0)
        return resp_error("ERR value is not an integer or out of range");
    return add_to(&argv[1], change);
}

// TTL and PTTL.
struct bytes handle_ttl(struct client *client, struct bytes *argv, size_t argc)
{
    struct entry *entry = store_find(&argv[1]);

    (void)client, (void)argc;
    if (!entry)
        return resp_integer(-2);
    if (!entry->expires_ms)
        return resp_integer(-1);
    long long left = entry->expires_ms - store_now_ms();
    return resp_integer(is_word(&argv[0], "ttl") ? (left + 500) / 1000 : left);
}
