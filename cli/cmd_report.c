/* cmd_report.c - the commands that print one report: load, choose where to, print. */
#include "commands.h"
#include "output_file.h"
#include "report.h"
#include "report_command.h"
#include "source_load.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int print_to(struct profile *profile, const struct invocation *invocation,
                    const struct report_format *format, FILE *out)
{
    return report_print(profile, &invocation->options, format, invocation->regexp, out);
}

int report_command(struct invocation *invocation, const char *name)
{
    const struct cli_options *options = &invocation->options;
    const struct report_format *format = report_format_find(name);
    struct profile profile;
    if (!sources_load(invocation->arguments, invocation->n_arguments, options, &profile)) {
        return STATUS_BAD_USAGE;
    }
    FILE *out = stdout;
    bool to_file = *options->output;
    if ((format->flags & FORMAT_BINARY) && !to_file && isatty(STDOUT_FILENO)) {
        message_error("%s: the report is not for a terminal", name);
        message_hint("add -output=FILE, or send it into a pipe");
        profile_free(&profile);
        return STATUS_BAD_USAGE;
    }
    struct output_file file;
    if (!to_file && !(format->flags & FORMAT_BINARY)) {
        terminal_page();
    }
    if (to_file) {
        message_note("Generating report in %s", options->output);
        if (!output_open(&file, options->output)) {
            message_error("%s: cannot be written: %s", options->output, message_errno(errno));
            message_hint("-output names a file in a directory that can be written to");
            profile_free(&profile);
            return STATUS_BAD_USAGE;
        }
        out = file.stream;
    }
    int status = print_to(&profile, invocation, format, out);
    terminal_page_end();
    if (to_file && !output_close(&file, status == STATUS_FINE)) {
        status = message_error("%s: cannot be written: %s", options->output, message_errno(errno));
    }
    profile_free(&profile);
    return status;
}

#define REPORT_COMMAND(name)                      \
    int cmd_##name(struct invocation *invocation) \
    {                                             \
        return report_command(invocation, #name); \
    }

REPORT_COMMAND(top)
REPORT_COMMAND(list)
REPORT_COMMAND(weblist)
REPORT_COMMAND(disasm)
REPORT_COMMAND(tree)
REPORT_COMMAND(peek)
REPORT_COMMAND(traces)
REPORT_COMMAND(tags)
REPORT_COMMAND(raw)
REPORT_COMMAND(callgrind)
REPORT_COMMAND(comments)
REPORT_COMMAND(proto)
REPORT_COMMAND(topproto)
REPORT_COMMAND(folded)
REPORT_COMMAND(speedscope)
REPORT_COMMAND(dot)
REPORT_COMMAND(churn)
