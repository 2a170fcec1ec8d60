/* serve_http.c - the server: listening, libmicrohttpd's thread, and clients that take too long.
 *
 * Requests that need tables suspend their connection and go to the worker (serve_work.h). A client
 * has a deadline for its request and one for taking the answer; the worker's tick shuts connections
 * down that are past it, whatever they trickle.
 */
#include "memory.h"
#include "message.h"
#include "serve.h"
#include "serve_access.h"
#include "serve_work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 1000,
    SPARE_DESCRIPTORS = 64,
    CONNECTION_BYTES = 16 * 1024, /* of a request's line and headers */
    IDLE_SECONDS = 10,
    REQUEST_SECONDS = 20,
    ANSWER_SECONDS = 120,
};

/* A client; its state says which deadline it has. */
struct client {
    int fd;
    enum { CLIENT_SENDS, CLIENT_WAITS, CLIENT_TAKES } state;
    int64_t since_ns;
    struct serve_request *request; /* that it waits for */
    struct client *next, *previous;
};

struct server {
    struct serve_options options;
    struct MHD_Daemon *daemon;
    struct serve_work *work;
    bool open;
    char url[300];
    pthread_mutex_t lock; /* of the clients */
    struct client *clients;
};

/* ---- clients ---- */

static void on_connection(void *ctx, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct server *server = ctx;
    pthread_mutex_lock(&server->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        struct client *client = memory_array(1, sizeof *client);
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        client->fd = info != NULL ? info->connect_fd : -1;
        client->since_ns = serve_now_ns();
        client->next = server->clients;
        if (client->next != NULL) {
            client->next->previous = client;
        }
        server->clients = client;
        *socket_context = client;
    } else if (*socket_context != NULL) {
        struct client *client = *socket_context;
        if (client->next != NULL) {
            client->next->previous = client->previous;
        }
        *(client->previous != NULL ? &client->previous->next : &server->clients) = client->next;
        free(client);
        *socket_context = NULL;
    }
    pthread_mutex_unlock(&server->lock);
}

static void set_state(struct server *server, struct MHD_Connection *connection, int state,
                      struct serve_request *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct client *client = info != NULL ? info->socket_context : NULL;
    if (client != NULL) {
        pthread_mutex_lock(&server->lock);
        client->state = state;
        client->request = request;
        client->since_ns = serve_now_ns();
        pthread_mutex_unlock(&server->lock);
    }
}

/* libmicrohttpd does not look at a connection that is suspended: whether its client is still there
 * has to be seen from here. */
static bool has_gone(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void drop_slow_clients(void *ctx)
{
    struct server *server = ctx;
    int64_t now = serve_now_ns();
    struct serve_request *gone[64]; /* of more the next tick will hear */
    size_t n_gone = 0;
    pthread_mutex_lock(&server->lock);
    for (struct client *client = server->clients; client != NULL; client = client->next) {
        int64_t most = client->state == CLIENT_SENDS   ? REQUEST_SECONDS
                       : client->state == CLIENT_TAKES ? ANSWER_SECONDS
                                                       : INT32_MAX;
        if (client->fd >= 0 && now - client->since_ns > most * 1000000000) {
            shutdown(client->fd, SHUT_RDWR); /* closed by its owner, who notices */
        }
        if (client->state == CLIENT_WAITS && n_gone < sizeof gone / sizeof gone[0] &&
            has_gone(client->fd)) {
            gone[n_gone++] = client->request;
        }
    }
    pthread_mutex_unlock(&server->lock);
    /* Only this thread, the worker, lets a waiting request go: they are all still there. */
    for (size_t i = 0; i < n_gone; i++) {
        serve_work_cancel(server->work, gone[i]);
    }
}

/* ---- requests ---- */

static enum MHD_Result send_answer(struct server *server, struct MHD_Connection *connection,
                                   struct serve_request *request)
{
    struct serve_answer *answer = &request->answer;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->length, answer->bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        return MHD_NO;
    }
    answer->bytes = NULL;
    char disposition[100];
    MHD_add_response_header(response, "Content-Type", answer->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(
        response, "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    if (answer->filename != NULL) {
        snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", answer->filename);
        MHD_add_response_header(response, "Content-Disposition", disposition);
    }
    if (answer->error) {
        MHD_add_response_header(response, "X-Go-Pprof", "1");
    }
    if (answer->location != NULL) {
        MHD_add_response_header(response, "Location", answer->location);
    }
    if (answer->status == MHD_HTTP_UNAUTHORIZED) {
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"approf\"");
    }
    set_state(server, connection, CLIENT_TAKES, NULL);
    enum MHD_Result result = MHD_queue_response(connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Refuses who may not ask, before anything of the request is looked at. */
static void check_access(const struct server *server, struct MHD_Connection *connection,
                         const char *method, struct serve_request *request)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *authorization =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (!serve_host_allowed(host, server->open, server->options.hosts)) {
        serve_answer_error(request, 403, "the Host header does not name this server");
    } else if (*server->options.token != 0 &&
               !serve_token_allowed(authorization, server->options.token)) {
        serve_answer_error(request, 401, "a bearer token is wanted");
    } else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
               strcmp(method, "POST") != 0) {
        serve_answer_error(request, 405, "GET, HEAD and POST are understood");
    }
    request->post = strcmp(method, "POST") == 0;
}

