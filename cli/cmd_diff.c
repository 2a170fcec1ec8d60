/* cmd_diff.c - approf diff OLD NEW: what changed from one profile to another; approf diff PID
 * -seconds=N: what changes in a process meanwhile. */
#include "commands.h"
#include "report_command.h"

int cmd_diff(struct invocation *invocation)
{
    struct cli_options *options = &invocation->options;
    if (!*options->base && !*options->diff_base) {
        if (invocation->n_arguments == 1 && (options->seconds > 0 || *options->from)) {
            options->diff_base = invocation->arguments[0]; /* sources_load takes both ends */
            return report_command(invocation, "diff");
        }
        if (invocation->n_arguments < 2) {
            message_error("diff: two profiles are needed");
            message_hint("approf diff OLD NEW, or approf diff PID -seconds=30");
            return STATUS_BAD_USAGE;
        }
        options->diff_base = *invocation->arguments++;
        invocation->n_arguments--;
    } else if (*options->base && !*options->diff_base) {
        /* The old weights are needed apart from the new ones. */
        options->diff_base = options->base;
        options->base = "";
    }
    return report_command(invocation, "diff");
}
