/* html_text.h - text in a page. */
#ifndef APPROF_HTML_TEXT_H
#define APPROF_HTML_TEXT_H

#include <stdio.h>

/* Writes text so that it can stand in an element or in a quoted attribute, whatever it holds.
 * Control characters other than white space become question marks. */
void html_text(FILE *out, const char *text);

#endif
