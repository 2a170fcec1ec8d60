// Who serves a connection: one thread in a loop for all that are quick. Requests are read as if
// bytes could be waited for. In the loop they can't, so a request that is not all there is begun
// again when more has come; one that is larger than the buffer, and a peer that does not take its
// replies, get a thread of their own, where waiting harms nobody else.

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "../common/tcp_server.h"
#include "stage_connection.h"

#define EVENTS 64

static int loop = -1; // an epoll descriptor; made once, before the loop's thread

static void finish(struct connection *connection)
{
    int fd = connection->fd;
    close_connection(connection);
    tcp_server_close(fd);
}

static void *serve_alone(void *argument)
{
    struct connection *connection = argument;

    serve_requests(connection);
    flush_replies(connection);
    finish(connection);
    return NULL;
}

static void give_own_thread(struct connection *connection)
{
    epoll_ctl(loop, EPOLL_CTL_DEL, connection->fd, NULL);
    connection->in_loop = connection->starved = connection->stuck = false;
    int error = tcp_server_thread(serve_alone, connection);
    if (error) {
        fprintf(stderr, "%s: no thread for a connection: %s\n", program_invocation_short_name,
                strerror(error));
        finish(connection);
    }
}

// Reads what has come and runs it.
static void serve_ready(struct connection *connection)
{
    size_t unread = connection->end - connection->start;

    memmove(connection->read, connection->read + connection->start, unread);
    ssize_t got = recv(connection->fd, connection->read + unread, sizeof connection->read - unread,
                       MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        got = 0;
    else if (got <= 0) {
        finish(connection);
        return;
    }
    connection->start = 0;
    connection->end = unread + (size_t)got;
    connection->starved = false;

    serve_requests(connection);
    flush_replies(connection);
    bool full = connection->end - connection->start == sizeof connection->read;
    if (connection->stuck || full)
        give_own_thread(connection);
    else if (connection->closing)
        finish(connection);
}

static void *run_loop(void *unused)
{
    struct epoll_event events[EVENTS];

    (void)unused;
    for (;;) {
        int count = epoll_wait(loop, events, EVENTS, -1);
        for (int i = 0; i < count; i++)
            serve_ready(events[i].data.ptr);
    }
    return NULL;
}

static void start_loop(void)
{
    loop = epoll_create1(EPOLL_CLOEXEC);
    int error = loop < 0 ? errno : tcp_server_thread(run_loop, NULL);
    if (error) {
        fprintf(stderr, "%s: no loop: %s\n", program_invocation_short_name, strerror(error));
        loop = -1;
    }
}

void take_connection(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_loop);

    struct connection *connection = open_connection(fd);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    connection->in_loop = true;
    if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) < 0)
        finish(connection);
}
