// Stages 0 to 2: a command is cloned for the append-only file, and then it turns out that there is
// none.

#include <stdlib.h>
#include <string.h>

#include "append_file.h"
#include "command_copies.h"

static struct command clone_command(const struct command *command)
{
    struct command clone = {.argv = calloc(command->argc, sizeof *clone.argv),
                            .argc = command->argc};
    if (!clone.argv)
        no_memory(command->argc * sizeof *clone.argv);
    for (size_t i = 0; i < command->argc; i++) {
        size_t len = command->argv[i].len;
        clone.argv[i].data = malloc(len + 1);
        if (!clone.argv[i].data)
            no_memory(len + 1);
        memcpy(clone.argv[i].data, command->argv[i].data, len);
        clone.argv[i].len = len;
    }
    add_copies(&clone);
    return clone;
}

void append_command(const struct command *command)
{
    struct command clone = clone_command(command);

    if (append_file_is_on())
        append_file_write(&clone.raw);
    free_command(&clone);
}
