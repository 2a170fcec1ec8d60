/* web_report.h - the web page of sources, as data and as one file that needs nothing else.
 */
#ifndef APPROF_WEB_REPORT_H
#define APPROF_WEB_REPORT_H

#include "cli_options.h"
#include "web_page.h"

/* Sources as options say, with diff_base as what they are compared with; of one directory of approf
 * record its course of time, too. False after messages; free *content with web_content_free. */
bool web_report_load(const char *const *sources, int n, const struct cli_options *options,
                     struct web_content *content);

/* Complete, mode 0600 (source lines and names may be nobody else's business), or not at all. False
 * after a message. */
bool web_report_write(const char *path, const struct web_content *content);

#endif
