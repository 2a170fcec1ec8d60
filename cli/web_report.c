/* web_report.c - see web_report.h. */
#include "web_report.h"

#include "message.h"
#include "output_file.h"
#include "record_store.h"
#include "report.h"
#include "source_load.h"
#include "web_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool load_profile(const char *const *sources, int n, const struct cli_options *options,
                         struct web_content *content)
{
    struct profile profile;
    if (!sources_load(sources, n, options, &profile)) {
        return false;
    }
    FILE *out = open_memstream(&content->profile, &content->profile_length);
    bool fine =
        out && report_print(&profile, options, report_format_find("web"), NULL, out) == STATUS_FINE;
    if (out && fclose(out) != 0) {
        message_error("out of memory");
        fine = false;
    }
    profile_free(&profile);
    return fine;
}

/* Of one directory of approf record: its course. */
static void load_times(const char *directory, const struct cli_options *options,
                       struct web_content *content)
{
    FILE *out = open_memstream(&content->times, &content->times_length);
    bool fine = out && web_times_write(directory, options, out);
    if (!out || fclose(out) != 0 || !fine) {
        free(content->times);
        content->times = NULL;
        content->times_length = 0;
    }
}

bool web_report_load(const char *const *sources, int n, const struct cli_options *options,
                     struct web_content *content)
{
    *content = (struct web_content){0};
    if (!load_profile(sources, n, options, content)) {
        web_content_free(content);
        return false;
    }
    if (n == 1 && record_is(sources[0])) {
        load_times(sources[0], options, content);
    }
    return true;
}

bool web_report_write(const char *path, const struct web_content *content)
{
    char nonce[WEB_NONCE_ROOM];
    struct output_file output;
    if (!output_open(&output, path)) {
        message_error("%s: cannot be written: %s", path, strerror(errno));
        message_hint("does the folder exist, and may you write there?");
        return false;
    }
    bool fine = web_page_nonce(nonce) && web_page_write(output.stream, nonce, content);
    bool closed = output_close(&output, fine);
    if (!closed || !fine) {
        message_error("%s: cannot be written: %s", path, fine ? strerror(errno) : "out of memory");
        message_hint("is there room on the disk?");
        return false;
    }
    return true;
}
