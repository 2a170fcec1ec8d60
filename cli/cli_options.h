/* cli_options.h - options of all commands: their table, their values, their parsing.
 *
 * The table is made from option_list.h. An option takes one dash or two, `-name=value` or
 * `-name value` (booleans `-name` or `-name=true|false`), before or after the arguments; `--` ends
 * options. Text values point into argv. A mistake is told on stderr with the nearest names.
 */
#ifndef APPROF_CLI_OPTIONS_H
#define APPROF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which commands take an option. */
enum {
    GROUP_NONE = 0,
    GROUP_ALL = 1,          /* every command */
    GROUP_LOAD = 2,         /* commands that load profiles */
    GROUP_REPORT = 4,       /* commands that print a report of a profile */
    GROUP_FORMAT = 8,       /* pprof's command line: -top, -list=RE, ... */
    GROUP_OUTPUT = 16,      /* commands that write one file */
    GROUP_WEB = 32,         /* commands that serve pages */
    GROUP_TABLE = 64,       /* reports that are tables and have -json and -csv */
    GROUP_RUN = 128,        /* run and record */
    GROUP_GATE = 256,       /* gate */
    GROUP_PS = 1 << 16,     /* ps */
    GROUP_SERVE = 1 << 17,  /* serve */
    GROUP_LIVE = 1 << 18,   /* live */
    GROUP_RECORD = 1 << 19, /* record */
};

enum option_type { OPTION_IS_BOOL, OPTION_IS_TEXT, OPTION_IS_INT, OPTION_IS_REAL };

enum option_id {
#define OPTION_BOOL(field, name, standard, groups, help)       OPTION_##field,
#define OPTION_TEXT(field, name, standard, unit, groups, help) OPTION_##field,
#define OPTION_INT(field, name, standard, unit, groups, help)  OPTION_##field,
#define OPTION_REAL(field, name, standard, unit, groups, help) OPTION_##field,
#include "option_list.h"
#undef OPTION_BOOL
#undef OPTION_TEXT
#undef OPTION_INT
#undef OPTION_REAL
    N_OPTIONS
};

struct cli_options {
#define OPTION_BOOL(field, name, standard, groups, help)       bool field;
#define OPTION_TEXT(field, name, standard, unit, groups, help) const char *field;
#define OPTION_INT(field, name, standard, unit, groups, help)  int64_t field;
#define OPTION_REAL(field, name, standard, unit, groups, help) double field;
#include "option_list.h"
#undef OPTION_BOOL
#undef OPTION_TEXT
#undef OPTION_INT
#undef OPTION_REAL
    bool is_set[N_OPTIONS]; /* given by the user, whatever the value */
    /* Every value option in the order given, for those that may be given several times. */
    const struct option_given *given;
    size_t n_given;
};

struct option_given {
    enum option_id id;
    const char *value, *second; /* second: of options whose unit is two words */
};

struct option {
    const char *name;
    enum option_type type;
    const char *standard; /* default, as text */
    const char *unit;     /* what the value is called in help; "a|b": one of these words; "A B": two
                             values, -name A B */
    unsigned groups;
    const char *help;
    size_t offset; /* of the value in struct cli_options */
};

extern const struct option option_table[N_OPTIONS];

void options_defaults(struct cli_options *options);

/* By its name or an alias (-o, -h); NULL when there is none. */
const struct option *option_find(const char *name);

/* Sets one option from text (NULL for a boolean without a value). False after an error message. */
bool option_set(struct cli_options *options, const struct option *option, const char *value);

enum { PARSE_STOP_AT_ARGUMENT = 1 };

/* Takes the options of these groups out of argv[0..argc) and leaves the rest in arguments (room for
 * argc + 1 pointers). subject starts error messages, the command's name or NULL. False after an
 * error message. */
bool options_parse(struct cli_options *options, unsigned groups, unsigned flags,
                   const char *subject, int argc, char **argv, const char **arguments,
                   int *n_arguments);

#endif
