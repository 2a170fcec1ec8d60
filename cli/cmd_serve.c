/* cmd_serve.c - approf serve [PID|NAME|all]: heap profiles over HTTP until it is told to end. */
#include "commands.h"
#include "memory.h"
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The token: the option's value, "@FILE", or $APPROF_TOKEN (an argument can be seen in ps). NULL
 * after an error message. */
static char *read_token(const char *given)
{
    char text[1024];
    const char *environment = getenv("APPROF_TOKEN");
    if (*given != '@') {
        return memory_print("%s", *given == 0 && environment != NULL ? environment : given);
    }
    FILE *file = fopen(given + 1, "re");
    size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = 0;
    if (file != NULL) {
        fclose(file);
    }
    text[strcspn(text, "\r\n")] = 0;
    if (text[0] == 0) {
        message_error("-token: %s: %s", given + 1, file == NULL ? strerror(errno) : "empty file");
        message_hint("-token @FILE takes the token from the first line of a file");
        return NULL;
    }
    return memory_print("%s", text);
}

int cmd_serve(struct invocation *invocation)
{
    const struct cli_options *given = &invocation->options;
    if (invocation->n_arguments > 1) {
        message_error("serve: one process, or one name, or all");
        message_hint("approf serve shows all processes, each at /PID/debug/pprof/");
        return STATUS_BAD_USAGE;
    }
    char *token = read_token(given->token);
    if (token == NULL) {
        return STATUS_BAD_USAGE;
    }
    struct serve_options options = {
        .address = given->http,
        .processes = invocation->n_arguments > 0 ? invocation->arguments[0] : "all",
        .token = token,
        .hosts = given->host_names,
    };
    sigset_t ends;
    int number;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* in the server's threads as well */
    signal(SIGPIPE, SIG_IGN);
    struct server *server = server_start(&options);
    if (server == NULL) {
        free(token);
        return STATUS_BAD_USAGE;
    }
    message_note("approf: serving %s at %s/debug/pprof/", options.processes, server_url(server));
    if (server_is_open(server) && *token == 0) {
        message_error("serve: anybody who reaches %s can read the profiles", server_url(server));
        message_hint("-token @FILE asks clients for a bearer token; -http 127.0.0.1:6060 stays on "
                     "this machine");
    }
    message_note("next:   go tool pprof %s/debug/pprof/allocs", server_url(server));
    sigwait(&ends, &number);
    server_stop(server);
    free(token);
    return STATUS_FINE;
}
