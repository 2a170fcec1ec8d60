/* gate_waivers.c - findings that somebody has excused, with a reason and a date.
 *
 * One to a line: PATTERN UNTIL REASON, where UNTIL is a date (2026-12-31, that day included) and
 * PATTERN a regular expression without spaces or in single quotes, matched against the name of the
 * site ("total" for totals).
 */
#include "gate.h"
#include "memory.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct waiver {
    struct regexp *regexp;
    char *pattern, *reason, *origin;
    int until; /* 20261231 */
    bool used;
};

struct gate_waivers {
    struct waiver *list;
    uint32_t n;
    size_t room;
    int today;
};

/* Test runs may say what day it is. */
static int today(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm tm;
    if (!gmtime_r(&now, &tm))
        return 0;
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

static int days_of(int year, int month)
{
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 ? 28 + leap : 30 + (month + (month > 7)) % 2;
}

static bool parse_date(const char *text, int *date)
{
    int year, month, day, length = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &length) != 3 || length != 10 ||
        text[10] || month < 1 || month > 12 || day < 1 || day > days_of(year, month))
        return false;
    *date = year * 10000 + month * 100 + day;
    return true;
}

static bool add_line(struct gate_waivers *waivers, char *line, const char *origin)
{
    char *at = line + strspn(line, " \t"), *end;
    line[strcspn(line, "\r\n")] = 0;
    if (!*at || *at == '#')
        return true;
    struct waiver waiver = {0};
    if (*at == '\'') {
        end = strchr(++at, '\'');
    } else {
        end = at + strcspn(at, " \t");
    }
    if (!end || !*end) {
        message_error("%s: a waiver is PATTERN UNTIL REASON", origin);
        message_hint("parse_line 2026-12-31 the cache is being rewritten");
        return false;
    }
    *end = 0;
    char *date = end + 1 + strspn(end + 1, " \t"), *reason = date + strcspn(date, " \t");
    if (*reason)
        *reason++ = 0;
    reason += strspn(reason, " \t");
    char error[256];
    if (!parse_date(date, &waiver.until) || !*reason) {
        message_error("%s: a waiver wants a date and a reason", origin);
        message_hint("%s 2026-12-31 the cache is being rewritten", at);
        return false;
    }
    waiver.regexp = regexp_compile(at, error, sizeof error);
    if (!waiver.regexp) {
        message_error("%s: error parsing regexp: %s", origin, error);
        message_hint("a name with characters like ( is matched as '\\('");
        return false;
    }
    waiver.pattern = memory_text(at, strlen(at));
    waiver.reason = memory_text(reason, strlen(reason));
    waiver.origin = memory_text(origin, strlen(origin));
    MEMORY_ROOM(waivers->list, waivers->n, waivers->room);
    waivers->list[waivers->n++] = waiver;
    return true;
}

struct gate_waivers *gate_waivers_read(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        message_error("%s: the waivers can't be read", path);
        message_hint("-waivers names a file with one waiver a line: PATTERN UNTIL REASON");
        return NULL;
    }
    struct gate_waivers *waivers = memory_array(1, sizeof *waivers);
    waivers->today = today();
    char line[4096];
    const char *slash = strrchr(path, '/');
    bool fine = true;
    for (int number = 1; fine && fgets(line, sizeof line, file); number++) {
        char *origin = memory_print("%s:%d", slash ? slash + 1 : path, number);
        if (!strchr(line, '\n') && !feof(file)) {
            message_error("%s: the line is too long", origin);
            message_hint("a waiver is PATTERN UNTIL REASON, in less than 4096 bytes");
            fine = false;
        } else {
            fine = add_line(waivers, line, origin);
        }
        free(origin);
    }
    fclose(file);
    if (!fine) {
        gate_waivers_free(waivers);
        return NULL;
    }
    return waivers;
}

const char *gate_waived(struct gate_waivers *waivers, const char *name)
{
    for (uint32_t i = 0; waivers && i < waivers->n; i++) {
        struct waiver *w = &waivers->list[i];
        if (w->until >= waivers->today && regexp_matches(w->regexp, name, strlen(name))) {
            w->used = true;
            return w->reason;
        }
    }
    return NULL;
}

void gate_waivers_report(const struct gate_waivers *waivers, struct gate_verdict *verdict)
{
    for (uint32_t i = 0; waivers && i < waivers->n; i++) {
        const struct waiver *w = &waivers->list[i];
        if (w->until < waivers->today)
            gate_note(verdict, "%s: the waiver for '%s' expired on %04d-%02d-%02d", w->origin,
                      w->pattern, w->until / 10000, w->until / 100 % 100, w->until % 100);
        else if (!w->used)
            gate_note(verdict, "%s: the waiver for '%s' excuses nothing and can go", w->origin,
                      w->pattern);
    }
}

void gate_waivers_free(struct gate_waivers *waivers)
{
    for (uint32_t i = 0; waivers && i < waivers->n; i++) {
        regexp_free(waivers->list[i].regexp);
        free(waivers->list[i].pattern);
        free(waivers->list[i].reason);
        free(waivers->list[i].origin);
    }
    if (waivers)
        free(waivers->list);
    free(waivers);
}
