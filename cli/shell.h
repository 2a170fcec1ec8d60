/* shell.h - the interactive mode: what a line means, where lines come from.
 *
 * What lines mean is pprof's (pprof's own words where it has them): assignments, names of sample
 * types, commands with their passing options. Mistakes are told on stderr and end nothing. One
 * shell at a time: the line editor has global state. Texts of options that lines set live as long
 * as the program.
 */
#ifndef APPROF_SHELL_H
#define APPROF_SHELL_H

#include "cli_options.h"
#include "profile.h"
#include "report.h"

struct shell {
    const struct profile *profile; /* never changed */
    struct cli_options options;    /* what assignments have set */
};

/* One report that a line asks for. */
struct shell_order {
    const struct report_format *format;
    const char *language; /* graphviz's, of a picture; NULL otherwise */
    const char *ending;   /* of the file it goes to without an output; NULL: standard output */
    const char *regexp;
    struct cli_options options;
};

/* Exit status, after messages. */
int shell_report(const struct shell *shell, const struct shell_order *order);

/* Does what a line says. False when it ends the shell. line is changed. */
bool shell_run_line(struct shell *shell, char *line);

/* ---- options (shell_options.c) ---- */

/* `name=value`, or `name` of a boolean: true when the line is one, right or wrong. value is NULL
 * without '='. */
bool shell_assign(struct shell *shell, const char *name, const char *value);
void shell_print_options(const struct shell *shell);
/* The nth name that can be assigned; NULL behind the last. */
const char *shell_option_name(size_t n);
/* What it is for; NULL when there is no such name. */
const char *shell_option_help(const char *name);

/* ---- commands (shell_line.c) ---- */

struct shell_command {
    const char *name, *format, *language, *ending, *help;
    bool takes_regexp;
};
extern const struct shell_command shell_commands[];
extern const size_t n_shell_commands;

/* ---- lines (shell_input.c) ---- */

/* At a terminal lines are edited, with history and completion of commands, options and functions.
 */
void shell_input_begin(const struct shell *shell);
/* Without its newline, to be freed; NULL at the end. */
char *shell_input_line(const char *prompt);
void shell_input_end(void);

#endif
