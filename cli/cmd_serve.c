/* cmd_serve.c - approf serve [PID|NAME|all]: heap profiles over HTTP until it is told to end. */
#include "commands.h"
#include "serve.h"
#include "serve_access.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int cmd_serve(struct invocation *invocation)
{
    const struct cli_options *given = &invocation->options;
    if (invocation->n_arguments > 1) {
        message_error("serve: one process, or one name, or all");
        message_hint("approf serve shows all processes, each at /PID/debug/pprof/");
        return STATUS_BAD_USAGE;
    }
    char *token = serve_token_read(given->token);
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
    server_warn(server);
    message_note("next:   go tool pprof %s/debug/pprof/allocs", server_url(server));
    sigwait(&ends, &number);
    server_stop(server);
    free(token);
    return STATUS_FINE;
}
