/* http_source.c - see http_source.h. */
#include "http_source.h"

#include "memory.h"
#include "message.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_LINE = 16 * 1024, /* of a header */
    MOST_HEADERS = 200,
    MOST_REDIRECTS = 5,
    MOST_REASON = 400, /* of an error's body that is shown */
};

static const size_t most_body = (size_t)1 << 30;

struct target {
    char host[256], port[8];
    char path[4096]; /* with the query */
};

struct connection {
    int fd;
    int64_t deadline_ns;
    size_t at, length;
    char bytes[65536];
    char line[MOST_LINE];
};

struct answer {
    int status;
    char reason[100];
    bool from_pprof, text, chunked, has_length;
    uint64_t length;
    char location[4096];
};

static bool fail(struct profile_error *error, const char *text)
{
    return profile_error_set(error, PROFILE_ERROR_IO, "%s", text);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- URLs ---- */

bool http_source_is(const char *source)
{
    if (strncasecmp(source, "http://", 7) == 0 || strncasecmp(source, "https://", 8) == 0 ||
        strncasecmp(source, "https+insecure://", 17) == 0) {
        return true;
    }
    size_t n = *source == '[' ? strcspn(source, "]") + 1 : strcspn(source, ":/");
    if (n == 0 || n > strlen(source) || source[n] != ':') {
        return false;
    }
    size_t digits = strspn(source + n + 1, "0123456789");
    return digits > 0 && digits < 6 &&
           (source[n + 1 + digits] == '/' || source[n + 1 + digits] == 0);
}

static bool copy(char *out, size_t room, const char *bytes, size_t n)
{
    if (n >= room) {
        return false;
    }
    memcpy(out, bytes, n);
    out[n] = 0;
    /* Nothing may end a line of the request before its time. */
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)out[i] <= ' ' || out[i] == 127) {
            return false;
        }
    }
    return true;
}

static bool parse_url(const char *url, struct target *target, struct profile_error *error)
{
    if (strncasecmp(url, "https", 5) == 0) {
        return fail(error, "https is not spoken here");
    }
    if (strncasecmp(url, "http://", 7) == 0) {
        url += 7;
    }
    size_t n = strcspn(url, "/?#");
    const char *path = url + n;
    size_t host = *url == '[' ? strcspn(url, "]") + 1 : strcspn(url, ":/?#");
    bool fine = host > 0 && host <= n && memchr(url, '@', n) == NULL;
    if (fine && *url == '[') {
        fine = copy(target->host, sizeof target->host, url + 1, host - 2);
    } else if (fine) {
        fine = copy(target->host, sizeof target->host, url, host);
    }
    strcpy(target->port, "80");
    if (fine && host < n) {
        fine = url[host] == ':' && n - host - 1 > 0 &&
               strspn(url + host + 1, "0123456789") == n - host - 1 &&
               copy(target->port, sizeof target->port, url + host + 1, n - host - 1);
    }
    size_t length = strcspn(path, "#");
    if (length == 0 || (length == 1 && *path == '/')) {
        path = "/debug/pprof/heap"; /* the profile that there is */
        length = strlen(path);
    }
    fine = fine && *path == '/' && copy(target->path, sizeof target->path, path, length);
    return fine || fail(error, "not a URL such as http://127.0.0.1:6060/debug/pprof/heap");
}

static bool add_seconds(struct target *target, int64_t seconds, struct profile_error *error)
{
    size_t n = strlen(target->path);
    int added = snprintf(target->path + n, sizeof target->path - n, "%cseconds=%lld",
                         strchr(target->path, '?') != NULL ? '&' : '?', (long long)seconds);
    return (size_t)added < sizeof target->path - n || fail(error, "the URL is too long");
}

/* ---- bytes ---- */

static bool wait_for(struct connection *c, short events, struct profile_error *error)
{
    for (;;) {
        int64_t left = (c->deadline_ns - now_ns()) / 1000000;
        struct pollfd one = {.fd = c->fd, .events = events};
        int ready = left > 0 ? poll(&one, 1, left < INT32_MAX ? (int)left : INT32_MAX) : 0;
        if (ready > 0) {
            return true;
        }
        if (ready == 0) {
            return fail(error, "the server takes too long; -timeout=SECONDS waits longer");
        }
        if (errno != EINTR) {
            return fail(error, message_errno(errno));
        }
    }
}

