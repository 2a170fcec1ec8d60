// The log that is searched, and answers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/log_lines.h"
#include "search.h"

static struct log_line *log_lines;
static size_t line_count;

int search_log_make(long count)
{
    struct log_lines *made = log_lines_generate(count);
    const char *line;
    size_t len;

    log_lines = calloc((size_t)count + 1, sizeof *log_lines);
    if (!log_lines)
        return -1;
    while (log_lines_next(made, &line, &len) > 0) {
        char *text = strndup(line, len);
        if (!text)
            return -1;
        log_lines[line_count].text = text;
        log_lines[line_count++].len = len;
    }
    log_lines_close(made);
    return 0;
}

size_t search_log_size(void)
{
    return line_count;
}

const struct log_line *search_log_line(size_t number)
{
    return &log_lines[number];
}

void body_drop(struct body *body)
{
    if (atomic_fetch_sub(&body->holders, 1) == 1)
        free(body);
}

struct answer answer_text(int status, const char *text)
{
    size_t len = strlen(text);
    struct body *body = malloc(sizeof *body + len);
    if (body) {
        atomic_init(&body->holders, 1);
        body->len = len;
        memcpy(body->text, text, len);
    }
    return (struct answer){.status = status, .body = body};
}
