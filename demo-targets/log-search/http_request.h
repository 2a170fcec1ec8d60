// HTTP/1.1 requests: the head only; a request with a body is for the caller to refuse.
//
// Works on the caller's buffer, which the result points into; allocates nothing.
#ifndef DEMO_HTTP_REQUEST_H
#define DEMO_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_MAX_HEAD 8192

struct http_request {
    const char *method;
    size_t method_len;
    const char *path; // up to the question mark, still percent-encoded
    size_t path_len;
    const char *query; // behind the question mark, empty when there is none
    size_t query_len;
    bool keep_alive; // by version and Connection header
    bool has_body;   // Content-Length above 0, or Transfer-Encoding
    size_t head_len; // where the next request begins when there is no body
};

// Returns 0 with a request, -1 when the head is not complete yet, or the HTTP status to refuse it
// with: 400, 431 (longer than HTTP_MAX_HEAD), 505.
int http_parse_request(const char *data, size_t len, struct http_request *request);

// Finds a parameter of the query and writes its value, decoded and ended by a zero byte, into
// `value`. Returns its length; -1 when there is none; -2 when it is malformed, has a zero byte or
// is too long.
long http_query_value(const struct http_request *request, const char *name, char *value,
                      size_t room);

#endif
