/* cmd_web.c - approf web: the page served, or as one file. */
#include "commands.h"
#include "profile_codec.h"
#include "report.h"
#include "source_load.h"
#include "web_page.h"
#include "web_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sources as the page's JSON. False after messages. */
static bool load(void *ctx, char **data, size_t *length)
{
    const struct invocation *invocation = ctx;
    struct profile profile;
    if (!sources_load(invocation->arguments, invocation->n_arguments, &invocation->options,
                      &profile)) {
        return false;
    }
    *data = NULL;
    FILE *out = open_memstream(data, length);
    bool fine = out && report_print(&profile, &invocation->options, report_format_find("web"), NULL,
                                    out) == STATUS_FINE;
    if (out && fclose(out) != 0) {
        message_error("out of memory");
        fine = false;
    }
    profile_free(&profile);
    if (!fine) {
        free(*data);
    }
    return fine;
}

static int write_file(const char *path, const char *data, size_t length)
{
    char nonce[WEB_NONCE_ROOM];
    /* 0600: source lines and names may be nobody else's business. */
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) {
        return message_error("%s: cannot be written: %s", path, strerror(errno));
    }
    bool fine = web_page_nonce(nonce) && web_page_write(out, nonce, data, length);
    fine &= !ferror(out);
    if (fclose(out) != 0 || !fine) {
        return message_error("%s: cannot be written: %s", path, strerror(errno));
    }
    message_note("Wrote %s: open it in a browser, or send it; it needs nothing else", path);
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
    if (!load(invocation, &server.data, &server.length)) {
        return STATUS_BAD_USAGE;
    }
    if (*options->output) {
        int status = write_file(options->output, server.data, server.length);
        free(server.data);
        return status;
    }
    return web_server_run(&server, options->http, !options->no_browser);
}
