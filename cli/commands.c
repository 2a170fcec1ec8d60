/* commands.c - the table of commands. */
#include "commands.h"

#include <string.h>

const struct command commands[] = {
#define COMMAND(name, flags, groups, arguments, summary) \
    {#name, cmd_##name, flags, groups, arguments, summary},
#include "command_list.h"
#undef COMMAND
};

const size_t n_commands = sizeof commands / sizeof commands[0];

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < n_commands; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}
