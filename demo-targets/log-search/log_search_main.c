// log-search: finds the lines of a log that match a pattern, over HTTP.
//   GET /search?q=REGEX

#include <stdio.h>

#include "../common/tcp_server.h"
#include "http_connection.h"
#include "search.h"

int main(int argc, char **argv)
{
    struct tcp_server server = {
        .name = "log-search", .port = 8080, .handle = handle_http_connection};
    long lines = 20000;
    const struct number_option options[] = {
        {"lines", 1, 10000000, &lines, "lines in the log"},
    };
    int status = tcp_server_options(&server, options, 1, argc, argv);
    if (status)
        return status == 1 ? 0 : status;
    if (search_log_make(lines) < 0) {
        fprintf(stderr, "log-search: no memory for %ld lines\n", lines);
        return 1;
    }
    return tcp_server_run(&server);
}
