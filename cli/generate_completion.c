/* generate_completion.c - completion for bash, zsh and fish; see generate.h. */
#include "generate.h"

#include <string.h>

bool generate_has_choices(const struct option *option)
{
    return strchr(option->unit, '|') && option->unit[0] >= 'a' && option->unit[0] <= 'z';
}

/* The words of "a|b|c" with blanks between. */
static void words(FILE *out, const char *choices)
{
    for (; *choices; choices++) {
        putc(*choices == '|' ? ' ' : *choices, out);
    }
}

/* What stands between single quotes. */
static void quoted(FILE *out, const char *text, const char *escaped, bool quote_doubles)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote_doubles ? "\\'" : "'\\''", out);
        } else {
            if (strchr(escaped, *text)) {
                putc('\\', out);
            }
            putc(*text, out);
        }
    }
}

/* Options of pprof's form, where there is no command. */
static bool in_pprof_form(const struct option *option)
{
    return option->groups & (GROUP_ALL | GROUP_LOAD | GROUP_REPORT | GROUP_FORMAT | GROUP_WEB);
}

static void bash_options(FILE *out, const struct command *command)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const struct option *option = &option_table[i];
        if (command ? generate_takes(command, option) : in_pprof_form(option)) {
            fprintf(out, " -%s%s", option->name, option->type == OPTION_IS_BOOL ? "" : "=");
        }
    }
}

void generate_bash(FILE *out)
{
    fputs("# bash completion of approf, written by `approf generate bash`\n"
          "_approf()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} option= list=\n"
          "    COMPREPLY=()\n"
          "    if [[ $word == = ]]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD-1]} word=\n"
          "    elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if [[ -n $option ]]; then\n"
          "        case ${option##*-} in\n",
          out);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (generate_has_choices(&option_table[i])) {
            fprintf(out, "        %s) list='", option_table[i].name);
            words(out, option_table[i].unit);
            fputs("' ;;\n", out);
        }
    }
    fputs("        esac\n"
          "    elif [[ $word == -* ]]; then\n"
          "        case $command in\n",
          out);
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            fprintf(out, "        %s) list='", commands[i].name);
            bash_options(out, &commands[i]);
            fputs("' ;;\n", out);
        }
    }
    fputs("        *) list='", out);
    bash_options(out, NULL);
    fputs("' ;;\n"
          "        esac\n"
          "    elif ((COMP_CWORD == 1)) || [[ $command == help ]]; then\n"
          "        list='",
          out);
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            fprintf(out, " %s", commands[i].name);
        }
    }
    fputs("'\n"
          "    fi\n"
          "    [[ -z $list ]] || mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\")\n"
          "    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then\n"
          "        compopt -o nospace 2>/dev/null\n"
          "    fi\n"
          "}\n"
          "complete -o default -F _approf approf\n",
          out);
}

void generate_zsh(FILE *out)
{
    static const char special[] = "[]:\\";
    fputs("#compdef approf\n# zsh completion of approf, written by `approf generate zsh`\n"
          "_approf()\n{\n    local -a commands\n    commands=(\n",
          out);
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            fprintf(out, "        '%s:", commands[i].name);
            quoted(out, commands[i].summary, ":\\", false);
            fputs("'\n", out);
        }
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
          "        _describe command commands\n"
          "        _files\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n",
          out);
    for (size_t c = 0; c <= n_commands; c++) {
        const struct command *command = c < n_commands ? &commands[c] : NULL;
        if (command && (command->flags & COMMAND_HIDDEN)) {
            continue;
        }
        fprintf(out, "    %s)\n        _arguments '*:source:_files'",
                command ? command->name : "*");
        for (size_t i = 0; i < N_OPTIONS; i++) {
            const struct option *option = &option_table[i];
            if (!(command ? generate_takes(command, option) : in_pprof_form(option))) {
                continue;
            }
            bool flag = option->type == OPTION_IS_BOOL;
            fprintf(out, " \\\n            '-%s%s[", option->name, flag ? "" : "=");
            quoted(out, option->help, special, false);
            putc(']', out);
            if (!flag) {
                putc(':', out);
                quoted(out, option->unit, special, false);
                fputs(generate_has_choices(option) ? ":(" : ":", out);
                if (generate_has_choices(option)) {
                    words(out, option->unit);
                    putc(')', out);
                } else if (strstr(option->unit, "FILE") || strstr(option->unit, "SOURCE")) {
                    fputs("_files", out);
                }
            }
            putc('\'', out);
        }
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n}\n_approf \"$@\"\n", out);
}

void generate_fish(FILE *out)
{
    fputs("# fish completion of approf, written by `approf generate fish`\n", out);
    for (size_t i = 0; i < n_commands; i++) {
        if (!(commands[i].flags & COMMAND_HIDDEN)) {
            fprintf(out, "complete -c approf -n __fish_use_subcommand -a %s -d '",
                    commands[i].name);
            quoted(out, commands[i].summary, "\\", true);
            fputs("'\n", out);
        }
    }
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const struct option *option = &option_table[i];
        fputs("complete -c approf", out);
        if (!(option->groups & GROUP_ALL)) {
            fputs(" -n '", out);
            fputs(in_pprof_form(option) ? "__fish_use_subcommand; or " : "", out);
            fputs("__fish_seen_subcommand_from", out);
            for (size_t c = 0; c < n_commands; c++) {
                if (!(commands[c].flags & COMMAND_HIDDEN) && generate_takes(&commands[c], option)) {
                    fprintf(out, " %s", commands[c].name);
                }
            }
            putc('\'', out);
        }
        fprintf(out, " -o '%s'", option->name);
        if (option->type != OPTION_IS_BOOL) {
            fputs(" -r", out);
        }
        if (generate_has_choices(option)) {
            fputs(" -f -a '", out);
            words(out, option->unit);
            putc('\'', out);
        }
        fputs(" -d '", out);
        quoted(out, option->help, "\\", true);
        fputs("'\n", out);
    }
}
