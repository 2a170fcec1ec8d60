// The reply builder.

#include "resp_reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 32 // a type letter, a 64-bit number, a line end
#define ERROR_BYTES  512

static struct bytes copy_of(const char *text, size_t len)
{
    struct bytes reply = {.data = malloc(len), .len = len};
    if (!reply.data)
        out_of_memory(len);
    memcpy(reply.data, text, len);
    return reply;
}

struct bytes resp_simple(const char *text)
{
    char line[64];
    return copy_of(line, (size_t)snprintf(line, sizeof line, "+%.60s\r\n", text));
}

struct bytes resp_integer(long long value)
{
    char line[HEADER_BYTES];
    return copy_of(line, (size_t)snprintf(line, sizeof line, ":%lld\r\n", value));
}

struct bytes resp_nil(void)
{
    return copy_of("$-1\r\n", 5);
}

struct bytes resp_nil_array(void)
{
    return copy_of("*-1\r\n", 5);
}

struct bytes resp_bulk_string(const char *data, size_t len)
{
    char header[HEADER_BYTES];
    size_t header_len = (size_t)snprintf(header, sizeof header, "$%zu\r\n", len);
    struct bytes reply = {.len = header_len + len + 2};

    reply.data = malloc(reply.len);
    if (!reply.data)
        out_of_memory(reply.len);
    memcpy(reply.data, header, header_len);
    if (len)
        memcpy(reply.data + header_len, data, len);
    memcpy(reply.data + header_len + len, "\r\n", 2);
    return reply;
}

struct bytes resp_array(struct bytes *items, size_t count)
{
    char header[HEADER_BYTES];
    size_t header_len = (size_t)snprintf(header, sizeof header, "*%zu\r\n", count);
    struct bytes reply = {.len = header_len};

    for (size_t i = 0; i < count; i++)
        reply.len += items[i].len;
    reply.data = malloc(reply.len);
    if (!reply.data)
        out_of_memory(reply.len);
    memcpy(reply.data, header, header_len);
    char *next = reply.data + header_len;
    for (size_t i = 0; i < count; i++) {
        memcpy(next, items[i].data, items[i].len);
        next += items[i].len;
        free(items[i].data);
    }
    return reply;
}

struct bytes resp_error(const char *format, ...)
{
    char line[ERROR_BYTES];
    va_list arguments;

    line[0] = '-';
    va_start(arguments, format);
    int len = vsnprintf(line + 1, sizeof line - 3, format, arguments);
    va_end(arguments);
    size_t end = 1 + (len < (int)sizeof line - 4 ? (size_t)len : sizeof line - 4);
    for (size_t i = 1; i < end; i++)
        if (line[i] == '\r' || line[i] == '\n')
            line[i] = ' ';
    memcpy(line + end, "\r\n", 2);
    return copy_of(line, end + 2);
}

struct bytes resp_wrong_type(void)
{
    return resp_error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
