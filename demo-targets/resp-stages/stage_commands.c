// The commands, the same in all stages.

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "key_values.h"
#include "stage_connection.h"

#define SHOWN_TEXT 128 // of a name, and of the arguments behind it, that an error repeats

static bool is_word(const struct argument *argument, const char *word)
{
    return argument->len == strlen(word) && strncasecmp(argument->data, word, argument->len) == 0;
}

// A line with line ends made spaces.
static void answer_error(struct connection *connection, char *line)
{
    for (char *at = line; *at; at++)
        if (*at == '\r' || *at == '\n')
            *at = ' ';
    answer_line(connection, line);
}

static void wrong_count(struct connection *connection, const char *name)
{
    char line[96];
    snprintf(line, sizeof line, "-ERR wrong number of arguments for '%s' command", name);
    answer_line(connection, line);
}

static void unknown(struct connection *connection)
{
    const struct argument *argv = connection->command->argv;
    char line[3 * SHOWN_TEXT + 64], rest[SHOWN_TEXT + 8] = "";
    size_t len = 0;

    for (size_t i = 1; i < connection->command->argc && len < SHOWN_TEXT; i++) {
        size_t shown = argv[i].len < SHOWN_TEXT - len ? argv[i].len : SHOWN_TEXT - len;
        len += (size_t)snprintf(rest + len, sizeof rest - len, "'%.*s' ", (int)shown, argv[i].data);
    }
    snprintf(line, sizeof line, "-ERR unknown command '%.*s', with args beginning with: %s",
             (int)(argv->len < SHOWN_TEXT ? argv->len : SHOWN_TEXT), argv->data, rest);
    answer_error(connection, line);
}

static void run_set(struct connection *connection)
{
    const struct command *command = connection->command;

    if (command->argc < 3) {
        wrong_count(connection, "set");
    } else if (command->argc > 3) {
        answer_line(connection, "-ERR syntax error");
    } else {
        key_values_set(command->argv[1].data, command->argv[1].len, command->argv[2].data,
                       command->argv[2].len);
        append_command(command);
        answer_line(connection, "+OK");
    }
}

static void run_get(struct connection *connection)
{
    const struct command *command = connection->command;

    if (command->argc != 2)
        wrong_count(connection, "get");
    else
        key_values_get(command->argv[1].data, command->argv[1].len, answer_bulk, connection);
}

static void run_del(struct connection *connection)
{
    const struct command *command = connection->command;
    char line[32];
    size_t removed = 0;

    if (command->argc < 2) {
        wrong_count(connection, "del");
        return;
    }
    for (size_t i = 1; i < command->argc; i++)
        removed += key_values_remove(command->argv[i].data, command->argv[i].len);
    if (removed > 0)
        append_command(command);
    snprintf(line, sizeof line, ":%zu", removed);
    answer_line(connection, line);
}

static void run_ping(struct connection *connection)
{
    const struct command *command = connection->command;

    if (command->argc > 2)
        wrong_count(connection, "ping");
    else if (command->argc == 2)
        answer_bulk(connection, command->argv[1].data, command->argv[1].len);
    else
        answer_line(connection, "+PONG");
}

void expect_commands(const struct command *commands, size_t count)
{
    const struct argument *keys[BATCH];
    size_t key_count = 0;

    for (size_t i = 0; i < count; i++)
        if (commands[i].argc > 1)
            keys[key_count++] = &commands[i].argv[1];
    key_values_expect(keys, key_count);
}

void run_command(struct connection *connection)
{
    const struct argument *name = &connection->command->argv[0];

    connection->requests++;
    log_command(connection);
    if (is_word(name, "set"))
        run_set(connection);
    else if (is_word(name, "get"))
        run_get(connection);
    else if (is_word(name, "del"))
        run_del(connection);
    else if (is_word(name, "ping"))
        run_ping(connection);
    else if (is_word(name, "command"))
        answer_line(connection, "*0");
    else
        unknown(connection);
}
