// Serves one HTTP connection to its end; the socket is closed by the caller.
#ifndef DEMO_HTTP_CONNECTION_H
#define DEMO_HTTP_CONNECTION_H

void handle_http_connection(int fd);

#endif
