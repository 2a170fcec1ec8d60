/* cmd_help.c - approf help [COMMAND], from the tables of commands and options. */
#include "commands.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 80, /* of the narrowest terminal that is usual; longer lines would break anywhere */
    OPTION_INDENT = 31,
    COMMAND_INDENT = 15,
};

/* Words from column on, further lines indented; ends the line. */
static void print_words(const char *text, size_t column, size_t indent)
{
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        if (!first && column + 1 + n > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)n, text);
        column += n;
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

static void print_option(const struct option *option)
{
    char left[64], text[512];
    if (option->type == OPTION_IS_BOOL) {
        snprintf(left, sizeof left, "-%s", option->name);
    } else {
        snprintf(left, sizeof left, "-%s=%s", option->name, option->unit);
    }
    bool plain = option->type == OPTION_IS_BOOL ? strcmp(option->standard, "false") == 0
                                                : !*option->standard;
    bool told = !plain && strcmp(option->standard, "-1") != 0;
    snprintf(text, sizeof text, "%s%s%s%s", option->help, told ? " (default " : "",
             told ? option->standard : "", told ? ")" : "");
    print_words(text, (size_t)printf("  %-28s ", left), OPTION_INDENT);
}

static void print_options(unsigned groups, const char *title)
{
    bool titled = false;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (option_table[i].groups & groups) {
            if (!titled) {
                printf("\n%s\n", title);
                titled = true;
            }
            print_option(&option_table[i]);
        }
    }
}

static int help_command(const struct command *command)
{
    char summary[256];
    static const struct {
        unsigned group;
        const char *title;
    } sections[] = {
        {GROUP_RUN, "Options of the run:"},       {GROUP_PS, "Options:"},
        {GROUP_SERVE, "Options of the server:"},  {GROUP_RECORD, "Options of recording:"},
        {GROUP_LIVE, "Options of the view:"},     {GROUP_GATE, "Options of the gate:"},
        {GROUP_REPORT, "Options of the report:"}, {GROUP_TABLE, "How the table is written:"},
        {GROUP_LOAD, "Options of loading:"},      {GROUP_WEB, "Options of the server:"},
    };
    printf("approf %s%s %s\n\n", command->name, command->groups ? " [options]" : "",
           command->arguments);
    snprintf(summary, sizeof summary, "%s.", command->summary);
    print_words(summary, 0, 0);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (command->groups & sections[i].group) {
            print_options(sections[i].group, sections[i].title);
        }
    }
    if ((command->groups & GROUP_OUTPUT) && !(command->groups & GROUP_REPORT)) {
        print_options(GROUP_OUTPUT, "Output:");
    }
    print_options(GROUP_ALL, "Everywhere:");
    return STATUS_FINE;
}

static int help_all(void)
{
    puts("approf COMMAND [options] SOURCE...\n\n"
         "Finds what allocates in native programs. A SOURCE is a pprof file, '-' for\n"
         "standard input, the tables that a profiled process left, a PID, or an http URL.\n\n"
         "Commands:");
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            print_words(commands[i].summary, (size_t)printf("  %-12s ", commands[i].name),
                        COMMAND_INDENT);
        }
    }
    puts("\n'approf help COMMAND' lists a command's options. pprof's own form works too:\n"
         "approf -top -cum PROFILE");
    return STATUS_FINE;
}

int cmd_help(struct invocation *invocation)
{
    const struct command *command = NULL;
    if (invocation->n_arguments > 0) {
        command = command_find(invocation->arguments[0]);
        if (!command) {
            message_error("help: there is no command '%s'", invocation->arguments[0]);
            message_hint("'approf help' lists the commands");
            return STATUS_BAD_USAGE;
        }
    }
    terminal_page();
    int status = command ? help_command(command) : help_all();
    terminal_page_end();
    return status;
}
