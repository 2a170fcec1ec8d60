/* cmd_merge.c - approf merge -o OUT SOURCE...: several profiles become one, their figures added. */
#include "commands.h"
#include "report_command.h"

int cmd_merge(struct invocation *invocation)
{
    if (*invocation->options.output == 0) {
        message_error("merge: where should the result go?");
        message_hint("approf merge -o OUT.pb.gz SOURCE...; -o - writes to standard output");
        return STATUS_BAD_USAGE;
    }
    return report_command(invocation, "proto");
}
