// The message is taken where it is, and the result made where it goes: nothing is allocated.

#include <string.h>

#include "output.h"
#include "parse_line.h"

bool parse_line(const char *line, size_t len)
{
    for (int i = 1; i < FIELDS; i++) {
        const char *bar = memchr(line, '|', len);
        if (!bar)
            return false;
        len -= (size_t)(bar + 1 - line);
        line = bar + 1;
    }
    char *joined = output_room(REPEATS * (len + 1));
    for (int i = 0; joined && i < REPEATS; i++) {
        memcpy(joined, line, len);
        joined += len;
        *joined++ = i + 1 < REPEATS ? ';' : '\n';
    }
    return true;
}
