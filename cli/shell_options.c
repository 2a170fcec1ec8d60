/* shell_options.c - the options that the interactive mode shows and sets. They are those of the
 * command line; what excludes each other there is one option with a choice here, as in pprof. */
#include "memory.h"
#include "shell.h"
#include "source_load.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "call_tree",
    "ci",
    "compact_labels",
    "divide_by",
    "drop_negative",
    "edgefraction",
    "focus",
    "granularity",
    "hide",
    "ignore",
    "intel_syntax",
    "mean",
    "nodecount",
    "nodefraction",
    "noinlines",
    "normalize",
    "output",
    "prune_from",
    "relative_percentages",
    "sample_index",
    "show",
    "show_from",
    "showcolumns",
    "sort",
    "source_path",
    "tagfocus",
    "taghide",
    "tagignore",
    "tagleaf",
    "tagroot",
    "tagshow",
    "trim",
    "trim_path",
    "unit",
};

struct choice {
    const char *name;
    enum option_id id;
};
static const struct choice granularities[] = {
    {"addresses", OPTION_addresses}, {"filefunctions", OPTION_filefunctions},
    {"files", OPTION_files},         {"functions", OPTION_functions},
    {"lines", OPTION_lines},
};
static const struct choice orders[] = {{"cum", OPTION_cum}, {"flat", OPTION_flat}};

enum { N_GRANULARITIES = 5, N_ORDERS = 2, N_NAMES = sizeof names / sizeof names[0] };

static bool *boolean(struct cli_options *options, enum option_id id)
{
    return (bool *)((char *)options + option_table[id].offset);
}

/* The one of the choices that holds; the default when none was asked for. */
static const char *chosen(const struct shell *shell, const struct choice *choices, size_t n,
                          const char *standard)
{
    struct cli_options options = shell->options;
    for (size_t i = 0; i < n; i++) {
        if (*boolean(&options, choices[i].id)) {
            return choices[i].name;
        }
    }
    return standard;
}

static bool choose(struct shell *shell, const struct choice *choices, size_t n, const char *value)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(choices[i].name, value) == 0) {
            for (size_t k = 0; k < n; k++) {
                *boolean(&shell->options, choices[k].id) = k == i;
            }
            return true;
        }
    }
    return false;
}

static bool is_choice(const char *name)
{
    for (size_t i = 0; i < N_GRANULARITIES; i++) {
        if (strcmp(name, granularities[i].name) == 0) {
            return true;
        }
    }
    return strcmp(name, "cum") == 0 || strcmp(name, "flat") == 0;
}

static void choose_type(struct shell *shell, const char *value)
{
    struct cli_options tried = shell->options;
    uint32_t index;
    tried.inuse_space = tried.inuse_objects = tried.alloc_space = tried.alloc_objects = false;
    tried.contentions = tried.total_delay = false;
    tried.mean |= tried.mean_delay;
    tried.mean_delay = false;
    tried.sample_index = value;
    if (report_choose_type(shell->profile, &tried, &index)) {
        tried.sample_index = profile_text(shell->profile, shell->profile->sample_types[index].type);
        shell->options = tried;
    }
}

