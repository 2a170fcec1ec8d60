/* main.c - approf: finds the command, parses its options, runs it.
 *
 * Two forms: `approf COMMAND [options] SOURCE...`, and pprof's own, where the report is an option:
 * `approf -top -cum SOURCE`.
 */
#include "commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int unknown_command(const char *typed)
{
    const char *names[64], *nearest[3];
    size_t n = 0;
    for (size_t i = 0; i < n_commands && n < 64; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            names[n++] = commands[i].name;
        }
    }
    message_error("'%s' is neither a command nor a readable source", typed);
    size_t found = nearest_names(typed, names, n, nearest, 3);
    if (found == 0) {
        message_hint("'approf help' lists the commands");
    } else if (found == 1) {
        message_hint("did you mean '%s'?", nearest[0]);
    } else if (found == 2) {
        message_hint("did you mean '%s' or '%s'?", nearest[0], nearest[1]);
    } else {
        message_hint("did you mean '%s', '%s' or '%s'?", nearest[0], nearest[1], nearest[2]);
    }
    return STATUS_BAD_USAGE;
}

/* Something that could only be meant as a profile: then a missing file is told as such. */
static bool looks_like_source(const char *word)
{
    return strcmp(word, "-") == 0 || strpbrk(word, "/.:") ||
           strspn(word, "0123456789") == strlen(word) || access(word, F_OK) == 0;
}

/* The command that a format option such as -top or -list=RE stands for. */
static bool choose_by_format(struct invocation *invocation)
{
    const struct option *chosen = NULL;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const struct option *option = &option_table[i];
        if (!(option->groups & GROUP_FORMAT) || !invocation->options.is_set[i]) {
            continue;
        }
        const void *field = (const char *)&invocation->options + option->offset;
        if (option->type == OPTION_IS_BOOL && !*(const bool *)field) {
            continue;
        }
        if (chosen && (option->groups & GROUP_TABLE)) {
            continue; /* -top -json: how the table is written */
        }
        if (chosen) {
            message_error("must set at most one output format, not -%s and -%s", chosen->name,
                          option->name);
            message_hint("run approf once for each report");
            return false;
        }
        chosen = option;
    }
    const char *name = "shell";
    if (chosen) {
        name = strcmp(chosen->name, "text") == 0 ? "top" : chosen->name;
        if (chosen->type == OPTION_IS_TEXT) {
            invocation->regexp =
                *(const char *const *)((const char *)&invocation->options + chosen->offset);
        }
        if (chosen->groups & GROUP_TABLE) {
            name = "top";
        }
        if (*invocation->options.http) {
            message_error("-http and -%s exclude each other", chosen->name);
            message_hint("the web pages show all reports");
            return false;
        }
    } else if (*invocation->options.http) {
        name = "web";
    }
    invocation->command = command_find(name);
    if (!invocation->command) {
        if (chosen) {
            message_error("-%s: this report does not exist here", chosen->name);
        } else {
            message_error("command line: no report was named");
        }
        message_hint("for example: approf top PROFILE");
        return false;
    }
    return true;
}

static bool parse_pprof_form(struct invocation *invocation, int argc, char **argv)
{
    unsigned groups = GROUP_LOAD | GROUP_REPORT | GROUP_FORMAT | GROUP_WEB;
    if (!options_parse(&invocation->options, groups, 0, NULL, argc - 1, argv + 1,
                       invocation->arguments, &invocation->n_arguments)) {
        return false;
    }
    if (invocation->options.help) {
        invocation->command = command_find("help");
        invocation->n_arguments = 0;
        return true;
    }
    /* `approf -cum top FILE`: options before the command. */
    if (invocation->n_arguments > 0 && command_find(invocation->arguments[0])) {
        invocation->command = command_find(invocation->arguments[0]);
        invocation->arguments++;
        invocation->n_arguments--;
        return true;
    }
    return choose_by_format(invocation);
}

int main(int argc, char **argv)
{
    struct invocation invocation = {0};
    options_defaults(&invocation.options);
    const char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
    if (!arguments) {
        return message_error("out of memory");
    }
    invocation.arguments = arguments;

    if (argc < 2) {
        message_error("no command was given");
        message_hint("'approf help' lists the commands; to start: approf run ./program");
        free(arguments);
        return STATUS_BAD_USAGE;
    }
    int status = STATUS_BAD_USAGE;
    const struct command *command = command_find(argv[1]);
    /* Readers such as head end early: that is no failure to shout about. A program that is run
     * inherits what we were given. */
    if (!command || !(command->flags & COMMAND_TAKES_PROGRAM)) {
        signal(SIGPIPE, SIG_DFL);
    }
    if (!command && strcmp(argv[1], "--version") == 0) {
        command = command_find("version");
    }
    if (command) {
        invocation.command = command;
        if (options_parse(&invocation.options, command->groups,
                          command->flags & COMMAND_TAKES_PROGRAM ? PARSE_STOP_AT_ARGUMENT : 0,
                          command->name, argc - 2, argv + 2, invocation.arguments,
                          &invocation.n_arguments)) {
            status = STATUS_FINE;
        }
    } else if (argv[1][0] != '-' && !looks_like_source(argv[1])) {
        unknown_command(argv[1]);
    } else if (parse_pprof_form(&invocation, argc, argv)) {
        status = STATUS_FINE;
    }
    if (status == STATUS_FINE && invocation.options.help && invocation.command->run != cmd_help) {
        invocation.arguments[0] = invocation.command->name;
        invocation.n_arguments = 1;
        invocation.command = command_find("help");
    }
    if (status == STATUS_FINE && (invocation.command->flags & COMMAND_TAKES_REGEXP) &&
        !invocation.regexp) {
        if (invocation.n_arguments == 0) {
            message_error("%s: a regular expression is missing", invocation.command->name);
            message_hint("approf %s %s", invocation.command->name, invocation.command->arguments);
            status = STATUS_BAD_USAGE;
        } else {
            invocation.regexp = *invocation.arguments++;
            invocation.n_arguments--;
        }
    }
    if (status == STATUS_FINE) {
        status = invocation.command->run(&invocation);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_error("standard output: cannot be written: %s", message_errno(errno));
        status = STATUS_BAD_USAGE;
    }
    free(arguments);
    return status;
}
