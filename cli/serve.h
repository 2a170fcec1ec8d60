/* serve.h - heap profiles of running processes over HTTP, at the addresses where Go's
 * net/http/pprof has them, so that its clients (go tool pprof, Pyroscope, Parca, Grafana Alloy)
 * work unchanged.
 *
 *   /debug/pprof/                  page with links; of all processes where there are several
 *   /debug/pprof/heap, /allocs     ?seconds=N: allocated meanwhile, and in use after it; ?debug=1:
 *                                  text; gc=1 is accepted
 *   /debug/pprof/cmdline, /symbol  as Go has them
 *   /PID/debug/pprof/...           of one process; without PID heap and allocs are the sum of all
 *
 * Two threads: libmicrohttpd's takes requests apart and answers what needs no profile
 * (serve_http.c, serve_access.c); a worker does everything that reads tables or symbols, one
 * request after another (serve_work.c and the files it calls). The profiled processes notice
 * nothing. Only processes of the user that runs the server are shown.
 *
 * Everything that comes in is untrusted. Bounded: connections, bytes of a request, requests that
 * wait, the time that a client may take to send its request and to take its answer.
 */
#ifndef APPROF_SERVE_H
#define APPROF_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serve_options {
    const char *address;   /* HOST:PORT, :PORT is on loopback, port 0 any; "" is 127.0.0.1:6060 */
    const char *processes; /* a PID, a program's name, or "all" */
    const char *directory; /* where tables are looked for; NULL: the usual places */
    const char *token;     /* wanted from clients (Authorization: Bearer); "" for none */
    const char *hosts;     /* further names that clients may call us by, separated by commas */
};

struct server;

/* Listens and answers from now on. NULL after an error message. Strings must outlive the server. */
struct server *server_start(const struct serve_options *options);
/* "http://127.0.0.1:6060". */
const char *server_url(const struct server *server);
/* Says so when others than this machine can reach it, and no token keeps them out. */
void server_warn(const struct server *server);
void server_stop(struct server *server);

#endif
