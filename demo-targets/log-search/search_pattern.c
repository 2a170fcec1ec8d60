// Patterns come from anyone. glibc's regcomp has no bounds of its own: it writes all repetitions
// out ((a{999}){999} is a million states, and each + doubles what it repeats), and recurses
// through parentheses, and through states that may match nothing, until the stack ends. Back
// references make matching exponential. Such patterns are refused before it sees them; what is no
// pattern at all is left to it.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

#define MAX_DEPTH  32
#define MAX_STATES 400 // with all repetitions written out

// The end of a bracket expression, at its ']' or at the pattern's end; at is its '['.
static const char *bracket_end(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at && *at != ']') {
        const char close[] = {at[1], ']', 0};
        const char *end =
            *at == '[' && at[1] && strchr(":.=", at[1]) ? strstr(at + 2, close) : NULL;
        at = end ? end + 2 : at + 1;
    }
    return at;
}

// How often the repetition at *at writes out what it follows, and in *at its last character; 0 when
// there is no repetition.
static unsigned long repeats_at(const char **at)
{
    if (**at == '*' || **at == '?')
        return 1;
    if (**at == '+')
        return 2;
    if (**at != '{')
        return 0;
    char *end;
    const char *number = *at + 1;
    unsigned long least = strtoul(number, &end, 10), most = least;
    if (*end == ',') {
        bool digits = end[1] >= '0' && end[1] <= '9';
        most = strtoul(end + 1, &end, 10);
        if (!digits)
            most = least < MAX_STATES ? least + 1 : least;
    }
    if (*end != '}')
        return 0;
    *at = end;
    return most > least ? most : least > 0 ? least : 1;
}

static const char *too_costly(const char *pattern)
{
    // States of each group that is open here, and of what a repetition would repeat.
    unsigned long groups[MAX_DEPTH + 1] = {0}, atom = 0;
    int depth = 0;
    bool repeated = false;

    for (const char *at = pattern; *at; at++) {
        unsigned long times = repeats_at(&at);
        if (times > 0) {
            if (repeated)
                return "a repetition of a repetition"; // undefined in POSIX, minutes in glibc
            if (times > MAX_STATES || atom * times > MAX_STATES)
                return "too many repetitions";
            groups[depth] += atom * (times - 1) + 1;
            atom = atom * times + 1;
        } else if (*at == '(') {
            if (++depth > MAX_DEPTH)
                return "too many parentheses inside one another";
            groups[depth] = atom = 0;
        } else {
            atom = 1;
            if (*at == ')' && depth > 0)
                atom += groups[depth--];
            else if (*at == '[')
                at = bracket_end(at);
            else if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
                return "back references are not supported";
            else if (*at == '\\' && at[1])
                at++;
            groups[depth] += atom;
        }
        if (groups[depth] > MAX_STATES)
            return "too many repetitions";
        if (!*at)
            break; // an open bracket
        repeated = times > 0;
    }
    return NULL;
}

int pattern_compile(regex_t *compiled, const char *pattern, char *error, size_t error_room)
{
    const char *refused = too_costly(pattern);
    if (refused) {
        snprintf(error, error_room, "%s", refused);
        return -1;
    }
    int failed = regcomp(compiled, pattern, REG_EXTENDED | REG_NOSUB);
    if (failed)
        regerror(failed, compiled, error, error_room);
    return failed ? -1 : 0;
}
