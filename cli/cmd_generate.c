/* cmd_generate.c - approf generate man FOLDER | bash | zsh | fish: what `make install` installs
 * beside the program. */
#include "generate.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* approf.1 and approf-COMMAND.1 */
static int write_page(const char *folder, const struct command *command)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/approf%s%s.1", folder, command ? "-" : "",
                     command ? command->name : "");
    if (n < 0 || (size_t)n >= sizeof path) {
        return message_error("%s: the name is too long", folder);
    }
    FILE *out = fopen(path, "we");
    if (!out) {
        message_error("%s: cannot be written: %s", path, message_errno(errno));
        message_hint("the folder must exist");
        return STATUS_BAD_USAGE;
    }
    generate_man(out, command);
    bool fine = !ferror(out);
    if (fclose(out) != 0 || !fine) {
        return message_error("%s: cannot be written: %s", path, message_errno(errno));
    }
    return STATUS_FINE;
}

int cmd_generate(struct invocation *invocation)
{
    const char *what = invocation->n_arguments > 0 ? invocation->arguments[0] : "";
    if (strcmp(what, "bash") == 0) {
        generate_bash(stdout);
    } else if (strcmp(what, "zsh") == 0) {
        generate_zsh(stdout);
    } else if (strcmp(what, "fish") == 0) {
        generate_fish(stdout);
    } else if (strcmp(what, "man") == 0 && invocation->n_arguments == 2) {
        int status = write_page(invocation->arguments[1], NULL);
        for (size_t i = 0; i < n_commands && status == STATUS_FINE; i++) {
            if (!(commands[i].flags & COMMAND_HIDDEN)) {
                status = write_page(invocation->arguments[1], &commands[i]);
            }
        }
        return status;
    } else {
        message_error("generate: man with a folder, bash, zsh or fish is wanted");
        message_hint("approf generate man FOLDER");
        return STATUS_BAD_USAGE;
    }
    return STATUS_FINE;
}
