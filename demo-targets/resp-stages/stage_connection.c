// A connection in all stages: the bytes that come and go, and the requests in between. Who calls it
// and when is in stage_loop.c.

#include "stage_connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/tcp_server.h"

#define FIRST_PIECE (64 * 1024) // of a long bulk string

void no_memory(size_t wanted)
{
    fprintf(stderr, "%s: out of memory: %zu bytes\n", program_invocation_short_name, wanted);
    abort();
}

// --- sending
// -----------------------------------------------------------------------------------------

// Sends what it can. Returns how much that was; less than all when the peer has gone or is slow.
static size_t send_some(struct connection *connection, const char *data, size_t len)
{
    size_t done = 0;

    while (done < len && !connection->gone && !connection->stuck) {
        ssize_t part = send(connection->fd, data + done, len - done,
                            MSG_NOSIGNAL | (connection->in_loop ? MSG_DONTWAIT : 0));
        if (part >= 0)
            done += (size_t)part;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            connection->stuck = true;
        else if (errno != EINTR)
            connection->gone = connection->closing = true;
    }
    return done;
}

void flush_replies(struct connection *connection)
{
    if (connection->fd >= 0) {
        size_t sent = send_some(connection, connection->out, connection->out_len);
        connection->long_reply_sent +=
            send_some(connection, connection->long_reply + connection->long_reply_sent,
                      connection->long_reply_len - connection->long_reply_sent);
        if (connection->stuck) {
            memmove(connection->out, connection->out + sent, connection->out_len - sent);
            connection->out_len -= sent;
            return;
        }
    }
    connection->out_len = 0;
    free(connection->long_reply);
    connection->long_reply = NULL;
    connection->long_reply_len = connection->long_reply_sent = 0;
}

void put_reply(struct connection *connection, const char *data, size_t len)
{
    size_t room = connection->long_reply ? 0 : sizeof connection->out - connection->out_len;

    if (len <= room) {
        memcpy(connection->out + connection->out_len, data, len);
        connection->out_len += len;
        return;
    }
    char *longer = realloc(connection->long_reply, connection->long_reply_len + len);
    if (!longer)
        no_memory(connection->long_reply_len + len);
    memcpy(longer + connection->long_reply_len, data, len);
    connection->long_reply = longer;
    connection->long_reply_len += len;
}

// --- reading
// -----------------------------------------------------------------------------------------

static ssize_t read_some(struct connection *connection, char *into, size_t room)
{
    ssize_t got;

    flush_replies(connection); // the peer may be waiting for them before it sends more
    if (connection->gone)
        return 0;
    do
        got = connection->fd < 0 ? read(-1 - connection->fd, into, room)
                                 : recv(connection->fd, into, room, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

bool refill(struct connection *connection)
{
    if (connection->in_loop) {
        connection->starved = true;
        return false;
    }
    ssize_t got = read_some(connection, connection->read, sizeof connection->read);

    connection->start = 0;
    connection->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

bool read_exactly(struct connection *connection, char *into, size_t len)
{
    while (len > 0) {
        size_t here = connection->end - connection->start;
        if (here == 0 && len >= sizeof connection->read && !connection->in_loop) {
            ssize_t got = read_some(connection, into, len);
            if (got <= 0)
                return false;
            into += got;
            len -= (size_t)got;
            continue;
        }
        if (here == 0 && !refill(connection))
            return false;
        here = connection->end - connection->start;
        size_t part = here < len ? here : len;
        memcpy(into, connection->read + connection->start, part);
        connection->start += part;
        into += part;
        len -= part;
    }
    return true;
}

char *read_owned_bulk(struct connection *connection, size_t len)
{
    size_t have = 0, room = len < FIRST_PIECE ? len : FIRST_PIECE;
    char *data = malloc(room ? room : 1);

    if (!data)
        no_memory(room);
    while (read_exactly(connection, data + have, room - have)) {
        have = room;
        if (have == len)
            return data;
        room = room * 2 < len ? room * 2 : len;
        char *longer = realloc(data, room);
        if (!longer)
            no_memory(room);
        data = longer;
    }
    free(data);
    return NULL;
}

enum read_status protocol_error(struct connection *connection, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(connection->error, sizeof connection->error, format, arguments);
    va_end(arguments);
    return READ_ERROR;
}

bool parse_length(const char *text, size_t len, long long max, long long *value)
{
    long long sum = 0;

    if (len == 0 || (text[0] == '0' && len > 1))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || sum > max)
            return false;
        sum = sum * 10 + (text[i] - '0');
    }
    *value = sum;
    return sum <= max;
}

// --- the loop
// ----------------------------------------------------------------------------------------

// Reads the requests that are there, one at least. Who may wait for the rest of a request reads one
// only: those before it must not wait with it.
static void read_batch(struct connection *connection)
{
    size_t most = connection->in_loop ? BATCH : 1, count = 0;

    do {
        size_t request_start = connection->start;
        connection->command = &connection->batch[count];
        connection->request_bytes = 0;
        connection->after_batch = read_request(connection);
        if (connection->after_batch == READ_OK) {
            count++;
            continue;
        }
        release_command(connection);
        if (connection->starved) {
            connection->start = request_start; // to be read again when there is more of it
            connection->after_batch = READ_OK;
        }
        break;
    } while (count < most && connection->start < connection->end &&
             connection->shared_used <= SHORT_BULK);
    connection->batch_next = 0;
    connection->batch_count = count;
    if (count > 1)
        expect_commands(connection->batch, count);
}

static void run_next(struct connection *connection)
{
    connection->command = &connection->batch[connection->batch_next++];
    if (connection->command->argc > 0)
        run_command(connection);
    release_command(connection);
}

// What comes of a request that could not be read, after those before it have been run.
static void end_requests(struct connection *connection)
{
    connection->closing = true;
    if (connection->after_batch == READ_ERROR) {
        char line[sizeof connection->error + 8];
        snprintf(line, sizeof line, "-ERR %s", connection->error);
        answer_line(connection, line);
    }
}

void serve_requests(struct connection *connection)
{
    while (!connection->closing && !connection->stuck) {
        if (sizeof connection->out - connection->out_len < SHORT_REPLY || connection->long_reply)
            flush_replies(connection);
        else if (connection->batch_next < connection->batch_count)
            run_next(connection);
        else if (connection->after_batch != READ_OK)
            end_requests(connection);
        else if (connection->starved)
            return;
        else if (connection->start < connection->end)
            read_batch(connection);
        else if (!refill(connection))
            return; // between two requests
    }
}

struct connection *open_connection(int fd)
{
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        no_memory(sizeof *connection);
    connection->fd = fd;
    return connection;
}

void close_connection(struct connection *connection)
{
    flush_replies(connection);
    for (; connection->batch_next < connection->batch_count; connection->batch_next++) {
        connection->command = &connection->batch[connection->batch_next];
        release_command(connection);
    }
    free(connection->spanning);
    free(connection->shared);
    free(connection);
}

int replay_requests(int fd)
{
    struct connection *connection = open_connection(-1 - fd);

    serve_requests(connection);
    int failed = connection->closing;
    close_connection(connection);
    return failed ? -1 : 0;
}
