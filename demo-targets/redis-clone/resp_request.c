// The request parser. Replies are in resp_reply.c.

#include "resp_request.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PIECE (64 * 1024) // of an argument that is longer than this

void resp_reader_init(struct resp_reader *reader, ssize_t (*fill)(void *, void *, size_t),
                      void *source)
{
    reader->fill = fill;
    reader->source = source;
    reader->start = reader->end = 0;
    reader->line = NULL;
    reader->line_room = 0;
}

void resp_reader_free(struct resp_reader *reader)
{
    free(reader->line);
}

int resp_has_buffered(const struct resp_reader *reader)
{
    return reader->start < reader->end;
}

void resp_request_clear(struct resp_request *request)
{
    for (size_t i = 0; i < request->argc; i++)
        free(request->argv[i].data);
    request->argc = 0;
    request->bytes = 0;
}

void resp_request_free(struct resp_request *request)
{
    resp_request_clear(request);
    free(request->argv);
    request->argv = NULL;
    request->room = 0;
}

int resp_parse_integer(const char *text, size_t len, long long *value)
{
    size_t i = 0;
    bool negative = len > 0 && text[0] == '-';
    unsigned long long sum = 0;
    unsigned long long limit = negative ? (unsigned long long)LLONG_MAX + 1 : LLONG_MAX;

    if (negative)
        i++;
    if (i == len || (text[i] == '0' && len > 1))
        return -1;
    for (; i < len; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';
        if (digit > 9 || sum > (limit - digit) / 10)
            return -1;
        sum = sum * 10 + digit;
    }
    *value = negative ? (long long)(0 - sum) : (long long)sum;
    return 0;
}

static enum resp_status protocol_error(struct resp_request *request, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->error, sizeof request->error, format, arguments);
    va_end(arguments);
    return RESP_PROTOCOL_ERROR;
}

// --- bytes from the peer
// ---------------------------------------------------------------------------

static bool refill(struct resp_reader *reader)
{
    reader->start = reader->end = 0;
    ssize_t got = reader->fill(reader->source, reader->buffer, sizeof reader->buffer);
    if (got <= 0)
        return false;
    reader->end = (size_t)got;
    return true;
}

// Adds a run of bytes to the line that is being put together.
static bool keep_run(struct resp_reader *reader, size_t have, const char *run, size_t len)
{
    if (have + len > RESP_MAX_LINE)
        return false;
    if (have + len > reader->line_room) {
        size_t room = reader->line_room ? reader->line_room : 128;
        while (room < have + len)
            room *= 2;
        char *line = realloc(reader->line, room);
        if (!line)
            out_of_memory(room);
        reader->line = line;
        reader->line_room = room;
    }
    if (len)
        memcpy(reader->line + have, run, len);
    return true;
}

// Reads a line without its end, valid until the next read. In nearly all cases it is where it is in
// the buffer. `too_big` is the error for one that never ends.
static enum resp_status read_line(struct resp_reader *reader, struct resp_request *request,
                                  const char *too_big, const char **line, size_t *len)
{
    size_t kept = 0;

    for (;;) {
        char *from = reader->buffer + reader->start;
        size_t here = reader->end - reader->start;
        char *newline = here ? memchr(from, '\n', here) : NULL;
        size_t run = newline ? (size_t)(newline - from) : here;

        if (newline && kept == 0) {
            *line = from;
            *len = run;
        } else if (!keep_run(reader, kept, from, run)) {
            return protocol_error(request, "Protocol error: %s", too_big);
        } else {
            kept += run;
            *line = reader->line;
            *len = kept;
        }
        if (newline) {
            reader->start += run + 1;
            if (*len > 0 && (*line)[*len - 1] == '\r')
                --*len;
            return RESP_REQUEST;
        }
        if (!refill(reader))
            return RESP_END;
    }
}

static bool read_bytes(struct resp_reader *reader, char *into, size_t len)
{
    while (len > 0) {
        size_t here = reader->end - reader->start;
        if (here > 0) {
            size_t part = here < len ? here : len;
            memcpy(into, reader->buffer + reader->start, part);
            reader->start += part;
            into += part;
            len -= part;
        } else if (len >= sizeof reader->buffer) {
            // A long value goes straight to where it belongs.
            ssize_t got = reader->fill(reader->source, into, len);
            if (got <= 0)
                return false;
            into += got;
            len -= (size_t)got;
        } else if (!refill(reader)) {
            return false;
        }
    }
    return true;
}

// --- arguments
// ---------------------------------------------------------------------------------------

static struct bytes *add_argument(struct resp_request *request)
{
    if (request->argc == request->room) {
        size_t room = request->room ? request->room * 2 : 8;
        struct bytes *argv = realloc(request->argv, room * sizeof *argv);
        if (!argv)
            out_of_memory(room * sizeof *argv);
        request->argv = argv;
        request->room = room;
    }
    struct bytes *argument = &request->argv[request->argc++];
    argument->data = NULL;
    argument->len = 0;
    return argument;
}

