// Stages 0 to 3: a command holds its arguments three times, as they are, as strings for the log and
// as the request that they came in for the append-only file. All of it is memory of the command's
// own.
#ifndef DEMO_COMMAND_COPIES_H
#define DEMO_COMMAND_COPIES_H

#include "stage_connection.h"

// Adds the second and the third from argv.
void add_copies(struct command *command);

void free_command(struct command *command); // and clears it

#endif
