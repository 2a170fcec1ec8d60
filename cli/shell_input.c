/* shell_input.c - lines for the interactive mode: libedit at a terminal, plain reading otherwise.
 */
#include "shell.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CANDIDATES = 500 };

static const struct shell *current; /* for libedit's callbacks, which take no context */
static bool edits;

/* The nth of all names that may stand first in a line. */
static const char *first_word(size_t n)
{
    static const char *const others[] = {"help", "options", "quit", "exit"};
    if (n < n_shell_commands) {
        return shell_commands[n].name;
    }
    n -= n_shell_commands;
    if (n < sizeof others / sizeof others[0]) {
        return others[n];
    }
    return shell_option_name(n - sizeof others / sizeof others[0]);
}

static char *next_first_word(const char *typed, int state)
{
    static size_t at;
    if (state == 0) {
        at = 0;
    }
    for (const char *name; (name = first_word(at)) != NULL;) {
        at++;
        if (strncmp(name, typed, strlen(typed)) == 0) {
            return strdup(name);
        }
    }
    return NULL;
}

static char *next_function(const char *typed, int state)
{
    static uint32_t at;
    static int found;
    const struct profile *p = current->profile;
    const char *sign = *typed == '-' ? "-" : "";
    typed += *sign != '\0';
    if (state == 0) {
        at = 0;
        found = 0;
    }
    while (at < p->n_functions && found < MOST_CANDIDATES) {
        const char *name = profile_text(p, p->functions[at++].name);
        char *candidate;
        if (*name && strncmp(name, typed, strlen(typed)) == 0 &&
            asprintf(&candidate, "%s%s", sign, name) >= 0) {
            found++;
            return candidate;
        }
    }
    return NULL;
}

static char **complete(const char *typed, int start, int end)
{
    (void)end;
    bool first = start == 0 || strncmp(rl_line_buffer, "help ", 5) == 0;
    rl_attempted_completion_over = 1; /* no file names */
    return rl_completion_matches(typed, first ? next_first_word : next_function);
}

void shell_input_begin(const struct shell *shell)
{
    static char breaks[] = " \t";
    current = shell;
    edits = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (edits) {
        rl_readline_name = (char *)(uintptr_t) "approf";
        rl_completer_word_break_characters = breaks;
        rl_attempted_completion_function = complete;
        using_history();
    }
}

char *shell_input_line(const char *prompt)
{
    if (edits) {
        char *line = readline(prompt);
        if (line && line[strspn(line, " \t")]) {
            add_history(line);
        } else if (!line) {
            putchar('\n');
        }
        return line;
    }
    fputs(prompt, stdout);
    fflush(stdout);
    char *line = NULL;
    size_t room = 0;
    ssize_t n = getline(&line, &room, stdin);
    if (n < 0) {
        free(line);
        return NULL;
    }
    if (n > 0 && line[n - 1] == '\n') {
        line[n - 1] = '\0';
    }
    return line;
}

void shell_input_end(void)
{
    current = NULL;
}