static bool connect_to(struct connection *c, const struct target *target,
                       struct profile_error *error)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int failed = getaddrinfo(target->host, target->port, &wanted, &found);
    if (failed != 0) {
        return fail(error, gai_strerror(failed));
    }
    bool fine = false;
    for (const struct addrinfo *at = found; at != NULL && !fine; at = at->ai_next) {
        int problem = 0;
        socklen_t size = sizeof problem;
        c->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (c->fd < 0) {
            fail(error, message_errno(errno));
            continue;
        }
        if (connect(c->fd, at->ai_addr, at->ai_addrlen) == 0) {
            fine = true;
        } else if (errno != EINPROGRESS) {
            fail(error, message_errno(errno));
        } else if (wait_for(c, POLLOUT, error)) {
            fine = getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0;
            if (!fine) {
                fail(error, message_errno(problem));
            }
        }
        if (!fine) {
            close(c->fd);
        }
    }
    freeaddrinfo(found);
    return fine;
}

static bool send_all(struct connection *c, const char *bytes, size_t n, struct profile_error *error)
{
    while (n > 0) {
        ssize_t sent = send(c->fd, bytes, n, MSG_NOSIGNAL);
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        } else if (errno == EAGAIN ? !wait_for(c, POLLOUT, error)
                                   : errno != EINTR && !fail(error, message_errno(errno))) {
            return false;
        }
    }
    return true;
}

/* More bytes; *end when there are none to come. */
static bool fill(struct connection *c, bool *end, struct profile_error *error)
{
    *end = false;
    while (c->at == c->length) {
        ssize_t n = recv(c->fd, c->bytes, sizeof c->bytes, 0);
        if (n > 0) {
            c->at = 0;
            c->length = (size_t)n;
        } else if (n == 0) {
            *end = true;
            return true;
        } else if (errno == EAGAIN ? !wait_for(c, POLLIN, error)
                                   : errno != EINTR && !fail(error, message_errno(errno))) {
            return false;
        }
    }
    return true;
}

static bool read_line(struct connection *c, struct profile_error *error)
{
    size_t n = 0;
    for (;;) {
        bool end;
        if (!fill(c, &end, error)) {
            return false;
        }
        if (end) {
            return fail(error, "the answer is cut off");
        }
        char byte = c->bytes[c->at++];
        if (byte == '\n') {
            n -= n > 0 && c->line[n - 1] == '\r';
            c->line[n] = 0;
            return true;
        }
        if (n + 1 >= sizeof c->line) {
            return fail(error, "the answer has a header that is too long");
        }
        c->line[n++] = byte;
    }
}

/* n bytes of the body, or all that come (UINT64_MAX). */
static bool read_body(struct connection *c, uint64_t n, struct byte_buffer *out,
                      struct profile_error *error)
{
    bool to_end = n == UINT64_MAX;
    while (n > 0) {
        bool end;
        if (!fill(c, &end, error)) {
            return false;
        }
        if (end) {
            return to_end || fail(error, "the answer is cut off");
        }
        size_t piece = c->length - c->at;
        piece = piece > n ? (size_t)n : piece;
        if (out->length + piece > most_body) {
            return fail(error, "the answer is too large");
        }
        if (!byte_buffer_append(out, c->bytes + c->at, piece)) {
            return fail(error, "out of memory");
        }
        c->at += piece;
        n -= to_end ? 0 : piece;
    }
    return true;
}

static bool read_chunks(struct connection *c, struct byte_buffer *out, struct profile_error *error)
{
    for (;;) {
        char *end;
        if (!read_line(c, error)) {
            return false;
        }
        errno = 0;
        uint64_t n = strtoull(c->line, &end, 16);
        if (end == c->line || errno != 0 || c->line[0] == '-' || n > most_body) {
            return fail(error, "the answer is garbled");
        }
        if (n == 0) {
            return true; /* trailers, if any, say nothing to us */
        }
        if (!read_body(c, n, out, error) || !read_line(c, error)) {
            return false;
        }
    }
}

/* ---- one request ---- */

static const char *header_value(const char *line, const char *name)
{
    size_t n = strlen(name);
    if (strncasecmp(line, name, n) != 0 || line[n] != ':') {
        return NULL;
    }
    return line + n + 1 + strspn(line + n + 1, " \t");
}

