/* cmd_web.c - approf web: the page served, or as one file. */
#include "commands.h"
#include "message.h"
#include "web_report.h"
#include "web_server.h"

#include <string.h>

/* The sources as the page reads them. False after messages. */
static bool load(void *ctx, struct web_content *content)
{
    const struct invocation *invocation = ctx;
    return web_report_load(invocation->arguments, invocation->n_arguments, &invocation->options,
                           content);
}

static int write_file(const char *path, const struct web_content *content)
{
    if (!web_report_write(path, content)) {
        return STATUS_BAD_USAGE;
    }
    if (strcmp(path, "-") != 0) {
        message_note("Wrote %s: open it in a browser, or send it; it needs nothing else", path);
    }
    return STATUS_FINE;
}

int cmd_web(struct invocation *invocation)
{
    struct cli_options *options = &invocation->options;
    if (*options->base && !*options->diff_base) {
        /* The old weights are needed apart from the new ones. */
        options->diff_base = options->base;
        options->base = "";
    }
    options->mean = options->mean_delay = false; /* the page shows sums */
    struct web_server server = {.load = load, .ctx = invocation};
    if (!load(invocation, &server.content)) {
        return STATUS_BAD_USAGE;
    }
    if (*options->output) {
        int status = write_file(options->output, &server.content);
        web_content_free(&server.content);
        return status;
    }
    return web_server_run(&server, options->http, !options->no_browser);
}
