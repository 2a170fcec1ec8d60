// Listening, accepting and ending. What is said over a connection is the handler's affair.

#include "tcp_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define STACK_BYTES         (256 * 1024)
#define DEFAULT_MAX_CLIENTS 10000
#define SPARE_DESCRIPTORS   64 // that are no clients
#define TICK_MS             100

// Open connections. A socket is closed under the lock, so that the end never shuts down a
// descriptor that has meanwhile become something else.
static pthread_mutex_t clients_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t clients_changed = PTHREAD_COND_INITIALIZER;
static bool *is_open; // by descriptor; guarded by clients_lock
static size_t open_slots;
static size_t client_count; // guarded by clients_lock

static const struct tcp_server *running; // set before the first thread starts

int parse_number_option(const char *program, const struct number_option *option, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < option->min || value > option->max) {
        fprintf(stderr, "%s: --%s %s: not a whole number from %ld to %ld\n", program, option->name,
                text, option->min, option->max);
        return -1;
    }
    *option->value = value;
    return 0;
}

int tcp_server_options(struct tcp_server *server, const struct number_option *more,
                       size_t more_count, int argc, char **argv)
{
    const struct number_option port = {"port", 0, 65535, &server->port, "port to listen on"};

    if (!server->bind)
        server->bind = "127.0.0.1";
    if (!server->max_clients)
        server->max_clients = DEFAULT_MAX_CLIENTS;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--help") == 0) {
            printf("usage: %s [--port N] [--bind ADDR]", server->name);
            for (size_t k = 0; k < more_count; k++)
                printf(" [--%s N]", more[k].name);
            printf("\n  --port N     port to listen on, 0 picks a free one (%ld)\n", server->port);
            printf("  --bind ADDR  address to listen on (%s)\n", server->bind);
            for (size_t k = 0; k < more_count; k++)
                printf("  --%s N    %s (%ld)\n", more[k].name, more[k].help, *more[k].value);
            return 1;
        }
        if (strncmp(arg, "--", 2) != 0 || i + 1 == argc) {
            fprintf(stderr, "%s: %s: unknown argument, or one without its value\nhint: %s --help\n",
                    server->name, arg, server->name);
            return 2;
        }
        const char *value = argv[++i];
        if (strcmp(arg, "--bind") == 0) {
            server->bind = value;
            continue;
        }
        const struct number_option *option = strcmp(arg + 2, port.name) == 0 ? &port : NULL;
        for (size_t k = 0; !option && k < more_count; k++)
            if (strcmp(arg + 2, more[k].name) == 0)
                option = &more[k];
        if (!option) {
            fprintf(stderr, "%s: %s: unknown option\nhint: %s --help\n", server->name, arg,
                    server->name);
            return 2;
        }
        if (parse_number_option(server->name, option, value) < 0)
            return 2;
    }
    return 0;
}

int send_all(int fd, const void *data, size_t len)
{
    const char *next = data;
    while (len > 0) {
        ssize_t sent = send(fd, next, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        next += sent;
        len -= (size_t)sent;
    }
    return 0;
}

// --- connections
// -----------------------------------------------------------------------------------

int tcp_server_thread(void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

void tcp_server_close(int fd)
{
    pthread_mutex_lock(&clients_lock);
    close(fd);
    is_open[fd] = false;
    client_count--;
    pthread_cond_signal(&clients_changed);
    pthread_mutex_unlock(&clients_lock);
}

static void *connection_thread(void *fd_in_pointer)
{
    int fd = (int)(intptr_t)fd_in_pointer;

    running->handle(fd);
    tcp_server_close(fd);
    return NULL;
}

// False when the server is full.
static bool let_in(int fd)
{
    pthread_mutex_lock(&clients_lock);
    bool room = client_count < running->max_clients && (size_t)fd < open_slots;
    if (room) {
        is_open[fd] = true;
        client_count++;
    }
    pthread_mutex_unlock(&clients_lock);
    return room;
}

static void accept_one(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
            // The client stays in the queue and the listener readable: don't spin on it.
            fprintf(stderr, "%s: accept: %s\n", running->name, strerror(errno));
            usleep(100 * 1000);
        }
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));

    if (!let_in(fd)) {
        if (running->full)
            send(fd, running->full, strlen(running->full), MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
        return;
    }
    if (running->take) {
        running->take(fd);
        return;
    }
    int error = tcp_server_thread(connection_thread, (void *)(intptr_t)fd);
    if (error) {
        fprintf(stderr, "%s: no thread for a connection: %s\n", running->name, strerror(error));
        tcp_server_close(fd);
    }
}

static void end_connections(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;

    pthread_mutex_lock(&clients_lock);
    for (size_t fd = 0; fd < open_slots; fd++)
        if (is_open[fd])
            shutdown((int)fd, SHUT_RDWR);
    while (client_count > 0)
        if (pthread_cond_timedwait(&clients_changed, &clients_lock, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&clients_lock);
}

// --- listening
// -------------------------------------------------------------------------------------

static int open_listener(const struct tcp_server *server)
{
    char port[8];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *address;

    snprintf(port, sizeof port, "%ld", server->port);
    int error = getaddrinfo(server->bind, port, &hints, &address);
    if (error) {
        fprintf(stderr, "%s: %s: %s\n", server->name, server->bind, gai_strerror(error));
        return -1;
    }
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (fd < 0 || bind(fd, address->ai_addr, address->ai_addrlen) < 0 || listen(fd, 1024) < 0) {
        fprintf(stderr, "%s: %s port %ld: %s\n", server->name, server->bind, server->port,
                strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(address);
    return fd;
}

static int port_of(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;

    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void serve(int listener, int signals)
{
    struct pollfd ready[2] = {{.fd = listener, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    struct timespec last = {0}, now;
    while (!(ready[1].revents & POLLIN)) {
        if (poll(ready, 2, running->tick ? TICK_MS : -1) > 0 && ready[0].revents & POLLIN)
            accept_one(listener);
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        long past_ms = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
        if (running->tick && past_ms >= TICK_MS) {
            running->tick();
            last = now;
        }
    }
}

int tcp_server_run(const struct tcp_server *server)
{
    running = server;
    open_slots = server->max_clients + SPARE_DESCRIPTORS;
    is_open = calloc(open_slots, sizeof *is_open);
    if (!is_open) {
        fprintf(stderr, "%s: out of memory\n", server->name);
        return 1;
    }

    // Blocked here and so in every thread: the main loop reads them from a descriptor.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();

    int signals = signalfd(-1, &ends, SFD_CLOEXEC);
    int listener = signals < 0 ? -1 : open_listener(server);
    if (listener < 0)
        return 1;
    printf("%s: listening on %s:%d\n", server->name, server->bind, port_of(listener));
    fflush(stdout);

    serve(listener, signals);
    close(listener);
    close(signals);
    end_connections();
    return 0;
}
