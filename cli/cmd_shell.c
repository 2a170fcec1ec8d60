/* cmd_shell.c - approf PROFILE: pprof's interactive mode. The profile is loaded once; every report
 * works on a copy. Lines come from a terminal through shell_input, or from a pipe. */
#include "commands.h"
#include "memory.h"
#include "output_file.h"
#include "picture.h"
#include "profile_edit.h"
#include "report.h"
#include "shell.h"
#include "source_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int greet(struct report *report);

static const struct report_format greeting = {"greeting", greet, 0};

static void say_line(void *ctx, const char *text)
{
    fprintf(ctx, "%s\n", text);
}

static int greet(struct report *report)
{
    report_profile_lines(report, say_line, report->out);
    if (report->total == 0 && report->profile->n_sample_types > 1) {
        fputs("No samples were found with the default sample value type.\n"
              "Try \"sample_index\" command to analyze different sample values.\n\n",
              report->out);
    }
    fputs("Entering interactive mode (type \"help\" for commands, \"o\" for options)\n",
          report->out);
    return STATUS_FINE;
}

static int print_copy(const struct shell *shell, const struct cli_options *options,
                      const struct report_format *format, const char *regexp, FILE *out)
{
    struct profile copy;
    if (!profile_clone(shell->profile, &copy)) {
        return message_error("out of memory");
    }
    int status = report_print(&copy, options, format, regexp, out);
    profile_free(&copy);
    return status;
}

/* Reports that are no text go to the first free name; what they are is in the ending. */
static void first_free(const char *ending, char *name, size_t room)
{
    for (int i = 1; i < 10000; i++) {
        snprintf(name, room, "profile%03d.%s", i, ending);
        if (access(name, F_OK) != 0) {
            return;
        }
    }
}

int shell_report(const struct shell *shell, const struct shell_order *order)
{
    char name[64];
    const char *path = order->options.output;
    if (!*path && order->ending) {
        first_free(order->ending, name, sizeof name);
        path = name;
    }
    struct output_file file = {.stream = stdout};
    if (*path) {
        message_note("Generating report in %s", path);
        if (!output_open(&file, path)) {
            return message_error("%s: cannot be written: %s", path, message_errno(errno));
        }
    }
    FILE *out = file.stream;
    int status;
    if (order->language) {
        struct profile copy;
        status =
            profile_clone(shell->profile, &copy) ? STATUS_FINE : message_error("out of memory");
        if (status == STATUS_FINE) {
            status = picture_draw(&copy, &order->options, order->language, fileno(out));
            profile_free(&copy);
        }
    } else {
        status = print_copy(shell, &order->options, order->format, order->regexp, out);
    }
    if (!*path) {
        fflush(stdout);
    } else if (!output_close(&file, status == STATUS_FINE)) {
        status = message_error("%s: cannot be written: %s", path, message_errno(errno));
    }
    return status;
}

int cmd_shell(struct invocation *invocation)
{
    struct profile profile;
    if (invocation->n_arguments == 0) {
        message_error("no source was named");
        message_hint("for example: approf top PROFILE");
        return STATUS_BAD_USAGE;
    }
    if (!sources_load(invocation->arguments, invocation->n_arguments, &invocation->options,
                      &profile)) {
        return STATUS_BAD_USAGE;
    }
    struct shell shell = {.profile = &profile, .options = invocation->options};
    struct cli_options plain = invocation->options;
    int status = print_copy(&shell, &plain, &greeting, NULL, stderr);
    shell.options.compact_labels = true;
    if (status == STATUS_FINE) {
        const char *prompt = options_go119(&shell.options) ? "(pprof) " : "(approf) ";
        shell_input_begin(&shell);
        char *line;
        bool more = true;
        while (more && (line = shell_input_line(prompt)) != NULL) {
            more = shell_run_line(&shell, line);
            free(line);
        }
        shell_input_end();
    }
    profile_free(&profile);
    return status;
}
