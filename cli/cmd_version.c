/* cmd_version.c - approf version */
#include "commands.h"

#include <stdio.h>

int cmd_version(struct invocation *invocation)
{
    (void)invocation;
    puts("approf " APPROF_VERSION);
    return STATUS_FINE;
}
