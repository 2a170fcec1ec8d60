// What all stages share: a connection with its reader, its replies and its command, and the pieces
// that the stages swap. Each piece is one function or a few, declared here and found in one of the
// files named beside it; demo.mk says which stage is made of which.
//
// Threads: a connection belongs to one thread at a time. Ownership is said at each piece.
#ifndef DEMO_STAGE_CONNECTION_H
#define DEMO_STAGE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define READ_BYTES    (16 * 1024)
#define OUT_BYTES     (32 * 1024)
#define SHORT_REPLY   (8 * 1024) // room there always is for the next reply
#define SHORT_BULK    4096       // up to here a bulk string goes to the shared buffer
#define SLOTS         8          // arguments that need no array of their own
#define SHARED_BYTES  ((SLOTS + 1) * SHORT_BULK) // a whole request fits in behind SHORT_BULK
#define BATCH         16 // requests that are read before the first of them is run
#define MAX_LINE      (64 * 1024)
#define MAX_BULK      (512LL * 1024 * 1024)
#define MAX_ARGUMENTS (1024 * 1024)
#define MAX_REQUEST   (1024ULL * 1024 * 1024)

struct argument {
    char *data;
    size_t len;
};

// A request, ready to be run. Who owns the memory is the affair of the piece that reads requests.
struct command {
    struct argument *argv;
    size_t argc;
    char **words;        // the arguments as strings, for the log; null from stage 4 on
    struct argument raw; // the request as it came, for the append-only file; empty from stage 4 on
    struct argument slots[SLOTS]; // argv of most requests (stage 6 on)
};

enum read_status { READ_OK, READ_END, READ_ERROR };

struct connection {
    int fd;        // negative: a file to read from and nobody to answer, see replay_requests
    bool closing;  // no more requests
    bool gone;     // and no more replies either
    bool in_loop;  // must not wait: see stage_loop.c
    bool starved;  // in the loop: more bytes were wanted than have come
    bool stuck;    // in the loop: the peer does not take its replies
    char peer[64]; // for the log, as is the next
    unsigned long requests; // so far

    // Unread bytes are read[start] to read[end - 1].
    size_t start, end;
    char *spanning; // a line that spans two fills (stage 1 on)
    size_t spanning_room;

    // Requests that have been read and wait to be run are batch[batch_next] to
    // batch[batch_count - 1].
    struct command batch[BATCH];
    size_t batch_next, batch_count;
    enum read_status after_batch; // what came of the request behind them
    struct command *command;      // the one that is read or run just now
    size_t request_bytes;         // of all its arguments so far
    char *shared;                 // short bulk strings of the batch (stage 5 on)
    size_t shared_used;           // of SHARED_BYTES

    size_t out_len;
    char *long_reply; // what did not fit, sent behind what is in out
    size_t long_reply_len, long_reply_sent;
    char error[96]; // of the protocol, without "-ERR "

    char read[READ_BYTES];
    char out[OUT_BYTES];
};

// Takes a socket that has just been accepted and serves it to its end (stage_loop.c).
void take_connection(int fd);

// Runs requests from a file without answering, to load what an append-only file holds. Returns -1
// when it does not end with a whole request.
int replay_requests(int fd);

_Noreturn void no_memory(size_t wanted);

// --- a connection's life (stage_connection.c)
// ------------------------------------------------------
struct connection *open_connection(int fd);
void close_connection(struct connection *connection); // not the socket

// Runs requests until the peer has gone or is to be sent away; in the loop, also until it is
// starved or stuck.
void serve_requests(struct connection *connection);
void flush_replies(struct connection *connection);

// --- reading bytes (stage_connection.c)
// ------------------------------------------------------------
bool refill(struct connection *connection); // false when the peer has gone
bool read_exactly(struct connection *connection, char *into, size_t len);
// Reads a bulk string into memory that is then the caller's; it grows with what arrives. Null when
// the peer has gone.
char *read_owned_bulk(struct connection *connection, size_t len);
enum read_status protocol_error(struct connection *connection, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The number behind a type byte, from 0 to max. False when it is none.
bool parse_length(const char *text, size_t len, long long max, long long *value);

// --- a line: line_growing.c, line_slice.c
// ---------------------------------------------------------- Reads a line without its end. It is
// valid until release_line, or the next read.
enum read_status read_line(struct connection *connection, char **line, size_t *len);
void release_line(char *line);

// --- a request: request_tree.c, request_direct.c, request_fields.c, request_shared.c,
//     request_slots.c
//     -------------------------------------------------------------------------------
// Reads into *connection->command; release_command is called after each, also after a failed one.
enum read_status read_request(struct connection *connection);
void release_command(struct connection *connection);

// --- the append-only file: append_always.c, append_when_on.c
// ---------------------------------------
void append_command(const struct command *command);

// --- replies and the debug log: answers_built.c, answers_constant.c
// -------------------------------- None of these blocks.
void answer_line(struct connection *connection, const char *line); // as in "+OK"
void answer_bulk(void *connection, const char *data, size_t len);  // data null: there is none
void log_command(const struct connection *connection);

// --- running a command (stage_commands.c)
// ----------------------------------------------------------
void expect_commands(const struct command *commands, size_t count); // they are run next
void run_command(struct connection *connection);

// Puts bytes behind the replies that wait; keeps a copy aside when there is no room.
void put_reply(struct connection *connection, const char *data, size_t len);

#endif
