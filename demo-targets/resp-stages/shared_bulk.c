#include "shared_bulk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array_header.h"

static bool is_shared(const struct connection *connection, const char *data)
{
    return (uintptr_t)data >= (uintptr_t)connection->shared &&
           (uintptr_t)data - (uintptr_t)connection->shared <= SHARED_BYTES;
}

__attribute__((noinline)) static void shared_buffer(struct connection *connection)
{
    // One more, so that an empty string at the very end still lies within.
    connection->shared = malloc(SHARED_BYTES + 1);
    if (!connection->shared)
        no_memory(SHARED_BYTES + 1);
}

char *read_shared_bulk(struct connection *connection, size_t len)
{
    char *data;

    if (!connection->shared)
        shared_buffer(connection);
    if (len <= SHORT_BULK && len <= SHARED_BYTES - connection->shared_used) {
        data = connection->shared + connection->shared_used;
        connection->shared_used += len;
        if (!read_exactly(connection, data, len))
            return NULL;
    } else {
        data = read_owned_bulk(connection, len);
    }
    if (data && !skip_line_end(connection)) {
        if (!is_shared(connection, data))
            free(data);
        return NULL;
    }
    return data;
}

void release_shared(struct connection *connection)
{
    const struct command *command = connection->command;

    for (size_t i = 0; i < command->argc; i++)
        if (!is_shared(connection, command->argv[i].data))
            free(command->argv[i].data);
    connection->shared_used = 0;
}
