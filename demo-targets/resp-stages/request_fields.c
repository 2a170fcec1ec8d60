// Stage 4: the arguments are kept once.

#include <stdlib.h>
#include <string.h>

#include "array_header.h"

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
        argument->data = read_owned_bulk(connection, (size_t)len);
        if (!argument->data)
            return READ_END;
        argument->len = (size_t)len;
        command->argc++;
        if (!skip_line_end(connection))
            return READ_END;
    }
    return status;
}

void release_command(struct connection *connection)
{
    struct command *command = connection->command;

    for (size_t i = 0; i < command->argc; i++)
        free(command->argv[i].data);
    free(command->argv);
    memset(command, 0, sizeof *command);
}