static bool read_head(struct connection *c, struct answer *answer, struct profile_error *error)
{
    *answer = (struct answer){0};
    if (!read_line(c, error)) {
        return false;
    }
    int at = 0;
    if (sscanf(c->line, "HTTP/1.%*1[0-9] %3d%n", &answer->status, &at) < 1 || at == 0) {
        return fail(error, "the answer is no HTTP");
    }
    snprintf(answer->reason, sizeof answer->reason, "%.90s", c->line + at);
    for (int i = 0;; i++) {
        const char *value;
        if (!read_line(c, error)) {
            return false;
        }
        if (c->line[0] == 0) {
            return true;
        }
        if (i >= MOST_HEADERS) {
            return fail(error, "the answer has too many headers");
        }
        if ((value = header_value(c->line, "Content-Length")) != NULL) {
            answer->has_length = *value >= '0' && *value <= '9';
            answer->length = strtoull(value, NULL, 10);
        } else if ((value = header_value(c->line, "Transfer-Encoding")) != NULL) {
            answer->chunked = strcasecmp(value, "chunked") == 0;
        } else if ((value = header_value(c->line, "Content-Type")) != NULL) {
            answer->text = strncasecmp(value, "text/plain", 10) == 0;
        } else if (header_value(c->line, "X-Go-Pprof") != NULL) {
            answer->from_pprof = true;
        } else if ((value = header_value(c->line, "Location")) != NULL) {
            snprintf(answer->location, sizeof answer->location, "%s", value);
        }
    }
}

static bool ask(const struct target *target, bool with_token, int64_t deadline_ns,
                struct answer *answer, struct byte_buffer *out, struct profile_error *error)
{
    struct connection *c = memory_array(1, sizeof *c); /* large */
    const char *token = with_token ? getenv("APPROF_TOKEN") : NULL;
    bool bearer = token != NULL && *token != 0 && strpbrk(token, "\r\n") == NULL;
    bool six = strchr(target->host, ':') != NULL;
    c->deadline_ns = deadline_ns;
    if (!connect_to(c, target, error)) {
        free(c);
        return false;
    }
    char *request = memory_print(
        "GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: approf/%s\r\n"
        "Accept-Encoding: identity\r\nConnection: close\r\n%s%s%s\r\n",
        target->path, six ? "[" : "", target->host, six ? "]" : "", target->port, APPROF_VERSION,
        bearer ? "Authorization: Bearer " : "", bearer ? token : "", bearer ? "\r\n" : "");
    bool fine = send_all(c, request, strlen(request), error) && read_head(c, answer, error) &&
                (answer->chunked
                     ? read_chunks(c, out, error)
                     : read_body(c, answer->has_length ? answer->length : UINT64_MAX, out, error));
    free(request);
    close(c->fd);
    free(c);
    return fine;
}

static bool refuse(const struct answer *answer, const struct byte_buffer *body,
                   struct profile_error *error)
{
    char why[MOST_REASON + 4] = "";
    if (answer->from_pprof && answer->text && body->length > 0) {
        size_t n = body->length < MOST_REASON ? body->length : MOST_REASON;
        snprintf(why, sizeof why, " - %.*s", (int)n, (const char *)body->bytes);
        for (n = strlen(why); n > 0 && why[n - 1] == '\n'; n--) {
            why[n - 1] = 0;
        }
    }
    return profile_error_set(error, PROFILE_ERROR_IO, "server response: %d%s%s", answer->status,
                             answer->reason, why);
}

bool http_source_get(const char *url, int64_t seconds, int64_t timeout, struct byte_buffer *out,
                     struct profile_error *error)
{
    struct target target, first;
    struct answer *answer = memory_array(1, sizeof *answer);
    int64_t wait = timeout > 0 ? timeout : seconds > 0 ? seconds + seconds / 2 : 60;
    wait = wait < 1000000 ? wait : 1000000;
    int64_t deadline_ns = now_ns() + (wait + 5) * 1000000000;
    bool fine =
        parse_url(url, &target, error) && (seconds <= 0 || add_seconds(&target, seconds, error));
    first = target;
    for (int i = 0; fine; i++) {
        bool same =
            strcasecmp(first.host, target.host) == 0 && strcmp(first.port, target.port) == 0;
        out->length = 0;
        fine = ask(&target, same, deadline_ns, answer, out, error);
        if (!fine || answer->status == 200) {
            break;
        }
        bool redirected = answer->status > 300 && answer->status < 309 && answer->location[0] != 0;
        if (!redirected) {
            fine = refuse(answer, out, error);
        } else if (i >= MOST_REDIRECTS) {
            fine = fail(error, "the server sends us from one place to another");
        } else if (answer->location[0] == '/') {
            fine =
                copy(target.path, sizeof target.path, answer->location, strlen(answer->location)) ||
                fail(error, "the server sends us to no URL");
        } else {
            fine = parse_url(answer->location, &target, error);
        }
    }
    free(answer);
    return fine;
}
