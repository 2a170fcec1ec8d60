/* serve_request.h - one HTTP request, from its first byte to its answer.
 *
 * Belongs to libmicrohttpd's thread, but from serve_work_add until the worker has resumed the
 * connection: then it is the worker's. Paths and parameters are taken apart by
 * serve_request_parse; answers are set by serve_answer*.
 */
#ifndef APPROF_SERVE_REQUEST_H
#define APPROF_SERVE_REQUEST_H

#include "tables_dir.h"
#include "tables_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;

enum serve_page {
    SERVE_NOTHING, /* no such page */
    SERVE_REDIRECT,
    SERVE_INDEX,
    SERVE_HEAP,
    SERVE_ALLOCS,
    SERVE_CMDLINE,
    SERVE_SYMBOL,
    SERVE_CPU,   /* a profile that others have, and we do not */
    SERVE_OTHER, /* below /debug/pprof/, unknown */
};

enum {
    SERVE_MOST_BODY = 64 * 1024, /* bytes of a POST */
    SERVE_MOST_SECONDS = 3600,   /* of seconds= */
};

struct serve_answer {
    unsigned status; /* of HTTP; 0: there is none yet */
    const char *type;
    const char *filename; /* for Content-Disposition, or NULL */
    const char *location; /* of a redirect, or NULL */
    bool error;           /* as Go's: text, and a header that says so */
    char *bytes;          /* malloc'd */
    size_t length;
};

/* One of the processes that a profile is of. */
struct serve_part {
    int tables;                  /* kept open until the second snapshot */
    struct tables_entry process; /* without path */
    struct heap_snapshot older;  /* of seconds=N */
    bool has_older;
};

struct serve_request {
    struct MHD_Connection *connection;
    enum serve_page page;
    uint32_t pid; /* of /PID/debug/pprof/, or 0 */
    bool text;    /* debug=1 */
    int64_t seconds;
    bool post;
    char *body; /* of a POST, or the query of /symbol */
    size_t n_body;
    bool body_too_long;
    struct serve_answer answer;
    /* The worker's: */
    struct serve_request *next;
    int64_t due_ns; /* when the second snapshot is to be taken; 0: none */
    struct serve_part *parts;
    size_t n_parts;
};

struct serve_request *serve_request_new(struct MHD_Connection *connection);
void serve_request_free(struct serve_request *request);

/* Which page of which process a path means. */
void serve_request_path(struct serve_request *request, const char *path);

/* A profile request's parameters, each NULL if it was not given. Sets an answer if they are wrong.
 */
void serve_request_parameters(struct serve_request *request, const char *seconds,
                              const char *debug);

/* Answers. bytes is taken over. */
void serve_answer(struct serve_request *request, unsigned status, const char *type, char *bytes,
                  size_t length);
/* As Go's handlers tell errors: text/plain and X-Go-Pprof, so that go tool pprof shows the text. */
void serve_answer_error(struct serve_request *request, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
