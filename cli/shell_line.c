/* shell_line.c - what a line of the interactive mode means. */
#include "memory.h"
#include "shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct shell_command shell_commands[] = {
    {"callgrind", "callgrind", NULL, "callgraph.out", "a graph for kcachegrind", false},
    {"churn", "churn", NULL, NULL, "what was allocated beside what is in use", false},
    {"comments", "comments", NULL, NULL, "the profile's comments", false},
    {"disasm", "disasm", NULL, NULL, "machine code of functions that match", true},
    {"dot", "dot", NULL, NULL, "the call graph for graphviz", false},
    {"folded", "folded", NULL, NULL, "one line a stack, for flame graph tools", false},
    {"list", "list", NULL, NULL, "source lines of functions that match", true},
    {"pdf", "dot", "pdf", "pdf", "the call graph as PDF", false},
    {"peek", "peek", NULL, NULL, "callers and callees of functions that match", true},
    {"png", "dot", "png", "png", "the call graph as PNG", false},
    {"proto", "proto", NULL, "pb.gz", "the profile in protobuf form", false},
    {"raw", "raw", NULL, NULL, "the profile as text", false},
    {"speedscope", "speedscope", NULL, "speedscope.json", "stacks as speedscope reads them", false},
    {"svg", "dot", "svg", "svg", "the call graph as SVG", false},
    {"tags", "tags", NULL, NULL, "the values of all labels", false},
    {"text", "top", NULL, NULL, "same as top", false},
    {"top", "top", NULL, NULL, "what weighs most", false},
    {"topproto", "topproto", NULL, "pb.gz", "top rows in protobuf form", false},
    {"traces", "traces", NULL, NULL, "all stacks, one by one", false},
    {"tree", "tree", NULL, NULL, "rows with their callers and callees", false},
    {"weblist", "weblist", NULL, "html", "source lines as a page for a browser", true},
};
const size_t n_shell_commands = sizeof shell_commands / sizeof shell_commands[0];

static const char blanks[] = " \t\n\v\f\r";

static const struct shell_command *find_command(const char *name, size_t n)
{
    for (size_t i = 0; i < n_shell_commands; i++) {
        if (strlen(shell_commands[i].name) == n && memcmp(shell_commands[i].name, name, n) == 0) {
            return &shell_commands[i];
        }
    }
    return NULL;
}

static void help(const char *name)
{
    if (!name) {
        fputs("Commands:\n", stderr);
        for (size_t i = 0; i < n_shell_commands; i++) {
            fprintf(stderr, "  %-20s %s\n", shell_commands[i].name, shell_commands[i].help);
        }
        fputs("  o, options           the options and their values\n"
              "  :                    clear focus, ignore, hide, tagfocus and tagignore\n"
              "  q, quit, exit        end\n\nOptions (NAME=VALUE):\n",
              stderr);
        for (size_t i = 0; shell_option_name(i); i++) {
            fprintf(stderr, "  %-20s %s\n", shell_option_name(i),
                    shell_option_help(shell_option_name(i)));
        }
        fputs("\nThe name of a sample type shows its values. help NAME says more.\n", stderr);
        return;
    }
    const struct shell_command *command = find_command(name, strlen(name));
    if (command) {
        fprintf(stderr,
                "%s\n  %s%s [N] [FOCUS]... [-IGNORE]... [-cum] [>FILE]\n"
                "  N: so many rows; FOCUS, IGNORE: expressions that stacks must, must not match;\n"
                "  -cum: rows by weight with callees; >FILE: write there\n",
                command->help, command->name, command->takes_regexp ? " RE" : "");
    } else if (shell_option_help(name)) {
        fprintf(stderr, "%s\n", shell_option_help(name));
    } else {
        message_error("Unknown command: %s", name);
        message_hint("help lists the commands");
    }
}

/* A whole number of 32 bits, as pprof takes it for the number of rows. */
static bool is_count(const char *word, int64_t *count)
{
    char *end;
    errno = 0;
    long long number = strtoll(word, &end, 10);
    if (end == word || *end || errno || number != (int32_t)number) {
        return false;
    }
    *count = number;
    return true;
}

static char *either(char *expression, const char *more)
{
    char *joined = *expression && *more ? memory_print("%s|%s", expression, more)
                                        : memory_print("%s%s", expression, more);
    free(expression);
    return joined;
}

/* The words behind a command hold for it alone. False after a message. */
static bool passing_options(struct shell_order *order, const char *first, char **rest, bool tags)
{
    char *focus = memory_text("", 0), *ignore = memory_text("", 0);
    bool fine = true;
    const char *word = first ? first : strtok_r(NULL, blanks, rest);
    for (; word && fine; word = strtok_r(NULL, blanks, rest)) {
        if (is_count(word, &order->options.nodecount)) {
            continue;
        }
        if (*word == '>') {
            const char *file = word[1] ? word + 1 : strtok_r(NULL, blanks, rest);
            if (file) {
                order->options.output = file;
            } else {
                message_error("unexpected end of line after >");
                fine = false;
            }
        } else if (strcmp(word, "-cum") == 0 || strcmp(word, "--cum") == 0) {
            order->options.cum = true;
            order->options.flat = false;
        } else if (*word == '-') {
            ignore = either(ignore, word + 1);
        } else {
            focus = either(focus, word);
        }
    }
    /* Kept as long as the order: a line's worth of text. */
    if (*focus) {
        *(tags ? &order->options.tagfocus : &order->options.focus) = focus;
    }
    if (*ignore) {
        *(tags ? &order->options.tagignore : &order->options.ignore) = ignore;
    }
    return fine;
}

