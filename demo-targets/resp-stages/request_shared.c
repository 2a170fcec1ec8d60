// Stage 5: short arguments share a buffer.

#include <stdlib.h>
#include <string.h>

#include "array_header.h"
#include "shared_bulk.h"

static struct argument *add_argument(struct command *command, size_t *room)
{
    if (command->argc == *room) {
        *room = *room ? *room * 2 : SLOTS;
        struct argument *argv = realloc(command->argv, *room * sizeof *argv);
        if (!argv)
            no_memory(*room * sizeof *argv);
        command->argv = argv;
    }
    return &command->argv[command->argc];
}

enum read_status read_request(struct connection *connection)
{
    struct command *command = connection->command;
    long long count, len;
    size_t room = 0;
    enum read_status status = read_length(connection, '*', &count);

    for (; status == READ_OK && count > 0; count--) {
        status = read_length(connection, '$', &len);
        if (status != READ_OK)
            break;
        if (!count_bytes(connection, len))
            return READ_ERROR;
        struct argument *argument = add_argument(command, &room);
        argument->data = read_shared_bulk(connection, (size_t)len);
        if (!argument->data)
            return READ_END;
        argument->len = (size_t)len;
        command->argc++;
    }
    return status;
}

void release_command(struct connection *connection)
{
    struct command *command = connection->command;

    release_shared(connection);
    free(command->argv);
    memset(command, 0, sizeof *command);
}
