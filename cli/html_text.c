/* html_text.c - text in a page (see html_text.h). */
#include "html_text.h"

#include <string.h>

void html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        switch (c) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
        case '\'':
            fprintf(out, "&#%d;", c);
            break;
        default:
            putc((c < 32 && !strchr("\t\n\r\f", c)) || c == 127 ? '?' : c, out);
        }
    }
}
