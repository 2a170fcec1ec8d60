/* web_page.h - the web page: one HTML file with its styles and scripts, which build time has put
 * together and the executable carries.
 */
#ifndef APPROF_WEB_PAGE_H
#define APPROF_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WEB_NONCE_ROOM = 33 };

/* A fresh one from the system's random numbers. False when there are none. */
bool web_page_nonce(char nonce[WEB_NONCE_ROOM]);

/* The content security policy for a page with that nonce: nothing from elsewhere, no script and no
 * style but the page's own. free() it. */
char *web_page_policy(const char *nonce, bool served);

/* What a page shows (docs/WEB.md). */
struct web_content {
    char *profile, *times; /* times: NULL when there is no course of time */
    size_t profile_length, times_length;
};

void web_content_free(struct web_content *content);

/* The page. content: carried along, compressed; NULL when it is to be asked for at data and times.
 * False when out of memory. Write errors stay in the stream. */
bool web_page_write(FILE *out, const char *nonce, const struct web_content *content);

#endif
