/* gate_page.c - see gate_page.h. */
#include "gate_page.h"

#include "web_report.h"

#include <string.h>

bool gate_page_write(const char *path, const char *const *profiles, int n, const char *base,
                     const struct cli_options *options)
{
    struct cli_options page = *options;
    struct web_content content;
    page.base = "";
    page.diff_base = base ? base : "";
    if (!web_report_load(profiles, n, &page, &content)) {
        return false;
    }
    bool fine = web_report_write(path, &content);
    web_content_free(&content);
    return fine;
}

/* What would end a destination, or begin something else, is percent-encoded. */
void gate_page_link(FILE *out, const char *address)
{
    for (const unsigned char *at = (const unsigned char *)address; *at; at++) {
        if (*at <= ' ' || strchr("<>()[]\\\"'`|", *at) != NULL) {
            fprintf(out, "%%%02X", *at);
        } else {
            fputc(*at, out);
        }
    }
}