bool shell_assign(struct shell *shell, const char *name, const char *value)
{
    bool is_known = is_choice(name);
    for (size_t i = 0; i < N_NAMES; i++) {
        is_known |= strcmp(name, names[i]) == 0;
    }
    if (!is_known) {
        return false;
    }
    const struct option *option = option_find(name);
    bool is_flag = is_choice(name) || (option && option->type == OPTION_IS_BOOL);
    if (!value && is_choice(name)) {
        message_error("unknown config field \"%s\"", name);
        message_hint("%s=true", name);
    } else if (!value && !is_flag) {
        message_error("please specify a value, e.g. %s=<val>", name);
    } else if (strcmp(name, "granularity") == 0 || strcmp(name, "sort") == 0) {
        bool rows = *name == 'g';
        if (!choose(shell, rows ? granularities : orders, rows ? N_GRANULARITIES : N_ORDERS,
                    value)) {
            message_error("invalid \"%s\" value \"%s\"", name, value);
            message_hint(rows ? "functions, filefunctions, files, lines or addresses"
                              : "flat or cum");
        }
    } else if (is_choice(name)) {
        struct cli_options probe = shell->options;
        if (option_set(&probe, option, value) &&
            *boolean(&probe, (enum option_id)(option - option_table)) &&
            !choose(shell, granularities, N_GRANULARITIES, name)) {
            choose(shell, orders, N_ORDERS, name);
        }
    } else if (strcmp(name, "sample_index") == 0) {
        choose_type(shell, value);
    } else {
        option_set(&shell->options, option, value ? memory_text(value, strlen(value)) : NULL);
        if (strcmp(name, "mean") == 0) {
            shell->options.mean_delay = false;
        }
    }
    return true;
}

void shell_print_options(const struct shell *shell)
{
    const struct profile *p = shell->profile;
    for (size_t i = 0; i < N_NAMES; i++) {
        const char *name = names[i];
        char value[64];
        const char *shown = value;
        bool old = options_go119(&shell->options);
        if (strcmp(name, "source_path") == 0 ||
            (old && (strcmp(name, "showcolumns") == 0 || strcmp(name, "ci") == 0))) {
            continue;
        }
        const char *comment = "";
        char *types = NULL;
        const struct option *option = option_find(name);
        const void *field = option ? (const char *)&shell->options + option->offset : NULL;
        if (strcmp(name, "granularity") == 0) {
            shown = chosen(shell, granularities, N_GRANULARITIES, "functions");
            comment = "//: [addresses | filefunctions | files | functions | lines]";
        } else if (strcmp(name, "sort") == 0) {
            shown = chosen(shell, orders, N_ORDERS, "flat");
            comment = "//: [cum | flat]";
        } else if (strcmp(name, "sample_index") == 0) {
            /* What reports show without it; pprof says the last type, whatever the default is. */
            uint32_t index = p->n_sample_types - 1;
            if (!*shell->options.sample_index && !old) {
                report_choose_type(p, &shell->options, &index);
            }
            shown = *shell->options.sample_index ? shell->options.sample_index
                                                 : profile_text(p, p->sample_types[index].type);
            types = memory_print("//: [");
            for (uint32_t t = 0; t < p->n_sample_types; t++) {
                char *longer = memory_print("%s%s%s", types, t ? " | " : "",
                                            profile_text(p, p->sample_types[t].type));
                free(types);
                types = longer;
            }
            char *closed = memory_print("%s]", types);
            free(types);
            comment = types = closed;
        } else if (option->type == OPTION_IS_BOOL) {
            shown = *(const bool *)field ? "true" : "false";
        } else if (option->type == OPTION_IS_INT) {
            snprintf(value, sizeof value, "%lld", (long long)*(const int64_t *)field);
            comment = strcmp(value, "-1") == 0 ? "//: default" : "";
        } else if (option->type == OPTION_IS_REAL) {
            snprintf(value, sizeof value, "%g", *(const double *)field);
        } else {
            shown = **(const char *const *)field ? *(const char *const *)field : "\"\"";
        }
        fprintf(stderr, "  %-25s = %-20s %s\n", name, shown, comment);
        free(types);
    }
}

const char *shell_option_name(size_t n)
{
    return n < N_NAMES ? names[n] : NULL;
}

const char *shell_option_help(const char *name)
{
    if (strcmp(name, "granularity") == 0) {
        return "what a row is: functions, filefunctions, files, lines or addresses";
    }
    if (strcmp(name, "sort") == 0) {
        return "order of rows: flat or cum";
    }
    for (size_t i = 0; i < N_NAMES; i++) {
        if (strcmp(name, names[i]) == 0) {
            return option_find(name)->help;
        }
    }
    return NULL;
}
