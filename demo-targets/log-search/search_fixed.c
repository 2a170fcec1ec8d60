// The search, mended: the pattern is compiled once, a bad one is answered with 400, and no more
// than the last 50 results are kept.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

#define RECENT 50

static pthread_mutex_t recent_lock = PTHREAD_MUTEX_INITIALIZER;
static struct body *recent[RECENT]; // guarded by recent_lock; the next to go is at recent_next
static size_t recent_next;

static void remember(struct body *body)
{
    pthread_mutex_lock(&recent_lock);
    struct body *oldest = recent[recent_next];
    atomic_fetch_add(&body->holders, 1);
    recent[recent_next] = body;
    recent_next = (recent_next + 1) % RECENT;
    pthread_mutex_unlock(&recent_lock);
    if (oldest)
        body_drop(oldest);
}

// Puts the lines that match into `found`. Returns how many.
static long find_lines(const regex_t *compiled, const struct log_line **found, size_t *bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < search_log_size(); i++) {
        const struct log_line *line = search_log_line(i);
        if (regexec(compiled, line->text, 0, NULL, 0) == 0) {
            found[count++] = line;
            *bytes += line->len + 1;
        }
    }
    return (long)count;
}

struct answer handle_search(const char *pattern)
{
    regex_t compiled;
    char error[128];
    if (pattern_compile(&compiled, pattern, error, sizeof error) < 0) {
        char text[160];
        snprintf(text, sizeof text, "bad pattern: %s\n", error);
        return answer_text(400, text);
    }
    const struct log_line **found = calloc(search_log_size() + 1, sizeof *found);
    size_t bytes = 0;
    long count = found ? find_lines(&compiled, found, &bytes) : -1;
    regfree(&compiled);
    if (count < 0)
        return (struct answer){0};

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
