/* commands.h - the table of commands, made from command_list.h.
 *
 * A command gets its parsed options and the arguments that are left, prints results on stdout and
 * everything else on stderr, and returns its exit status (message.h).
 */
#ifndef APPROF_COMMANDS_H
#define APPROF_COMMANDS_H

#include "cli_options.h"
#include "message.h"

struct invocation;

enum {
    /* Options end at the first argument: what follows is another program's command line. */
    COMMAND_TAKES_PROGRAM = 1,
    /* The first argument is a regular expression (list, peek, ...). */
    COMMAND_TAKES_REGEXP = 2,
    /* Left out of the list of commands. */
    COMMAND_HIDDEN = 4,
};

struct command {
    const char *name;
    int (*run)(struct invocation *invocation);
    unsigned flags;
    unsigned groups; /* option groups, without GROUP_ALL which is always there */
    const char *arguments;
    const char *summary;
};

struct invocation {
    const struct command *command;
    struct cli_options options;
    const char **arguments; /* what is neither command nor option; NULL-terminated */
    int n_arguments;
    const char *regexp; /* COMMAND_TAKES_REGEXP: its first argument, or the value of -list=RE */
};

extern const struct command commands[];
extern const size_t n_commands;

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);

#define COMMAND(name, flags, groups, arguments, summary) \
    int cmd_##name(struct invocation *invocation);
#include "command_list.h"
#undef COMMAND

#endif