static void take_body(struct serve_request *request, const char *bytes, size_t n)
{
    if (n > SERVE_MOST_BODY - request->n_body) {
        request->body_too_long = true;
        return;
    }
    request->body = memory_resize(request->body, request->n_body + n + 1, 1);
    memcpy(request->body + request->n_body, bytes, n);
    request->n_body += n;
    request->body[request->n_body] = 0;
}

static enum MHD_Result take_query(void *ctx, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    struct serve_request *request = ctx;
    (void)kind;
    take_body(request, key, strlen(key));
    if (value != NULL) {
        take_body(request, value, strlen(value));
    }
    return MHD_NO; /* the first one is all there should be */
}

static void redirect(struct serve_request *request)
{
    static const char location[] = "/debug/pprof/";
    char *line = memory_print("moved to %s\n", location);
    serve_answer(request, 301, "text/plain; charset=utf-8", line, strlen(line));
    request->answer.location = location;
}

static void parse(struct MHD_Connection *connection, const char *url, struct serve_request *request)
{
    serve_request_path(request, url);
    switch (request->page) {
    case SERVE_NOTHING:
        serve_answer_error(request, 404, "no such page; see /debug/pprof/");
        break;
    case SERVE_OTHER:
        serve_answer_error(request, 404, "Unknown profile");
        break;
    case SERVE_CPU:
        serve_answer_error(request, 404,
                           "there is no CPU profile: approf profiles allocations (heap, allocs)");
        break;
    case SERVE_REDIRECT:
        if (request->pid == 0) {
            redirect(request);
        } else {
            request->page = SERVE_INDEX; /* its links are absolute */
        }
        break;
    case SERVE_HEAP:
    case SERVE_ALLOCS:
        serve_request_parameters(
            request, MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds"),
            MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "debug"));
        break;
    case SERVE_SYMBOL:
        if (!request->post) {
            MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_query, request);
        }
        break;
    default:
        break;
    }
    if (request->body_too_long) {
        serve_answer_error(request, 413, "at most %d bytes are taken", SERVE_MOST_BODY);
    }
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *n_upload, void **request_context)
{
    struct server *server = ctx;
    struct serve_request *request = *request_context;
    (void)version;
    if (request == NULL) {
        request = *request_context = serve_request_new(connection);
        check_access(server, connection, method, request);
        return request->answer.status != 0 ? send_answer(server, connection, request) : MHD_YES;
    }
    if (*n_upload > 0) {
        take_body(request, upload, *n_upload);
        *n_upload = 0;
        return MHD_YES;
    }
    if (request->answer.status == 0) {
        parse(connection, url, request);
    }
    if (request->answer.status == 0) {
        set_state(server, connection, CLIENT_WAITS, request);
        MHD_suspend_connection(connection);
        if (serve_work_add(server->work, request)) {
            return MHD_YES;
        }
        MHD_resume_connection(connection);
        serve_answer_error(request, 503, "too many requests are waiting");
        return MHD_YES;
    }
    return send_answer(server, connection, request);
}

static void on_completed(void *ctx, struct MHD_Connection *connection, void **request_context,
                         enum MHD_RequestTerminationCode why)
{
    (void)why;
    serve_request_free(*request_context);
    *request_context = NULL;
    set_state(ctx, connection, CLIENT_SENDS, NULL);
}