static void run_command(struct shell *shell, char *name, char *rest)
{
    size_t n = strlen(name), digits = n;
    const char *count = NULL;
    const struct shell_command *command = find_command(name, n);
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
        digits--;
    }
    if (!command && digits > 0 && digits < n) {
        command = find_command(name, digits); /* top10 */
        count = name + digits;
    }
    if (!command) {
        const char *word = strtok_r(NULL, blanks, &rest);
        if (shell_option_help(name)) {
            message_error("did you mean: %s=%s", name, word ? word : "<val>");
            return;
        }
        const char *known[64], *nearest[1];
        size_t n_known = 0;
        for (size_t i = 0; i < n_shell_commands; i++) {
            known[n_known++] = shell_commands[i].name;
        }
        message_error("unrecognized command: \"%s\"", name);
        static const char *const viewers[] = {"web", "eog", "evince", "gv", "kcachegrind"};
        bool is_viewer = false;
        for (size_t i = 0; i < sizeof viewers / sizeof viewers[0]; i++) {
            is_viewer |= strcmp(name, viewers[i]) == 0;
        }
        if (is_viewer) {
            message_hint(
                "'approf web PROFILE' opens a browser; svg, pdf and callgrind write files");
        } else if (nearest_names(name, known, n_known, nearest, 1)) {
            message_hint("did you mean '%s'?", nearest[0]);
        } else {
            message_hint("help lists the commands");
        }
        return;
    }
    struct shell_order order = {
        .format = report_format_find(command->format),
        .language = command->language,
        .ending = command->ending,
        .options = shell->options,
    };
    if (command->takes_regexp) {
        order.regexp = count ? count : strtok_r(NULL, blanks, &rest);
        count = NULL;
        if (!order.regexp) {
            message_error("command %s requires an argument", command->name);
            return;
        }
    }
    if (!passing_options(&order, count, &rest, strcmp(command->name, "tags") == 0)) {
        return;
    }
    if (order.options.nodecount == -1 && strcmp(command->format, "top") == 0) {
        order.options.nodecount = 10;
    }
    shell_report(shell, &order);
}

/* The name of a sample type, with total_ or mean_ in front or not. */
static bool is_type(struct shell *shell, const char *line)
{
    const struct profile *p = shell->profile;
    bool total = strncmp(line, "total_", 6) == 0, mean = strncmp(line, "mean_", 5) == 0;
    const char *bare = line + (total ? 6 : mean ? 5 : 0);
    for (uint32_t t = 0; t < p->n_sample_types; t++) {
        const char *type = profile_text(p, p->sample_types[t].type);
        bool whole = strcmp(line, type) == 0;
        if (whole || ((total || mean) && strcmp(bare, type) == 0)) {
            if (!whole) {
                shell_assign(shell, "mean", mean ? "1" : "0");
            }
            shell_assign(shell, "sample_index", type);
            return true;
        }
    }
    return false;
}

static char *trimmed(char *text)
{
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n && strchr(blanks, text[n - 1])) {
        text[--n] = '\0';
    }
    return text;
}

/* `name=value //: a comment`. */
static bool is_assignment(struct shell *shell, const char *line)
{
    char *copy = memory_text(line, strlen(line)), *value = strchr(copy, '=');
    if (value) {
        *value++ = '\0';
        char *last = NULL;
        for (char *at = value; (at = strstr(at, "//:")) != NULL; at += 3) {
            last = at;
        }
        if (last) {
            *last = '\0';
        }
        value = trimmed(value);
    }
    bool is = shell_assign(shell, trimmed(copy), value);
    free(copy);
    return is;
}

bool shell_run_line(struct shell *shell, char *line)
{
    static const char *const cleared[] = {"focus", "ignore", "hide", "tagfocus", "tagignore"};
    line = trimmed(line);
    if (strcmp(line, ":") == 0) {
        for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++) {
            shell_assign(shell, cleared[i], "");
        }
        return true;
    }
    if (!*line || is_type(shell, line) || is_assignment(shell, line)) {
        return true;
    }
    char *rest, *name = strtok_r(line, blanks, &rest);
    if (strcmp(name, "q") == 0 || strcmp(name, "quit") == 0 || strcmp(name, "exit") == 0) {
        return false;
    }
    if (strcmp(name, "o") == 0 || strcmp(name, "options") == 0) {
        shell_print_options(shell);
    } else if (strcmp(name, "help") == 0) {
        help(strtok_r(NULL, blanks, &rest));
    } else {
        run_command(shell, name, rest);
    }
    return true;
}
