/* terminal.h - what changes when results go to a person: colour, and a pager.
 *
 * Both only where standard output is a terminal. Colour follows -color; with `auto` NO_COLOR and
 * TERM=dumb switch it off. The pager is $PAGER, else less where it is installed, run as git runs
 * it: what fits on the screen is left there. PAGER= or PAGER=cat switches it off. Not thread-safe.
 */
#ifndef APPROF_TERMINAL_H
#define APPROF_TERMINAL_H

#include "cli_options.h"

#include <stdio.h>

/* Whether text on standard output may have colours. */
bool terminal_color(const struct cli_options *options);

/* From here on standard output goes through the pager, if there is one to be used. */
void terminal_page(void);
/* Waits until the reader has seen enough. */
void terminal_page_end(void);

/* Escape sequences, "" without colour. */
enum terminal_style { STYLE_PLAIN, STYLE_STRONG, STYLE_FAINT, STYLE_MORE, STYLE_LESS };
const char *terminal_escape(bool color, enum terminal_style style);

/* A line on standard error that says how far something is that takes over a second; nothing where
 * that is no terminal, or with `quiet`. */
struct terminal_progress {
    const char *what;
    bool off, shown;
    long long started_ms, drawn_ms;
};
void terminal_progress_begin(struct terminal_progress *progress, const char *what, bool quiet);
void terminal_progress_at(struct terminal_progress *progress, size_t done, size_t all);
void terminal_progress_end(struct terminal_progress *progress);

#endif
