// Stages 0 to 6: each reply is built, "+OK" too, and each command makes a line for a debug log that
// is off.

#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "stage_connection.h"

enum log_level { LOG_DEBUG, LOG_INFO };

static const enum log_level log_level = LOG_INFO;

// A reply before it is written down.
struct reply {
    char type;
    char *text; // null: there is none
    size_t len;
};

static struct reply *new_reply(char type, const char *text, size_t len)
{
    struct reply *reply = calloc(1, sizeof *reply);
    if (!reply)
        no_memory(sizeof *reply);
    reply->type = type;
    reply->len = len;
    if (text) {
        reply->text = malloc(len + 1);
        if (!reply->text)
            no_memory(len + 1);
        memcpy(reply->text, text, len);
        reply->text[len] = '\0';
    }
    return reply;
}

static void send_reply(struct connection *connection, struct reply *reply)
{
    bool bulk = reply->type == '$';
    size_t room = reply->len + 32;
    char *encoded = malloc(room);
    if (!encoded)
        no_memory(room);

    size_t len = 0;
    if (bulk)
        len = (size_t)snprintf(encoded, room, reply->text ? "$%zu\r\n" : "$-1\r\n", reply->len);
    else
        encoded[len++] = reply->type;
    if (reply->text) {
        memcpy(encoded + len, reply->text, reply->len);
        memcpy(encoded + len + reply->len, "\r\n", 2);
        len += reply->len + 2;
    }
    put_reply(connection, encoded, len);
    free(encoded);
    free(reply->text);
    free(reply);
}

void answer_line(struct connection *connection, const char *line)
{
    send_reply(connection, new_reply(line[0], line + 1, strlen(line + 1)));
}

void answer_bulk(void *to, const char *data, size_t len)
{
    send_reply(to, new_reply('$', data, len));
}

static void write_log(enum log_level level, const char *line)
{
    if (level >= log_level)
        fprintf(stderr, "%s\n", line);
}

// Adds formatted text to a string that grows with it.
static char *add_text(char *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *add_text(char *line, const char *format, ...)
{
    size_t len = line ? strlen(line) : 0;
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, arguments);
    char *longer = realloc(line, len + (size_t)more + 1);
    if (!longer)
        no_memory(len + (size_t)more + 1);
    vsnprintf(longer + len, (size_t)more + 1, format, again);
    va_end(again);
    va_end(arguments);
    return longer;
}

// The client's address and port, as a string of its own.
static char *peer_name(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

    if (getpeername(fd, (struct sockaddr *)&address, &size) == 0)
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    return add_text(NULL, "%s:%s", host, port);
}

// An argument in quotes, with what can't be printed escaped.
static char *quoted(const struct argument *argument)
{
    char *text = malloc(4 * argument->len + 3), *end = text;
    if (!text)
        no_memory(4 * argument->len + 3);

    *end++ = '"';
    for (size_t i = 0; i < argument->len; i++) {
        unsigned char c = (unsigned char)argument->data[i];
        if (c == '"' || c == '\\')
            end += sprintf(end, "\\%c", c);
        else if (c >= ' ' && c < 0x7f)
            *end++ = (char)c;
        else
            end += sprintf(end, "\\x%02x", c);
    }
    *end++ = '"';
    *end = '\0';
    return text;
}

// 2024-05-11 08:12:45.123 DEBUG addr=127.0.0.1:40112 fd=9 unread=0 unsent=35 argc=3 cmd= "SET"
// "key" "value"
void log_command(const struct connection *connection)
{
    const struct command *command = connection->command;
    struct timespec now;
    struct tm parts;
    char when[32];
    char *peer = peer_name(connection->fd);

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    char *line = add_text(NULL, "%s.%03ld %s", when, now.tv_nsec / 1000000, "DEBUG");
    line = add_text(line, " addr=%s fd=%d", peer, connection->fd);
    free(peer);
    line = add_text(line, " unread=%5zu unsent=%5zu", connection->end - connection->start,
                    connection->out_len);
    line =
        add_text(line, " requests=%8lu bytes=%zu", connection->requests, connection->request_bytes);
    line = add_text(line, " closing=%s stuck=%s", connection->closing ? "yes" : "no",
                    connection->stuck ? "yes" : "no");
    line = add_text(line, " argc=%zu", command->argc);
    line = add_text(line, " cmd=");
    for (size_t i = 0; i < command->argc; i++) {
        char *text = quoted(&command->argv[i]);
        line = add_text(line, " %s", text);
        free(text);
    }
    write_log(LOG_DEBUG, line);
    free(line);
}
