/* serve_request.c - see serve_request.h. */
#include "serve_request.h"

#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct serve_request *serve_request_new(struct MHD_Connection *connection)
{
    struct serve_request *request = memory_array(1, sizeof *request);
    request->connection = connection;
    return request;
}

void serve_request_free(struct serve_request *request)
{
    if (request == NULL) {
        return;
    }
    for (size_t i = 0; i < request->n_parts; i++) {
        if (request->parts[i].has_older) {
            heap_snapshot_free(&request->parts[i].older);
        }
        close(request->parts[i].tables);
    }
    free(request->parts);
    free(request->body);
    free(request->answer.bytes);
    free(request);
}

/* "/123/..." gives 123 and moves *path to "/...". */
static void take_pid(const char **path, uint32_t *pid)
{
    size_t n = strspn(*path + 1, "0123456789");
    if (n > 0 && n < 10 && ((*path)[n + 1] == '/' || (*path)[n + 1] == 0)) {
        *pid = (uint32_t)strtoul(*path + 1, NULL, 10);
        *path += n + 1;
    }
}

void serve_request_path(struct serve_request *request, const char *path)
{
    static const char base[] = "/debug/pprof";
    static const struct {
        const char *name;
        enum serve_page page;
    } pages[] = {{"", SERVE_INDEX},          {"heap", SERVE_HEAP},     {"allocs", SERVE_ALLOCS},
                 {"cmdline", SERVE_CMDLINE}, {"symbol", SERVE_SYMBOL}, {"profile", SERVE_CPU}};
    request->page = SERVE_NOTHING;
    if (*path != '/') {
        return;
    }
    if (strcmp(path, "/") == 0) {
        request->page = SERVE_INDEX;
        return;
    }
    take_pid(&path, &request->pid);
    if (*path == 0 || strcmp(path, "/") == 0 || strcmp(path, base) == 0) {
        request->page = SERVE_REDIRECT;
        return;
    }
    if (strncmp(path, base, sizeof base - 1) != 0 || path[sizeof base - 1] != '/') {
        return;
    }
    path += sizeof base;
    request->page = SERVE_OTHER;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (strcmp(path, pages[i].name) == 0) {
            request->page = pages[i].page;
        }
    }
}

void serve_request_parameters(struct serve_request *request, const char *seconds, const char *debug)
{
    request->text = debug != NULL && strtol(debug, NULL, 10) > 0;
    if (seconds == NULL || *seconds == 0) {
        return;
    }
    size_t n = strspn(seconds, "0123456789");
    request->seconds = n > 0 && n < 10 && seconds[n] == 0 ? strtol(seconds, NULL, 10) : 0;
    if (request->seconds == 0) {
        serve_answer_error(request, 400, "seconds must be a positive integer");
    } else if (request->seconds > SERVE_MOST_SECONDS) {
        serve_answer_error(request, 400, "seconds must be %d at most", SERVE_MOST_SECONDS);
    } else if (request->text) {
        serve_answer_error(request, 400, "seconds and debug are incompatible");
    }
}

void serve_answer(struct serve_request *request, unsigned status, const char *type, char *bytes,
                  size_t length)
{
    free(request->answer.bytes);
    request->answer =
        (struct serve_answer){.status = status, .type = type, .bytes = bytes, .length = length};
}

void serve_answer_error(struct serve_request *request, unsigned status, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *line = memory_print("%s\n", text);
    serve_answer(request, status, "text/plain; charset=utf-8", line, strlen(line));
    request->answer.error = true;
}
