// A connected client, and how its commands are run.
//
// Threads: a client belongs to the thread of its connection; nothing of it is shared.
#ifndef DEMO_CLIENT_H
#define DEMO_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"
#include "resp_request.h"

#define CLIENT_OUT_BYTES (16 * 1024)

struct client {
    int fd;
    bool closing; // after what is in `out`
    struct resp_reader reader;
    struct resp_request request;
    size_t out_len; // replies that wait to be sent in one go
    char out[CLIENT_OUT_BYTES];
};

// Serves one connection to its end; what a connection's thread runs.
void handle_connection(int fd);

// Runs the request that was read and puts its reply to the others. Takes the store's lock
// meanwhile.
void handle_command(struct client *client);

// Takes the reply; sends when there is no more room. A peer that is gone makes the client closing.
void client_reply(struct client *client, struct bytes reply);
void client_flush(struct client *client);

// --- the commands --------------------------------------------------------------------------------
// Each runs with the store locked and returns its reply. The number of arguments has been checked.

typedef struct bytes command_handler(struct client *client, struct bytes *argv, size_t argc);

command_handler handle_set, handle_get, handle_del, handle_exists, handle_incr, handle_incrby,
    handle_ttl;
command_handler handle_lpush, handle_rpush, handle_lpop, handle_rpop, handle_llen, handle_lrange;
command_handler handle_blpop;

// True when the argument is that word, in upper or lower case.
bool is_word(const struct bytes *argument, const char *word);

#endif
