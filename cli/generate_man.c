/* generate_man.c - manual pages in roff; see generate.h. */
#include "generate.h"

#include <string.h>

static void text(FILE *out, const char *bytes)
{
    if (*bytes == '.' || *bytes == '\'') {
        fputs("\\&", out);
    }
    for (; *bytes; bytes++) {
        if (*bytes == '\\') {
            fputs("\\e", out);
        } else if (*bytes == '-') {
            fputs("\\-", out);
        } else {
            putc(*bytes, out);
        }
    }
}

static void head(FILE *out, const char *name, const char *command, const char *summary)
{
    fprintf(out, ".TH \"%s%s%s\" 1 \"\" \"approf " APPROF_VERSION "\" \"approf\"\n.SH NAME\n", name,
            command ? "-" : "", command ? command : "");
    fprintf(out, "approf%s%s \\- ", command ? "\\-" : "", command ? command : "");
    text(out, summary);
    putc('\n', out);
}

static void option_entry(FILE *out, const struct option *option)
{
    fputs(".TP\n\\fB", out);
    text(out, "-");
    text(out, option->name);
    fputs("\\fR", out);
    if (option->type != OPTION_IS_BOOL) {
        fputs("=\\fI", out);
        text(out, option->unit);
        fputs("\\fR", out);
    }
    putc('\n', out);
    text(out, option->help);
    bool plain = option->type == OPTION_IS_BOOL ? strcmp(option->standard, "false") == 0
                                                : !*option->standard;
    if (!plain && strcmp(option->standard, "-1") != 0) {
        fputs(" (default ", out);
        text(out, option->standard);
        putc(')', out);
    }
    fputs(".\n", out);
}

static void exit_status(FILE *out)
{
    static const struct {
        const char *status, *meaning;
    } statuses[] = {
        {"0", "Fine."},
        {"1", "The gate found that allocations have grown beyond their limits."},
        {"2", "Bad usage or unreadable input."},
        {"3", "The gate has nothing to judge, or the profiles can't tell."},
        {"4", "The gate's limits are far too loose."},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        fprintf(out, ".TP\n.B %s\n", statuses[i].status);
        text(out, statuses[i].meaning);
        putc('\n', out);
    }
}

static void command_page(FILE *out, const struct command *command)
{
    head(out, "approf", command->name, command->summary);
    fprintf(out, ".SH SYNOPSIS\n.B approf %s\n", command->name);
    if (command->groups) {
        fputs("[\\fIoptions\\fR]\n", out);
    }
    text(out, command->arguments);
    fputs("\n.SH OPTIONS\nOptions take one dash or two, a value behind \\fB=\\fR or as the next "
          "word, and stand before or after the arguments.\n",
          out);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (generate_takes(command, &option_table[i])) {
            option_entry(out, &option_table[i]);
        }
    }
    exit_status(out);
    fputs(".SH SEE ALSO\n.BR approf (1)\n", out);
}

void generate_man(FILE *out, const struct command *command)
{
    if (command) {
        command_page(out, command);
        return;
    }
    head(out, "approf", NULL, "find what allocates in native programs");
    fputs(".SH SYNOPSIS\n.B approf\n\\fICOMMAND\\fR [\\fIoptions\\fR] \\fISOURCE\\fR...\n.br\n"
          ".B approf\n[\\fIoptions\\fR] \\fB\\-\\fIREPORT\\fR \\fISOURCE\\fR...\n.br\n"
          ".B approf\n\\fISOURCE\\fR...\n.SH DESCRIPTION\n",
          out);
    text(out,
         "A SOURCE is a pprof file, a profile in one of the older text formats, a heap dump of "
         "jemalloc, folded stacks, '-' for standard input, the tables that a profiled process "
         "left, the PID or the name of one that runs. Several are merged. The second form is "
         "that of pprof, where the report is an option; the third asks for reports one by "
         "one.");
    fputs("\n.SH COMMANDS\n", out);
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            fprintf(out, ".TP\n.BR approf\\-%s (1)\n", commands[i].name);
            text(out, commands[i].summary);
            fputs(".\n", out);
        }
    }
    exit_status(out);
}
