// Stage 1 on: a line is a slice of what was read. Only one that spans two fills is copied.

#include "stage_connection.h"

#include <stdlib.h>
#include <string.h>

static void keep(struct connection *connection, size_t have, const char *run, size_t len)
{
    if (have + len > connection->spanning_room) {
        char *longer = realloc(connection->spanning, have + len);
        if (!longer)
            no_memory(have + len);
        connection->spanning = longer;
        connection->spanning_room = have + len;
    }
    memcpy(connection->spanning + have, run, len);
}

enum read_status read_line(struct connection *connection, char **line, size_t *len)
{
    size_t kept = 0;

    for (;;) {
        if (connection->start == connection->end && !refill(connection))
            return READ_END;
        char *from = connection->read + connection->start;
        size_t here = connection->end - connection->start;
        char *newline = memchr(from, '\n', here);
        size_t run = newline ? (size_t)(newline - from) + 1 : here;

        connection->start += run;
        if (!newline || kept > 0) {
            if (kept + run > MAX_LINE)
                return protocol_error(connection, "Protocol error: too big line");
            keep(connection, kept, from, run);
            kept += run;
            from = connection->spanning;
            run = kept;
        }
        if (newline && run >= 2 && from[run - 2] == '\r') {
            *line = from;
            *len = run - 2;
            return READ_OK;
        }
        if (newline && kept == 0) {
            keep(connection, 0, from, run); // a bare line feed is part of the line
            kept = run;
        }
    }
}

void release_line(char *line)
{
    (void)line;
}
