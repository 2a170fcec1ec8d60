// Stage 7: replies are constants or go straight to where they are sent from, and nothing is logged.

#include <stdio.h>
#include <string.h>

#include "stage_connection.h"

void answer_line(struct connection *connection, const char *line)
{
    put_reply(connection, line, strlen(line));
    put_reply(connection, "\r\n", 2);
}

void answer_bulk(void *to, const char *data, size_t len)
{
    char header[32];

    if (!data) {
        put_reply(to, "$-1\r\n", 5);
        return;
    }
    put_reply(to, header, (size_t)snprintf(header, sizeof header, "$%zu\r\n", len));
    put_reply(to, data, len);
    put_reply(to, "\r\n", 2);
}

void log_command(const struct connection *connection)
{
    (void)connection;
}
