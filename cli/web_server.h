/* web_server.h - serves the web page of one profile to the browser of this machine.
 *
 * On loopback only, and only to requests whose Host is this machine's own (serve_access.h). Paths:
 * / is the page, /data the profile, /data?reload the profile read anew, /times its course. Nothing
 * else, nothing is changed by a request.
 */
#ifndef APPROF_WEB_SERVER_H
#define APPROF_WEB_SERVER_H

#include "web_page.h"

struct web_server {
    struct web_content content; /* malloc'd */
    /* Makes new content; false when the sources can't be read any more. Called from the server's
     * thread, one call at a time. */
    bool (*load)(void *ctx, struct web_content *content);
    void *ctx;
};

/* Serves at HOST:PORT ("" is any free port of 127.0.0.1) until SIGINT or SIGTERM, telling the
 * address on stdout, starting a browser if that is wanted. Exit status. Frees the content. */
int web_server_run(struct web_server *server, const char *address, bool browser);

#endif
