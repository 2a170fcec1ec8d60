// A connection: request heads in, answers out, for as long as the client keeps it open.

#include "http_connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "../common/tcp_server.h"
#include "http_request.h"
#include "search.h"

static const char *reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 431:
        return "Request Header Fields Too Large";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Bad Request";
    }
}

static bool is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

static struct answer route(const struct http_request *request, bool head_only)
{
    char pattern[PATTERN_MAX];

    if (!head_only && !is(request->method, request->method_len, "GET"))
        return answer_text(405, "only GET and HEAD\n");
    if (is(request->path, request->path_len, "/"))
        return answer_text(200, "GET /search?q=REGEX finds the lines of the log that match\n");
    if (!is(request->path, request->path_len, "/search"))
        return answer_text(404, "no such page; try /search?q=REGEX\n");
    switch (http_query_value(request, "q", pattern, sizeof pattern)) {
    case -1:
        return answer_text(400, "what to look for is missing: /search?q=REGEX\n");
    case -2:
        return answer_text(400, "the query is malformed, or longer than 255 bytes\n");
    default:
        return handle_search(pattern);
    }
}

// Returns -1 when the client has gone.
static int send_answer(int fd, const struct answer *answer, bool keep_alive, bool head_only)
{
    char head[256];
    int len = snprintf(head, sizeof head,
                       "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                       "%s%s\r\n",
                       answer->status, reason(answer->status), answer->body->len,
                       answer->status == 405 ? "Allow: GET, HEAD\r\n" : "",
                       keep_alive ? "" : "Connection: close\r\n");

    ssize_t sent;
    do
        sent = send(fd, head, (size_t)len, MSG_NOSIGNAL | (head_only ? 0 : MSG_MORE));
    while (sent < 0 && errno == EINTR);
    if (sent < len && (sent < 0 || send_all(fd, head + sent, (size_t)(len - sent)) < 0))
        return -1;
    return head_only ? 0 : send_all(fd, answer->body->text, answer->body->len);
}

// Answers one request. Returns whether another may follow.
static bool answer_request(int fd, const struct http_request *request, int refused)
{
    bool head_only = !refused && is(request->method, request->method_len, "HEAD");
    bool keep_alive = !refused && request->keep_alive && !request->has_body;
    struct answer answer = refused ? answer_text(refused, "not a request that can be understood\n")
                           : request->has_body
                               ? answer_text(400, "requests with a body are not supported\n")
                               : route(request, head_only);

    if (!answer.body)
        return false;
    int gone = send_answer(fd, &answer, keep_alive, head_only);
    body_drop(answer.body);
    return !gone && keep_alive;
}

void handle_http_connection(int fd)
{
    char buffer[HTTP_MAX_HEAD];
    size_t filled = 0;

    for (;;) {
        struct http_request request;
        int status = http_parse_request(buffer, filled, &request);
        if (status >= 0) {
            if (!answer_request(fd, &request, status))
                return;
            filled -= request.head_len;
            memmove(buffer, buffer + request.head_len, filled);
            continue;
        }
        ssize_t got = recv(fd, buffer + filled, sizeof buffer - filled, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        filled += (size_t)got;
    }
}
