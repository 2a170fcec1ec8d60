/* web_server.h - serves the web page of one profile to the browser of this machine.
 *
 * On loopback only, and only to requests whose Host is this machine's own (serve_access.h). Paths:
 * / is the page, /data the profile, /data?reload the profile read anew. Nothing else,
 * nothing is changed by a request.
 */
#ifndef APPROF_WEB_SERVER_H
#define APPROF_WEB_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct web_server {
    char *data; /* JSON; malloc'd */
    size_t length;
    /* Makes new data; false when the sources can't be read any more. Called from the server's
     * thread, one call at a time. */
    bool (*load)(void *ctx, char **data, size_t *length);
    void *ctx;
};

/* Serves at HOST:PORT ("" is any free port of 127.0.0.1) until SIGINT or SIGTERM, telling the
 * address on stdout, starting a browser if that is wanted. Exit status. Takes server->data. */
int web_server_run(struct web_server *server, const char *address, bool browser);

#endif
