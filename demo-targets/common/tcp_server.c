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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define STACK_BYTES         (256 * 1024)
#define DEFAULT_MAX_CLIENTS 10000
#define TICK_MS             100

// Open connections. A socket is closed under the lock, so that the end never shuts down a
// descriptor that has meanwhile become something else.
static pthread_mutex_t clients_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t clients_changed = PTHREAD_COND_INITIALIZER;
static int *clients; // max_clients slots, -1 when unused; guarded by clients_lock
static size_t client_slots;
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

static void *connection_thread(void *slot_pointer)
{
    int *slot = slot_pointer;

    running->handle(*slot);
    pthread_mutex_lock(&clients_lock);
    close(*slot);
    *slot = -1;
    client_count--;
    pthread_cond_signal(&clients_changed);
    pthread_mutex_unlock(&clients_lock);
    return NULL;
}

// Finds a slot for the socket; null when the server is full.
static int *take_slot(int fd)
{
    static size_t next; // where the search starts, so that it is short
    int *slot = NULL;

    pthread_mutex_lock(&clients_lock);
    for (size_t i = 0; client_count < client_slots && !slot; i++) {
        size_t at = (next + i) % client_slots;
        if (clients[at] < 0) {
            slot = &clients[at];
            *slot = fd;
            client_count++;
            next = at + 1;
        }
    }
    pthread_mutex_unlock(&clients_lock);
    return slot;
}

static void give_back_slot(int *slot)
{
    pthread_mutex_lock(&clients_lock);
    *slot = -1;
    client_count--;
    pthread_mutex_unlock(&clients_lock);
}

static void accept_one(int listener, const pthread_attr_t *attributes)
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

    int *slot = take_slot(fd);
    if (!slot) {
        if (running->full)
            send(fd, running->full, strlen(running->full), MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
        return;
    }
    pthread_t thread;
    int error = pthread_create(&thread, attributes, connection_thread, slot);
    if (error) {
        fprintf(stderr, "%s: no thread for a connection: %s\n", running->name, strerror(error));
        give_back_slot(slot);
        close(fd);
    }
}

static void end_connections(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;

    pthread_mutex_lock(&clients_lock);
    for (size_t i = 0; i < client_slots; i++)
        if (clients[i] >= 0)
            shutdown(clients[i], SHUT_RDWR);
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
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);

    struct pollfd ready[2] = {{.fd = listener, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    struct timespec last = {0}, now;
    while (!(ready[1].revents & POLLIN)) {
        if (poll(ready, 2, running->tick ? TICK_MS : -1) > 0 && ready[0].revents & POLLIN)
            accept_one(listener, &attributes);
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        long past_ms = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
        if (running->tick && past_ms >= TICK_MS) {
            running->tick();
            last = now;
        }
    }
    pthread_attr_destroy(&attributes);
}

int tcp_server_run(const struct tcp_server *server)
{
    running = server;
    client_slots = server->max_clients ? server->max_clients : DEFAULT_MAX_CLIENTS;
    clients = malloc(client_slots * sizeof *clients);
    if (!clients) {
        fprintf(stderr, "%s: out of memory\n", server->name);
        return 1;
    }
    memset(clients, 0xff, client_slots * sizeof *clients);

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
