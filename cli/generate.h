/* generate.h - manual pages and completion, written from the tables of commands and options. */
#ifndef APPROF_GENERATE_H
#define APPROF_GENERATE_H

#include "commands.h"

#include <stdio.h>

/* The page of one command, or of approf itself (NULL), in roff. */
void generate_man(FILE *out, const struct command *command);

/* For a shell to read. */
void generate_bash(FILE *out);
void generate_zsh(FILE *out);
void generate_fish(FILE *out);

/* Whether a command takes an option. */
static inline bool generate_takes(const struct command *command, const struct option *option)
{
    return (option->groups & (command->groups | GROUP_ALL)) != 0;
}

/* An option whose value is one of some words: "a|b". */
bool generate_has_choices(const struct option *option);

#endif
