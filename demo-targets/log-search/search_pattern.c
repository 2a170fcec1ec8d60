// Patterns come from anyone. glibc's regcomp has no bounds of its own: nested repetitions multiply
// ((a{999}){999} is a million states, and each + around a group doubles it), parentheses nest on
// the stack, and back references make matching exponential. Such patterns are refused before it
// sees them.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

#define MAX_DEPTH   32
#define MAX_REPEATS 1000

static const char *too_costly(const char *pattern)
{
    unsigned long repeats = 1;
    int depth = 0;

    for (const char *at = pattern; *at; at++) {
        bool repeated = at > pattern && strchr("*+?}", *at) && strchr("*+?}", at[-1]);
        if (repeated && !(at > pattern + 1 && at[-2] == '\\'))
            return "a repetition of a repetition"; // undefined in POSIX, minutes in glibc
        if (*at == '+' && at > pattern && at[-1] == ')' && (repeats *= 2) > MAX_REPEATS)
            return "too many repetitions";
        if (*at == '\\' && at[1]) {
            at++;
            if (*at >= '1' && *at <= '9')
                return "back references are not supported";
        } else if (*at == '(' && ++depth > MAX_DEPTH) {
            return "too many parentheses inside one another";
        } else if (*at == ')' && depth > 0) {
            depth--;
        } else if (*at == '{') {
            // Counted as if all were inside one another: simple, and never too low.
            for (const char *number = at + 1; *number >= '0' && *number <= '9';) {
                char *end;
                unsigned long most = strtoul(number, &end, 10);
                number = *end == ',' ? end + 1 : end;
                if (*number < '0' || *number > '9')
                    repeats = most > MAX_REPEATS ? MAX_REPEATS + 1 : repeats * (most ? most : 1);
                if (repeats > MAX_REPEATS)
                    return "too many repetitions";
            }
        }
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