static bool read_bulk(struct resp_reader *reader, struct bytes *argument, size_t len)
{
    size_t room = len < FIRST_PIECE ? len : FIRST_PIECE;

    argument->data = malloc(room ? room : 1);
    if (!argument->data)
        out_of_memory(room);
    for (;;) {
        if (!read_bytes(reader, argument->data + argument->len, room - argument->len))
            return false;
        argument->len = room;
        if (room == len)
            break;
        room = room * 2 < len ? room * 2 : len;
        char *data = realloc(argument->data, room);
        if (!data)
            out_of_memory(room);
        argument->data = data;
    }
    char line_end[2]; // skipped unseen, as Redis does
    return read_bytes(reader, line_end, sizeof line_end);
}

static enum resp_status read_array(struct resp_reader *reader, struct resp_request *request,
                                   long long count)
{
    for (long long i = 0; i < count; i++) {
        const char *line;
        size_t len;
        long long bulk;
        enum resp_status status =
            read_line(reader, request, "too big bulk count string", &line, &len);
        if (status != RESP_REQUEST)
            return status;
        if (len == 0 || line[0] != '$')
            return protocol_error(request, "Protocol error: expected '$', got '%c'",
                                  len && line[0] >= ' ' && line[0] < 0x7f ? line[0] : ' ');
        if (resp_parse_integer(line + 1, len - 1, &bulk) < 0 || bulk < 0 || bulk > RESP_MAX_BULK)
            return protocol_error(request, "Protocol error: invalid bulk length");
        request->bytes += (size_t)bulk;
        if (request->bytes > RESP_MAX_REQUEST)
            return protocol_error(request, "Protocol error: request over 1 GiB");
        if (!read_bulk(reader, add_argument(request), (size_t)bulk))
            return RESP_END;
    }
    return RESP_REQUEST;
}

// --- inline requests
// ---------------------------------------------------------------------------------

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'a':
        return '\a';
    default:
        return c;
    }
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

// Reads one word of line[at..len) into `word`, quotes and escapes undone. Returns where it ended,
// or 0 when a quote is left open or something sticks to a closing quote.
static size_t read_word(const char *line, size_t at, size_t len, struct bytes *word)
{
    char quote = 0;

    for (; at < len; at++) {
        char c = line[at];
        if (!quote && is_space(c))
            return at;
        if (!quote && (c == '"' || c == '\'')) {
            quote = c;
        } else if (quote && c == quote) {
            if (at + 1 < len && !is_space(line[at + 1]))
                return 0;
            return at + 1;
        } else if (quote == '"' && c == '\\' && at + 3 < len && line[at + 1] == 'x' &&
                   hex_digit(line[at + 2]) >= 0 && hex_digit(line[at + 3]) >= 0) {
            int value = hex_digit(line[at + 2]) * 16 + hex_digit(line[at + 3]);
            word->data[word->len++] = (char)value;
            at += 3;
        } else if (quote == '"' && c == '\\' && at + 1 < len) {
            word->data[word->len++] = unescape(line[++at]);
        } else if (quote == '\'' && c == '\\' && at + 1 < len && line[at + 1] == '\'') {
            word->data[word->len++] = line[++at];
        } else {
            word->data[word->len++] = c;
        }
    }
    return quote ? 0 : at;
}

static enum resp_status read_inline(struct resp_request *request, const char *line, size_t len)
{
    for (size_t at = 0;;) {
        while (at < len && is_space(line[at]))
            at++;
        if (at == len)
            return RESP_REQUEST;

        // A word is never longer than what it is written with.
        struct bytes *word = add_argument(request);
        word->data = malloc(len - at);
        if (!word->data)
            out_of_memory(len - at);
        at = read_word(line, at, len, word);
        if (at == 0)
            return protocol_error(request, "Protocol error: unbalanced quotes in request");
    }
}

enum resp_status resp_read_request(struct resp_reader *reader, struct resp_request *request)
{
    const char *line;
    size_t len;
    long long count;

    if (!resp_has_buffered(reader) && !refill(reader))
        return RESP_END;
    bool is_array = reader->buffer[reader->start] == '*';
    enum resp_status status =
        read_line(reader, request,
                  is_array ? "too big mbulk count string" : "too big inline request", &line, &len);
    if (status != RESP_REQUEST)
        return status;
    if (!is_array)
        return read_inline(request, line, len);
    if (resp_parse_integer(line + 1, len - 1, &count) < 0 || count > RESP_MAX_ARGUMENTS)
        return protocol_error(request, "Protocol error: invalid multibulk length");
    return read_array(reader, request, count);
}
