// Stages 2 and 3: a request is an array of bulk strings and nothing else, so it is read as one.

#include <stdlib.h>

#include "array_header.h"
#include "command_copies.h"

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
    if (status == READ_OK)
        add_copies(command);
    return status;
}

void release_command(struct connection *connection)
{
    free_command(connection->command);
}
