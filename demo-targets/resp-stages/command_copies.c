#include "command_copies.h"

#include <stdlib.h>
#include <string.h>

#include "append_file.h"

static void add_words(struct command *command)
{
    command->words = calloc(command->argc + 1, sizeof *command->words);
    if (!command->words)
        no_memory(command->argc * sizeof *command->words);
    for (size_t i = 0; i < command->argc; i++) {
        command->words[i] = malloc(command->argv[i].len + 1);
        if (!command->words[i])
            no_memory(command->argv[i].len + 1);
        memcpy(command->words[i], command->argv[i].data, command->argv[i].len);
        command->words[i][command->argv[i].len] = '\0';
    }
}

void add_copies(struct command *command)
{
    add_words(command);
    command->raw = encode_command(command);
}

void free_command(struct command *command)
{
    for (size_t i = 0; i < command->argc; i++) {
        free(command->argv[i].data);
        if (command->words)
            free(command->words[i]);
    }
    free(command->argv);
    free(command->words);
    free(command->raw.data);
    memset(command, 0, sizeof *command);
}
