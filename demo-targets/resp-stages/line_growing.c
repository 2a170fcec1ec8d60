// Stage 0: a line is put together byte-run by byte-run in memory that grows with it.

#include "stage_connection.h"

#include <stdlib.h>
#include <string.h>

#define RUN 4 // bytes at a time

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

// The next run of a line: a few bytes, up to a line end that may be among them.
static size_t next_run(const struct connection *connection, const char *run)
{
    size_t here = connection->end - connection->start;
    const char *end = memchr(run, '\n', here < RUN ? here : RUN);

    return end ? (size_t)(end - run) + 1 : (here < RUN ? here : RUN);
}

enum read_status read_line(struct connection *connection, char **line, size_t *len)
{
    *line = NULL;
    *len = 0;
    for (;;) {
        if (connection->start == connection->end && !refill(connection))
            break;
        const char *run = connection->read + connection->start;
        size_t run_len = next_run(connection, run);

        *line = append(*line, len, run, run_len);
        connection->start += run_len;
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
