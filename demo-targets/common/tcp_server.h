// The part of a demo server that is the same in all: options, listening socket, a thread per
// connection, a clean end on SIGTERM or SIGINT.
//
// Threads: tcp_server_run is called once, by main. Each connection is handled by a detached thread
// of its own with a small stack, so a thousand idle clients cost little; or it is given to a server
// that has a loop of its own.
// Errors: printed on stderr as "NAME: subject: what went wrong", and the exit status is returned.
#ifndef DEMO_TCP_SERVER_H
#define DEMO_TCP_SERVER_H

#include <stddef.h>

// A further option of a server: "--name N", a whole number between min and max.
struct number_option {
    const char *name; // without the dashes
    long min, max;
    long *value; // holds the default before, the choice after
    const char *help;
};

struct tcp_server {
    const char *name;       // as in "NAME: listening on"
    const char *bind;       // a numeric IPv4 or IPv6 address, default 127.0.0.1
    long port;              // 0: the system picks one
    void (*handle)(int fd); // in a thread of its own; the socket is closed for it afterwards
    void (*take)(
        int fd);        // instead of that: in the main thread; who takes it calls tcp_server_close
    void (*tick)(void); // called by the main thread ten times a second, may be null
    size_t max_clients; // default 10,000; above it `full` is sent and the client is dropped
    const char *full;   // what a client is told when there is no room, may be null
};

// Reads --port, --bind, --help and the further options. Returns 0, or 1 when help was asked for, or
// 2 after naming what is wrong.
int tcp_server_options(struct tcp_server *server, const struct number_option *more,
                       size_t more_count, int argc, char **argv);

// Reads the value of a number option; prints what is wrong and returns -1.
int parse_number_option(const char *program, const struct number_option *option, const char *text);

// Listens, says so on stdout, serves until SIGTERM or SIGINT. Returns main's exit status. At the
// end every connection has been shut down and its thread has had a second to return.
int tcp_server_run(const struct tcp_server *server);

// Closes a connection, and lets another one in.
void tcp_server_close(int fd);

// Starts a detached thread with a small stack. Returns 0 or an error number.
int tcp_server_thread(void *(*run)(void *), void *argument);

// Sends all bytes. Returns 0, or -1 when the peer is gone.
int send_all(int fd, const void *data, size_t len);

#endif
