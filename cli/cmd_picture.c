/* cmd_picture.c - svg, png and pdf: the graph of `dot`, drawn by graphviz where it is installed. */
#include "commands.h"
#include "output_file.h"
#include "picture.h"
#include "report.h"
#include "source_load.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs dot with its input from one descriptor and its output to another. */
static int run_dot(const char *language, int input, int output)
{
    char flag[16];
    snprintf(flag, sizeof flag, "-T%s", language);
    char *arguments[] = {"dot", flag, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(&pid, "dot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        message_error("dot: cannot be run: %s", message_errno(error));
        message_hint("graphviz draws the pictures: apt-get install graphviz; 'approf dot' prints "
                     "the graph as text");
        return STATUS_BAD_USAGE;
    }
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) {
        return STATUS_FINE; /* the reader had enough */
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        message_error("dot: failed to draw the graph");
        message_hint("'approf dot' prints the graph as text");
        return STATUS_BAD_USAGE;
    }
    return STATUS_FINE;
}

int picture_draw(struct profile *profile, const struct cli_options *options, const char *language,
                 int output)
{
    FILE *text = tmpfile();
    int status = text ? report_print(profile, options, report_format_find("dot"), NULL, text)
                      : message_error("temporary file: %s", message_errno(errno));
    if (status == STATUS_FINE && (fflush(text) != 0 || lseek(fileno(text), 0, SEEK_SET) != 0)) {
        status = message_error("temporary file: %s", message_errno(errno));
    }
    if (status == STATUS_FINE) {
        status = run_dot(language, fileno(text), output);
    }
    if (text) {
        fclose(text);
    }
    return status;
}

static int draw(struct invocation *invocation, const char *language)
{
    const struct cli_options *options = &invocation->options;
    bool to_file = *options->output;
    struct profile profile;
    if (!to_file && isatty(STDOUT_FILENO) && strcmp(language, "svg") != 0) {
        message_error("%s: a picture is not for a terminal", language);
        message_hint("add -output=FILE, or send it into a pipe");
        return STATUS_BAD_USAGE;
    }
    if (!sources_load(invocation->arguments, invocation->n_arguments, options, &profile)) {
        return STATUS_BAD_USAGE;
    }
    struct output_file file;
    if (to_file) {
        message_note("Generating report in %s", options->output);
        if (!output_open(&file, options->output)) {
            message_error("%s: cannot be written: %s", options->output, message_errno(errno));
            message_hint("-output names a file in a directory that can be written to");
            profile_free(&profile);
            return STATUS_BAD_USAGE;
        }
    }
    int output = to_file ? fileno(file.stream) : STDOUT_FILENO;
    int status = picture_draw(&profile, options, language, output);
    profile_free(&profile);
    if (to_file && !output_close(&file, status == STATUS_FINE)) {
        status = message_error("%s: cannot be written: %s", options->output, message_errno(errno));
    }
    return status;
}

int cmd_svg(struct invocation *invocation)
{
    return draw(invocation, "svg");
}

int cmd_png(struct invocation *invocation)
{
    return draw(invocation, "png");
}

int cmd_pdf(struct invocation *invocation)
{
    return draw(invocation, "pdf");
}
