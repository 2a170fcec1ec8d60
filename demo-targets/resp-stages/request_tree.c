// Stages 0 and 1: a request becomes a tree of typed values, each of which knows how it came. It is
// checked and then copied into a command.

#include "stage_connection.h"

#include <stdlib.h>
#include <string.h>

#include "command_copies.h"

enum value_kind { ARRAY, BULK, OTHER };

struct value {
    enum value_kind kind;
    char type; // as it came
    size_t count;
    struct value **items; // of an array
    char *text;           // of the others
    size_t len;
    struct argument came; // the line, and what is behind it
};

static enum read_status read_value(struct connection *connection, int depth, struct value **made);

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        no_memory(count * size);
    return memory;
}

static void free_value(struct value *value)
{
    if (!value)
        return;
    for (size_t i = 0; i < value->count; i++)
        free_value(value->items[i]);
    free(value->items);
    free(value->text);
    free(value->came.data);
    free(value);
}

// Adds a run of bytes, and a line end, to how the value came.
static void add_came(struct value *value, const char *run, size_t len, bool line_end)
{
    size_t room = value->came.len + len + 2;
    char *came = realloc(value->came.data, room);
    if (!came)
        no_memory(room);
    memcpy(came + value->came.len, run, len);
    if (line_end)
        memcpy(came + value->came.len + len, "\r\n", 2);
    value->came.data = came;
    value->came.len += len + (line_end ? 2 : 0);
}

static enum read_status read_items(struct connection *connection, struct value *array, size_t count)
{
    size_t room = 0;

    while (array->count < count) {
        if (array->count == room) {
            room = room ? room * 2 : (count < SLOTS ? count : SLOTS);
            struct value **items = realloc(array->items, room * sizeof *items);
            if (!items)
                no_memory(room * sizeof *items);
            array->items = items;
        }
        array->items[array->count] = NULL;
        enum read_status status = read_value(connection, 1, &array->items[array->count++]);
        if (status != READ_OK)
            return status;
        const struct value *item = array->items[array->count - 1];
        add_came(array, item->came.data, item->came.len, false);
    }
    return READ_OK;
}

static enum read_status read_bulk(struct connection *connection, struct value *bulk, size_t len)
{
    char line_end[2];

    connection->request_bytes += len;
    if (connection->request_bytes > MAX_REQUEST)
        return protocol_error(connection, "Protocol error: request over 1 GiB");
    bulk->text = read_owned_bulk(connection, len);
    bulk->len = len;
    if (!bulk->text || !read_exactly(connection, line_end, 2))
        return READ_END;
    add_came(bulk, bulk->text, len, true);
    return READ_OK;
}

static enum read_status read_typed(struct connection *connection, struct value *value, int depth,
                                   const char *line, size_t len)
{
    long long number;

    value->type = len ? line[0] : ' ';
    if (value->type == '*' && depth == 0) {
        value->kind = ARRAY;
        if (!parse_length(line + 1, len - 1, MAX_ARGUMENTS, &number))
            return protocol_error(connection, "Protocol error: invalid multibulk length");
        return read_items(connection, value, (size_t)number);
    }
    if (value->type == '$') {
        value->kind = BULK;
        if (!parse_length(line + 1, len - 1, MAX_BULK, &number))
            return protocol_error(connection, "Protocol error: invalid bulk length");
        return read_bulk(connection, value, (size_t)number);
    }
    value->kind = OTHER;
    value->text = memcpy(zeroed(len + 1, 1), line, len);
    value->len = len;
    return READ_OK;
}

static enum read_status read_value(struct connection *connection, int depth, struct value **made)
{
    char *line;
    size_t len;
    enum read_status status = read_line(connection, &line, &len);
    if (status != READ_OK)
        return status;

    *made = zeroed(1, sizeof **made);
    add_came(*made, line, len, true);
    status = read_typed(connection, *made, depth, line, len);
    release_line(line);
    return status;
}

static enum read_status wrong_type(struct connection *connection, char wanted, char got)
{
    return protocol_error(connection, "Protocol error: expected '%c', got '%c'", wanted,
                          got >= ' ' && got < 0x7f ? got : ' ');
}

// A request is an array of bulk strings.
static enum read_status check(struct connection *connection, const struct value *request)
{
    if (request->kind != ARRAY)
        return wrong_type(connection, '*', request->type);
    for (size_t i = 0; i < request->count; i++)
        if (request->items[i]->kind != BULK)
            return wrong_type(connection, '$', request->items[i]->type);
    return READ_OK;
}

static void copy_arguments(struct command *command, const struct value *request)
{
    command->argv = zeroed(request->count + 1, sizeof *command->argv);
    for (size_t i = 0; i < request->count; i++) {
        size_t len = request->items[i]->len;
        command->argv[i].data = memcpy(zeroed(len + 1, 1), request->items[i]->text, len);
        command->argv[i].len = len;
    }
    command->argc = request->count;
}

enum read_status read_request(struct connection *connection)
{
    struct value *request = NULL;
    enum read_status status = read_value(connection, 0, &request);

    if (status == READ_OK)
        status = check(connection, request);
    if (status == READ_OK) {
        copy_arguments(connection->command, request);
        add_copies(connection->command);
    }
    free_value(request);
    return status;
}

void release_command(struct connection *connection)
{
    free_command(connection->command);
}
