/* web_server.c - see web_server.h. */
#include "web_server.h"

#include "memory.h"
#include "message.h"
#include "serve_access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              const char *policy, const void *bytes, size_t n,
                              enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(n, (void *)bytes, mode);
    if (!response) {
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Content-Security-Policy",
                            policy ? policy : "default-src 'none'");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status, "text/plain; charset=utf-8", NULL, text, strlen(text),
                  MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_page(struct MHD_Connection *connection)
{
    char nonce[WEB_NONCE_ROOM], *page = NULL;
    size_t n = 0;
    FILE *out = web_page_nonce(nonce) ? open_memstream(&page, &n) : NULL;
    bool fine = out && web_page_write(out, nonce, NULL);
    fine = out && fclose(out) == 0 && fine;
    if (!fine) {
        free(page);
        return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
    }
    char *policy = web_page_policy(nonce, true);
    enum MHD_Result result = answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", policy,
                                    page, n, MHD_RESPMEM_MUST_COPY);
    free(policy);
    free(page);
    return result;
}

static enum MHD_Result send_data(struct MHD_Connection *connection, struct web_server *server,
                                 bool times)
{
    struct web_content *content = &server->content;
    if (MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, NULL, NULL) > 0) {
        struct web_content loaded;
        if (!server->load(server->ctx, &loaded)) {
            return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                          "the sources can't be read any more\n");
        }
        web_content_free(content);
        *content = loaded;
    }
    /* Copied: a reload may free it while a slow reader still takes it. */
    return answer(connection, MHD_HTTP_OK, "application/octet-stream", NULL,
                  times ? content->times : content->profile,
                  times ? content->times_length : content->profile_length, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct web_server *server = ctx;
    (void)version, (void)upload, (void)upload_size, (void)state;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if (!serve_host_allowed(host, false, "")) {
        return refuse(connection, MHD_HTTP_FORBIDDEN, "this server is for its own address only\n");
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET is all there is\n");
    }
    if (strcmp(url, "/") == 0) {
        return send_page(connection);
    }
    bool times = strcmp(url, "/times") == 0;
    if (times || strcmp(url, "/data") == 0) {
        if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) {
            return refuse(connection, MHD_HTTP_FORBIDDEN, "not for other pages\n");
        }
        return send_data(connection, server, times);
    }
    return refuse(connection, MHD_HTTP_NOT_FOUND, "there are /, /data and /times\n");
}

/* "", ":PORT", "HOST:PORT"; false after a message. */
static bool parse_address(const char *text, struct sockaddr_in *address)
{
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (!*text) {
        return true;
    }
    const char *colon = strrchr(text, ':');
    char host[64] = "", *end = NULL;
    unsigned long port = 0;
    if (colon && (size_t)(colon - text) < sizeof host) {
        memcpy(host, text, (size_t)(colon - text));
        port = strtoul(colon + 1, &end, 10);
    }
    if (!colon || (*host == 0 && colon != text) || *end || colon[1] == '-' || port > 65535) {
        message_error("-http: '%s' is no HOST:PORT", text);
        message_hint("for example -http=localhost:8080; port 0 or none is any that is free");
        return false;
    }
    address->sin_port = htons((uint16_t)port);
    if (*host && strcmp(host, "localhost") != 0 &&
        (inet_pton(AF_INET, host, &address->sin_addr) != 1 ||
         ntohl(address->sin_addr.s_addr) >> 24 != 127)) {
        message_error("-http: %s: profiles are served on this machine only", host);
        message_hint("use localhost and 'ssh -L', or send the page as a file: approf web -o FILE");
        return false;
    }
    return true;
}

static void start_browser(const char *url)
{
    const char *const arguments[] = {"xdg-open", url, NULL};
    pid_t pid;
    if (isatty(STDOUT_FILENO) && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))) {
        signal(SIGCHLD, SIG_IGN);
        posix_spawnp(&pid, arguments[0], NULL, NULL, (char *const *)arguments, environ);
    }
}

int web_server_run(struct web_server *server, const char *text, bool browser)
{
    struct sockaddr_in address;
    if (!parse_address(text, &address)) {
        web_content_free(&server->content);
        return STATUS_BAD_USAGE;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_LIMIT, 32u, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10, MHD_OPTION_END);
    if (!daemon) {
        message_error("-http: port %u cannot be served: %s", ntohs(address.sin_port),
                      message_errno(errno));
        message_hint("leave the port out, then a free one is taken");
        web_content_free(&server->content);
        return STATUS_BAD_USAGE;
    }
    unsigned port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    char url[64];
    snprintf(url, sizeof url, "http://%s:%u/", inet_ntoa(address.sin_addr), port);
    printf("Serving web UI on %s\n", url);
    fflush(stdout);
    if (browser) {
        start_browser(url);
    }
    int received;
    sigwait(&ends, &received);
    MHD_stop_daemon(daemon);
    web_content_free(&server->content);
    return STATUS_FINE;
}