static void on_answered(void *ctx, struct serve_request *request)
{
    (void)ctx;
    MHD_resume_connection(request->connection);
}

/* ---- start and end ---- */

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Host and port of HOST:PORT or [ADDRESS]:PORT. */
static bool split_address(const char *text, char *host, size_t room, const char **port)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon[1] == 0 || colon[1 + strspn(colon + 1, "0123456789")] != 0 ||
        (size_t)(colon - text) >= room) {
        return false;
    }
    size_t n = (size_t)(colon - text);
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    memcpy(host, text, n);
    host[n] = 0;
    *port = colon + 1;
    return true;
}

static int listen_at(struct server *server, const char *address)
{
    char host[256], name[INET6_ADDRSTRLEN + 1] = "", number[16] = "";
    const char *port;
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (!split_address(address, host, sizeof host, &port)) {
        message_error("-http: '%s' is not HOST:PORT", address);
        message_hint("for example -http 127.0.0.1:6060");
        return -1;
    }
    int failed = getaddrinfo(*host != 0 ? host : "127.0.0.1", port, &wanted, &found);
    if (failed != 0) {
        message_error("%s: %s", address, gai_strerror(failed));
        message_hint("-http takes an address of this machine, for example 127.0.0.1:6060");
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;
    bool fine = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 511) == 0 &&
                getsockname(fd, (struct sockaddr *)&bound, &size) == 0;
    if (!fine) {
        message_error("%s: cannot listen: %s", address, message_errno(errno));
        message_hint("-http HOST:PORT chooses another place; port 0 is one that is free");
        if (fd >= 0) {
            close(fd);
        }
        freeaddrinfo(found);
        return -1;
    }
    server->open = !is_loopback((struct sockaddr *)&bound);
    getnameinfo((struct sockaddr *)&bound, size, name, sizeof name, number, sizeof number,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(server->url, sizeof server->url,
             bound.ss_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", name, number);
    freeaddrinfo(found);
    return fd;
}

/* As many connections as this process may have descriptors for. */
static unsigned most_connections(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return MOST_CONNECTIONS / 4;
    }
    rlim_t wanted = MOST_CONNECTIONS + SPARE_DESCRIPTORS;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    return files.rlim_cur >= wanted                 ? MOST_CONNECTIONS
           : files.rlim_cur > 2 * SPARE_DESCRIPTORS ? (unsigned)files.rlim_cur - SPARE_DESCRIPTORS
                                                    : SPARE_DESCRIPTORS;
}

struct server *server_start(const struct serve_options *options)
{
    struct server *server = memory_array(1, sizeof *server);
    server->options = *options;
    pthread_mutex_init(&server->lock, NULL);
    int fd = listen_at(server, *options->address != 0 ? options->address : "127.0.0.1:6060");
    if (fd < 0) {
        free(server);
        return NULL;
    }
    /* Signals are the main thread's. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    struct serve_work_calls calls = {.done = on_answered, .tick = drop_slow_clients, .ctx = server};
    server->work = serve_work_start(&server->options, &calls);
    if (server->work != NULL) { /* set before there can be requests */
        server->daemon = MHD_start_daemon(
            MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
            NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
            most_connections(), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED,
            on_completed, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
            MHD_OPTION_END);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (server->daemon == NULL) {
        message_error("%s: the server cannot be started", server->url);
        if (server->work != NULL) {
            serve_work_stop(server->work);
        }
        close(fd);
        free(server);
        return NULL;
    }
    return server;
}

const char *server_url(const struct server *server)
{
    return server->url;
}

void server_warn(const struct server *server)
{
    if (server->open && *server->options.token == 0) {
        message_error("serve: anybody who reaches %s can read the profiles", server->url);
        message_hint("-token @FILE asks clients for a bearer token; -http 127.0.0.1:6060 stays on "
                     "this machine");
    }
}

void server_stop(struct server *server)
{
    int fd = MHD_quiesce_daemon(server->daemon);
    serve_work_stop(server->work);
    MHD_stop_daemon(server->daemon);
    if (fd >= 0) {
        close(fd);
    }
    pthread_mutex_destroy(&server->lock);
    free(server);
}
