// The search as it was: the pattern is compiled again for every line, the list of recent results
// grows for ever, and a bad pattern drops the connection.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

static pthread_mutex_t recent_lock = PTHREAD_MUTEX_INITIALIZER;
static struct body **recent; // guarded by recent_lock
static size_t recent_count, recent_room;

static void remember(struct body *body)
{
    pthread_mutex_lock(&recent_lock);
    if (recent_count == recent_room) {
        size_t room = recent_room ? recent_room * 2 : 64;
        struct body **grown = realloc(recent, room * sizeof *recent);
        if (!grown)
            abort();
        recent = grown;
        recent_room = room;
    }
    atomic_fetch_add(&body->holders, 1);
    recent[recent_count++] = body;
    pthread_mutex_unlock(&recent_lock);
}

// Puts the lines that match into `found`. Returns how many, -1 when the pattern is bad.
static long find_lines(const char *pattern, const struct log_line **found, size_t *bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < search_log_size(); i++) {
        const struct log_line *line = search_log_line(i);
        regex_t compiled;
        char error[128];
        if (pattern_compile(&compiled, pattern, error, sizeof error) < 0)
            return -1;
        if (regexec(&compiled, line->text, 0, NULL, 0) == 0) {
            found[count++] = line;
            *bytes += line->len + 1;
        }
        regfree(&compiled);
    }
    return (long)count;
}

struct answer handle_search(const char *pattern)
{
    const struct log_line **found = calloc(search_log_size() + 1, sizeof *found);
    size_t bytes = 0;
    long count = found ? find_lines(pattern, found, &bytes) : -1;
    if (count < 0) {
        free(found);
        return (struct answer){0};
    }

    struct body *body = malloc(sizeof *body + bytes);
    if (!body)
        abort();
    atomic_init(&body->holders, 1);
    body->len = 0;
    for (long i = 0; i < count; i++) {
        memcpy(body->text + body->len, found[i]->text, found[i]->len);
        body->len += found[i]->len;
        body->text[body->len++] = '\n';
    }
    free(found);
    remember(body);
    return (struct answer){.status = 200, .body = body};
}
