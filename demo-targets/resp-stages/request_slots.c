// Stage 6 on: up to eight arguments need no array of their own.

#include <stdlib.h>
#include <string.h>

#include "array_header.h"
#include "shared_bulk.h"

static struct argument *add_argument(struct connection *connection, size_t *room)
{
    struct command *command = connection->command;

    if (command->argc == *room) {
        *room *= 2;
        bool in_slots = command->argv == command->slots;
        struct argument *argv = realloc(in_slots ? NULL : command->argv, *room * sizeof *argv);
        if (!argv)
            no_memory(*room * sizeof *argv);
        if (in_slots)
            memcpy(argv, command->slots, sizeof command->slots);
        command->argv = argv;
    }
    return &command->argv[command->argc];
}

enum read_status read_request(struct connection *connection)
{
    struct command *command = connection->command;
    long long count, len;
    size_t room = SLOTS;
    enum read_status status = read_length(connection, '*', &count);

    command->argv = command->slots;
    for (; status == READ_OK && count > 0; count--) {
        status = read_length(connection, '$', &len);
        if (status != READ_OK)
            break;
        if (!count_bytes(connection, len))
            return READ_ERROR;
        struct argument *argument = add_argument(connection, &room);
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
    if (command->argv != command->slots)
        free(command->argv);
    memset(command, 0, sizeof *command);
}
