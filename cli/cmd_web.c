/* cmd_web.c - approf web: the page served, or as one file. */
#include "commands.h"
#include "output_file.h"
#include "record_store.h"
#include "report.h"
#include "source_load.h"
#include "web_server.h"
#include "web_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool load_profile(const struct invocation *invocation, struct web_content *content)
{
    struct profile profile;
    if (!sources_load(invocation->arguments, invocation->n_arguments, &invocation->options,
                      &profile)) {
        return false;
    }
    FILE *out = open_memstream(&content->profile, &content->profile_length);
    bool fine = out && report_print(&profile, &invocation->options, report_format_find("web"), NULL,
                                    out) == STATUS_FINE;
    if (out && fclose(out) != 0) {
        message_error("out of memory");
        fine = false;
    }
    profile_free(&profile);
    return fine;
}

/* Of one directory of approf record: its course. */
static void load_times(const struct invocation *invocation, struct web_content *content)
{
    const char *directory = invocation->arguments[0];
    if (invocation->n_arguments != 1 || !record_is(directory)) {
        return;
    }
    FILE *out = open_memstream(&content->times, &content->times_length);
    bool fine = out && web_times_write(directory, &invocation->options, out);
    if (!out || fclose(out) != 0 || !fine) {
        free(content->times);
        content->times = NULL;
        content->times_length = 0;
    }
}

/* The sources as the page reads them. False after messages. */
static bool load(void *ctx, struct web_content *content)
{
    *content = (struct web_content){0};
    if (!load_profile(ctx, content)) {
        web_content_free(content);
        return false;
    }
    load_times(ctx, content);
    return true;
}

static int write_file(const char *path, const struct web_content *content)
{
    char nonce[WEB_NONCE_ROOM];
    struct output_file output;
    if (!output_open(&output, path)) {
        return message_error("%s: cannot be written: %s", path, message_errno(errno));
    }
    bool fine = web_page_nonce(nonce) && web_page_write(output.stream, nonce, content);
    if (!output_close(&output, fine) || !fine) {
        return message_error("%s: cannot be written: %s", path,
                             fine ? message_errno(errno) : "out of memory");
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
