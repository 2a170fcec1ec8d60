// Stage 0: a line is put together byte-run by byte-run in memory that grows with it.

#include "stage_connection.h"

#include <stdlib.h>
#include <string.h>

static char *append(char *line, size_t *len, const char *run, size_t run_len)
{
    char *longer = realloc(line, *len + run_len + 1);
    if (!longer)
        no_memory(*len + run_len + 1);
    memcpy(longer + *len, run, run_len);
    *len += run_len;
    longer[*len] = '\0';
    return longer;
}

enum read_status read_line(struct connection *connection, char **line, size_t *len)
{
    *line = NULL;
    *len = 0;
    for (;;) {
        if (connection->start == connection->end && !refill(connection))
            break;
        // A run goes up to a carriage return; the byte behind that tells whether the line is over.
        const char *from = connection->read + connection->start;
        size_t run = connection->end - connection->start;
        const char *end = memchr(from, '\r', run);
        if (*len > 0 && (*line)[*len - 1] == '\r')
            run = 1;
        else if (end)
            run = (size_t)(end - from) + 1;

        *line = append(*line, len, from, run);
        connection->start += run;
        if (*len >= 2 && memcmp(*line + *len - 2, "\r\n", 2) == 0) {
            *len -= 2;
            (*line)[*len] = '\0';
            return READ_OK;
        }
        if (*len > MAX_LINE) {
            free(*line);
            return protocol_error(connection, "Protocol error: too big line");
        }
    }
    free(*line);
    return READ_END;
}

void release_line(char *line)
{
    free(line);
}
