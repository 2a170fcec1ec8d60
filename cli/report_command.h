/* report_command.h - a command that prints one report of its sources. */
#ifndef APPROF_REPORT_COMMAND_H
#define APPROF_REPORT_COMMAND_H

#include "commands.h"

/* Loads the sources, prints the named format to standard output or -output. Exit status. */
int report_command(struct invocation *invocation, const char *format);

#endif
