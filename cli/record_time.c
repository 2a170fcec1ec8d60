/* record_time.c - durations and moments as people write them (see record_store.h). */
#include "record_store.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool record_duration(const char *text, int64_t *seconds)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 9) {
        return false;
    }
    *seconds = strtol(text, NULL, 10);
    if (text[n] == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (text[n] == units[i].letter && text[n + 1] == 0) {
            *seconds *= units[i].seconds;
            return true;
        }
    }
    return false;
}

bool record_moment(const char *text, int64_t now, int64_t *seconds)
{
    static const char *const forms[] = {
        "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d",
        "%H:%M:%S",          "%H:%M"};
    int64_t ago;
    if (strcmp(text, "now") == 0) {
        *seconds = now;
        return true;
    }
    if (text[0] == '@' && text[1] != 0 && text[1 + strspn(text + 1, "0123456789")] == 0 &&
        strlen(text) < 14) {
        *seconds = strtoll(text + 1, NULL, 10);
        return true;
    }
    if (record_duration(text, &ago)) {
        *seconds = now - ago;
        return true;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm moment;
        time_t today = now;
        localtime_r(&today, &moment); /* the date, where only a time is given */
        moment.tm_hour = moment.tm_min = moment.tm_sec = 0;
        const char *end = strptime(text, forms[i], &moment);
        bool utc = end != NULL && strcmp(end, "Z") == 0;
        if (end == NULL || (*end != 0 && !utc)) {
            continue;
        }
        moment.tm_isdst = -1;
        time_t found = utc ? timegm(&moment) : mktime(&moment);
        *seconds = found;
        return found != (time_t)-1;
    }
    return false;
}
