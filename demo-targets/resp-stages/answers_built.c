// Stages 0 to 6: each reply is built, "+OK" too, and each command makes a line for a debug log that
// is off.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stage_connection.h"

enum log_level { LOG_DEBUG, LOG_INFO };

static const enum log_level log_level = LOG_INFO;

void answer_line(struct connection *connection, const char *line)
{
    char *reply;
    int len = asprintf(&reply, "%s\r\n", line);
    if (len < 0)
        no_memory(strlen(line) + 2);
    put_reply(connection, reply, (size_t)len);
    free(reply);
}

void answer_bulk(void *to, const char *data, size_t len)
{
    char header[32];
    size_t header_len = (size_t)snprintf(header, sizeof header, data ? "$%zu\r\n" : "$-1\r\n", len);
    size_t reply_len = header_len + (data ? len + 2 : 0);
    char *reply = malloc(reply_len);
    if (!reply)
        no_memory(reply_len);

    memcpy(reply, header, header_len);
    if (data) {
        memcpy(reply + header_len, data, len);
        memcpy(reply + header_len + len, "\r\n", 2);
    }
    put_reply(to, reply, reply_len);
    free(reply);
}

static void write_log(enum log_level level, const char *line)
{
    if (level >= log_level)
        fprintf(stderr, "%s\n", line);
}

// "2024-05-11 08:12:45.123 DEBUG 127.0.0.1:40112 SET key value"
void log_command(const struct connection *connection)
{
    const struct command *command = &connection->command;
    struct timespec now;
    struct tm parts;
    char when[32], *line;
    size_t room = sizeof when + sizeof connection->peer + 32, len = 0;

    for (size_t i = 0; i < command->argc; i++)
        room += command->argv[i].len + 1;
    line = malloc(room);
    if (!line)
        no_memory(room);

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    len = (size_t)snprintf(line, room, "%s.%03ld %s %s", when, now.tv_nsec / 1000000, "DEBUG",
                           connection->peer);
    for (size_t i = 0; i < command->argc; i++)
        len += (size_t)snprintf(line + len, room - len, " %.*s", (int)command->argv[i].len,
                                command->argv[i].data);
    write_log(LOG_DEBUG, line);
    free(line);
}
