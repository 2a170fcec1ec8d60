// Requests in RESP, and inline ("SET key value" as a person types it).
//
// Ownership: the reader's buffer is its own; every argument of a request is memory of its own,
// which a command may take by setting its pointer to null. resp_request_clear frees what is left.
// Limits: 512 MiB an argument, 1,048,576 arguments, 64 KiB a line, 1 GiB a request, all as Redis
// has them. Memory grows with what has arrived, never with what was announced. Threads: a reader
// and its request belong to one connection, hence to one thread.
#ifndef DEMO_RESP_REQUEST_H
#define DEMO_RESP_REQUEST_H

#include <stddef.h>
#include <sys/types.h>

#include "bytes.h"

#define RESP_BUFFER_BYTES  (16 * 1024)
#define RESP_MAX_LINE      (64 * 1024)
#define RESP_MAX_BULK      (512LL * 1024 * 1024)
#define RESP_MAX_ARGUMENTS (1024 * 1024)
#define RESP_MAX_REQUEST   (1024ULL * 1024 * 1024)

struct resp_reader {
    // Returns how many bytes were put there, 0 at the end, -1 on an error.
    ssize_t (*fill)(void *source, void *into, size_t room);
    void *source;
    size_t start, end; // what is in the buffer and unread
    char *line;        // a line that did not fit between start and end; grown as needed
    size_t line_room;
    char buffer[RESP_BUFFER_BYTES];
};

struct resp_request {
    struct bytes *argv;
    size_t argc, room;
    size_t bytes;    // of all arguments
    char error[128]; // for a client, without "-ERR "
};

enum resp_status {
    RESP_REQUEST,        // a request; argc may be 0, which wants no answer
    RESP_END,            // the peer has gone, perhaps in the middle of a request
    RESP_PROTOCOL_ERROR, // request->error says which; nothing after it can be understood
};

void resp_reader_init(struct resp_reader *reader, ssize_t (*fill)(void *, void *, size_t),
                      void *source);
void resp_reader_free(struct resp_reader *reader);

enum resp_status resp_read_request(struct resp_reader *reader, struct resp_request *request);
void resp_request_clear(struct resp_request *request); // ready for the next
void resp_request_free(struct resp_request *request);

// True when the next request can be begun without waiting for the peer.
int resp_has_buffered(const struct resp_reader *reader);

// A whole number as Redis reads one: no spaces, no plus, no leading zeros. Returns 0 or -1.
int resp_parse_integer(const char *text, size_t len, long long *value);

#endif
