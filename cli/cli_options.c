/* cli_options.c - the table of options and the parser of the command line. */
#include "cli_options.h"

#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct option option_table[N_OPTIONS] = {
#define OPTION_BOOL(field, name, standard, groups, help) \
    {name, OPTION_IS_BOOL, #standard, "", groups, help, offsetof(struct cli_options, field)},
#define OPTION_TEXT(field, name, standard, unit, groups, help) \
    {name, OPTION_IS_TEXT, standard, unit, groups, help, offsetof(struct cli_options, field)},
#define OPTION_INT(field, name, standard, unit, groups, help) \
    {name, OPTION_IS_INT, #standard, unit, groups, help, offsetof(struct cli_options, field)},
#define OPTION_REAL(field, name, standard, unit, groups, help) \
    {name, OPTION_IS_REAL, #standard, unit, groups, help, offsetof(struct cli_options, field)},
#include "option_list.h"
#undef OPTION_BOOL
#undef OPTION_TEXT
#undef OPTION_INT
#undef OPTION_REAL
};

static const struct {
    const char *alias, *name;
} aliases[] = {{"o", "output"}, {"h", "help"}};

void options_defaults(struct cli_options *options)
{
    memset(options, 0, sizeof *options);
#define OPTION_BOOL(field, name, standard, groups, help)       options->field = standard;
#define OPTION_TEXT(field, name, standard, unit, groups, help) options->field = standard;
#define OPTION_INT(field, name, standard, unit, groups, help)  options->field = standard;
#define OPTION_REAL(field, name, standard, unit, groups, help) options->field = standard;
#include "option_list.h"
#undef OPTION_BOOL
#undef OPTION_TEXT
#undef OPTION_INT
#undef OPTION_REAL
}

const struct option *option_find(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(aliases[i].alias, name) == 0) {
            name = aliases[i].name;
        }
    }
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (strcmp(option_table[i].name, name) == 0) {
            return &option_table[i];
        }
    }
    return NULL;
}

static bool is_one_of(const char *value, const char *words)
{
    size_t length = strlen(value);
    for (const char *word = words; *word;) {
        size_t n = strcspn(word, "|");
        if (n == length && memcmp(word, value, n) == 0) {
            return true;
        }
        word += n + (word[n] == '|');
    }
    return false;
}

/* Units in capitals only name alternatives (NAME|N); lower case words are the choices. */
static bool has_choices(const struct option *option)
{
    return strchr(option->unit, '|') && !(option->unit[0] >= 'A' && option->unit[0] <= 'Z');
}

static bool bad_value(const struct option *option, const char *value, const char *wanted)
{
    message_error("-%s: '%s' is not %s", option->name, value, wanted);
    message_hint("the default is -%s=%s", option->name,
                 *option->standard ? option->standard : "''");
    return false;
}

bool option_set(struct cli_options *options, const struct option *option, const char *value)
{
    void *field = (char *)options + option->offset;
    char *end;
    switch (option->type) {
    case OPTION_IS_BOOL:
        if (!value || is_one_of(value, "true|t|T|TRUE|True|1")) {
            *(bool *)field = true;
        } else if (is_one_of(value, "false|f|F|FALSE|False|0")) {
            *(bool *)field = false;
        } else {
            return bad_value(option, value, "true or false");
        }
        break;
    case OPTION_IS_TEXT:
        if (has_choices(option) && !is_one_of(value, option->unit)) {
            message_error("-%s: '%s' is not one of %s", option->name, value, option->unit);
            message_hint("write -%s=%.*s, for example", option->name,
                         (int)strcspn(option->unit, "|"), option->unit);
            return false;
        }
        *(const char **)field = value;
        break;
    case OPTION_IS_INT:
        errno = 0;
        long long number = strtoll(value, &end, 10);
        if (end == value || *end || errno) {
            return bad_value(option, value, "a whole number");
        }
        *(int64_t *)field = number;
        break;
    case OPTION_IS_REAL:
        errno = 0;
        double real = strtod(value, &end);
        if (end == value || *end || !isfinite(real)) {
            return bad_value(option, value, "a number");
        }
        *(double *)field = real;
        break;
    }
    options->is_set[option - option_table] = true;
    return true;
}

/* Grows by doubling; lives as long as the program. */
static bool note_given(struct cli_options *options, const struct option *option, const char *value,
                       const char *second)
{
    size_t n = options->n_given;
    if ((n & (n - 1)) == 0) {
        struct option_given *more = realloc((void *)options->given, (n ? n * 2 : 1) * sizeof *more);
        if (!more) {
            message_error("out of memory");
            return false;
        }
        options->given = more;
    }
    ((struct option_given *)options->given)[options->n_given++] = (struct option_given){
        .id = (enum option_id)(option - option_table), .value = value, .second = second};
    return true;
}

static void suggest_options(const char *typed, unsigned groups)
{
    const char *names[N_OPTIONS], *nearest[3];
    size_t n = 0;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (option_table[i].groups & groups) {
            names[n++] = option_table[i].name;
        }
    }
    size_t found = nearest_names(typed, names, n, nearest, 3);
    if (found == 1) {
        message_hint("did you mean -%s?", nearest[0]);
    } else if (found == 2) {
        message_hint("did you mean -%s or -%s?", nearest[0], nearest[1]);
    } else if (found == 3) {
        message_hint("did you mean -%s, -%s or -%s?", nearest[0], nearest[1], nearest[2]);
    } else {
        message_hint("'approf help' lists the options");
    }
}

bool options_parse(struct cli_options *options, unsigned groups, unsigned flags,
                   const char *subject, int argc, char **argv, const char **arguments,
                   int *n_arguments)
{
    const char *where = subject ? subject : "command line";
    int n = 0;
    groups |= GROUP_ALL;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        bool is_option = word[0] == '-' && word[1];
        if (strcmp(word, "--") == 0) {
            i++;
        }
        if (!is_option || strcmp(word, "--") == 0) {
            if (!is_option && !(flags & PARSE_STOP_AT_ARGUMENT)) {
                arguments[n++] = word;
                continue;
            }
            while (i < argc) {
                arguments[n++] = argv[i++];
            }
            break;
        }
        const char *name = word + (word[1] == '-' ? 2 : 1);
        char bare[64];
        size_t length = strcspn(name, "=");
        const char *value = name[length] ? name + length + 1 : NULL;
        snprintf(bare, sizeof bare, "%.*s", (int)(length < 63 ? length : 63), name);
        const struct option *option = option_find(bare);
        if (!option) {
            message_error("%s: unknown option '-%s'", where, bare);
            suggest_options(bare, groups);
            return false;
        }
        if (!(option->groups & groups)) {
            message_error("%s: option -%s does not apply here", where, option->name);
            message_hint("'approf help%s%s' lists the options that do", subject ? " " : "",
                         subject ? subject : "");
            return false;
        }
        if (!value && option->type != OPTION_IS_BOOL) {
            if (i + 1 >= argc) {
                message_error("-%s: a value is missing", option->name);
                message_hint("write -%s=%s", option->name, *option->unit ? option->unit : "VALUE");
                return false;
            }
            value = argv[++i];
        }
        const char *second = NULL;
        if (strchr(option->unit, ' ')) {
            if (i + 1 >= argc) {
                message_error("-%s: a second value is missing", option->name);
                message_hint("write -%s %s", option->name, option->unit);
                return false;
            }
            second = argv[++i];
        }
        if (!option_set(options, option, value) || !note_given(options, option, value, second)) {
            return false;
        }
    }
    arguments[n] = NULL;
    *n_arguments = n;
    return true;
}
