// The table of commands, and those that touch neither strings nor lists.

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client.h"
#include "resp_reply.h"
#include "store.h"

#define UNKNOWN_TEXT 128 // of a name, and of the arguments behind it, that an error repeats

static command_handler handle_ping, handle_echo, handle_quit, handle_config, handle_commands,
    handle_dbsize, handle_flushall, handle_select;

// The number of arguments counts the name; negative: that many or more. Keys as COMMAND tells them.
struct command {
    const char *name;
    int arguments;
    command_handler *run;
    const char *flag;
    int first_key, last_key, key_step;
};

static const struct command commands[] = {
    {"set", -3, handle_set, "write", 1, 1, 1},
    {"get", 2, handle_get, "readonly", 1, 1, 1},
    {"lpush", -3, handle_lpush, "write", 1, 1, 1},
    {"rpush", -3, handle_rpush, "write", 1, 1, 1},
    {"lpop", -2, handle_lpop, "write", 1, 1, 1},
    {"rpop", -2, handle_rpop, "write", 1, 1, 1},
    {"lrange", 4, handle_lrange, "readonly", 1, 1, 1},
    {"llen", 2, handle_llen, "readonly", 1, 1, 1},
    {"blpop", -3, handle_blpop, "blocking", 1, -2, 1},
    {"incr", 2, handle_incr, "write", 1, 1, 1},
    {"incrby", 3, handle_incrby, "write", 1, 1, 1},
    {"del", -2, handle_del, "write", 1, -1, 1},
    {"exists", -2, handle_exists, "readonly", 1, -1, 1},
    {"ttl", 2, handle_ttl, "readonly", 1, 1, 1},
    {"pttl", 2, handle_ttl, "readonly", 1, 1, 1},
    {"ping", -1, handle_ping, "fast", 0, 0, 0},
    {"echo", 2, handle_echo, "fast", 0, 0, 0},
    {"select", 2, handle_select, "fast", 0, 0, 0},
    {"dbsize", 1, handle_dbsize, "readonly", 0, 0, 0},
    {"flushall", -1, handle_flushall, "write", 0, 0, 0},
    {"config", -2, handle_config, "admin", 0, 0, 0},
    {"command", -1, handle_commands, "random", 0, 0, 0},
    {"quit", -1, handle_quit, "fast", 0, 0, 0},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

bool is_word(const struct bytes *argument, const char *word)
{
    return argument->len == strlen(word) && strncasecmp(argument->data, word, argument->len) == 0;
}

static struct bytes unknown_command(const struct bytes *argv, size_t argc)
{
    char rest[UNKNOWN_TEXT + 8] = "";
    size_t len = 0;

    for (size_t i = 1; i < argc && len < UNKNOWN_TEXT; i++) {
        int shown = (int)(argv[i].len < UNKNOWN_TEXT - len ? argv[i].len : UNKNOWN_TEXT - len);
        len += (size_t)snprintf(rest + len, sizeof rest - len, "'%.*s' ", shown, argv[i].data);
    }
    return resp_error("ERR unknown command '%.*s', with args beginning with: %s",
                      (int)(argv[0].len < UNKNOWN_TEXT ? argv[0].len : UNKNOWN_TEXT), argv[0].data,
                      rest);
}

static struct bytes run_command(struct client *client, struct bytes *argv, size_t argc)
{
    for (const struct command *command = commands; command < commands + COMMAND_COUNT; command++) {
        if (!is_word(&argv[0], command->name))
            continue;
        if (command->arguments > 0 ? argc != (size_t)command->arguments
                                   : argc < (size_t)-command->arguments)
            return resp_error("ERR wrong number of arguments for '%s' command", command->name);
        return command->run(client, argv, argc);
    }
    return unknown_command(argv, argc);
}

void handle_command(struct client *client)
{
    store_lock();
    struct bytes reply = run_command(client, client->request.argv, client->request.argc);
    store_unlock();
    client_reply(client, reply);
}

// --- the server's own
// -----------------------------------------------------------------------------

static struct bytes handle_ping(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client;
    if (argc > 2)
        return resp_error("ERR wrong number of arguments for 'ping' command");
    return argc == 2 ? resp_bulk_string(argv[1].data, argv[1].len) : resp_simple("PONG");
}

static struct bytes handle_echo(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client, (void)argc;
    return resp_bulk_string(argv[1].data, argv[1].len);
}

static struct bytes handle_quit(struct client *client, struct bytes *argv, size_t argc)
{
    (void)argv, (void)argc;
    client->closing = true;
    return resp_simple("OK");
}

static struct bytes handle_select(struct client *client, struct bytes *argv, size_t argc)
{
    long long number;

    (void)client, (void)argc;
    if (resp_parse_integer(argv[1].data, argv[1].len, &number) < 0)
        return resp_error("ERR value is not an integer or out of range");
    return number == 0 ? resp_simple("OK") : resp_error("ERR DB index is out of range");
}

static struct bytes handle_dbsize(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client, (void)argv, (void)argc;
    return resp_integer((long long)store_size());
}

static struct bytes handle_flushall(struct client *client, struct bytes *argv, size_t argc)
{
    (void)client, (void)argv, (void)argc;
    store_clear();
    return resp_simple("OK");
}

static struct bytes unknown_subcommand(const struct bytes *name, const char *command)
{
    return resp_error("ERR unknown subcommand '%.*s'. Try %s HELP.",
                      (int)(name->len < UNKNOWN_TEXT ? name->len : UNKNOWN_TEXT), name->data,
                      command);
}

// CONFIG GET pattern...: what there is to tell, as tools ask for it.
static struct bytes handle_config(struct client *client, struct bytes *argv, size_t argc)
{
    static const char *const settings[][2] = {
        {"save", ""},       {"appendonly", "no"},
        {"maxmemory", "0"}, {"maxclients", "10000"},
        {"databases", "1"}, {"proto-max-bulk-len", "536870912"}};
    enum { COUNT = sizeof settings / sizeof *settings };
    struct bytes items[2 * COUNT];
    size_t found = 0;

    (void)client;
    if (!is_word(&argv[1], "get"))
        return unknown_subcommand(&argv[1], "CONFIG");
    if (argc < 3)
        return resp_error("ERR wrong number of arguments for 'config|get' command");
    for (size_t i = 0; i < COUNT; i++) {
        bool wanted = false;
        for (size_t k = 2; k < argc && !wanted; k++) {
            char pattern[64];
            snprintf(pattern, sizeof pattern, "%.*s", (int)(argv[k].len < 63 ? argv[k].len : 63),
                     argv[k].data);
            wanted = fnmatch(pattern, settings[i][0], FNM_CASEFOLD) == 0;
        }
        for (size_t k = 0; wanted && k < 2; k++)
            items[found++] = resp_bulk_string(settings[i][k], strlen(settings[i][k]));
    }
    return resp_array(items, found);
}

static struct bytes describe(const struct command *command)
{
    struct bytes flag = resp_simple(command->flag);
    struct bytes items[] = {resp_bulk_string(command->name, strlen(command->name)),
                            resp_integer(command->arguments),
                            resp_array(&flag, 1),
                            resp_integer(command->first_key),
                            resp_integer(command->last_key),
                            resp_integer(command->key_step)};
    return resp_array(items, sizeof items / sizeof *items);
}

static struct bytes handle_commands(struct client *client, struct bytes *argv, size_t argc)
{
    struct bytes items[COMMAND_COUNT];

    (void)client;
    if (argc > 1 && is_word(&argv[1], "count"))
        return resp_integer(COMMAND_COUNT);
    if (argc > 1 && is_word(&argv[1], "docs"))
        return resp_array(NULL, 0);
    if (argc > 1)
        return unknown_subcommand(&argv[1], "COMMAND");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        items[i] = describe(&commands[i]);
    return resp_array(items, COMMAND_COUNT);
}
