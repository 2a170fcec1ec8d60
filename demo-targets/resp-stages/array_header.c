#include "array_header.h"

enum read_status read_length(struct connection *connection, char type, long long *length)
{
    char *line;
    size_t len;
    enum read_status status = read_line(connection, &line, &len);
    if (status != READ_OK)
        return status;

    if (len == 0 || line[0] != type)
        status = protocol_error(connection, "Protocol error: expected '%c', got '%c'", type,
                                len && line[0] >= ' ' && line[0] < 0x7f ? line[0] : ' ');
    else if (!parse_length(line + 1, len - 1, type == '*' ? MAX_ARGUMENTS : MAX_BULK, length))
        status = protocol_error(connection, "Protocol error: invalid %s length",
                                type == '*' ? "multibulk" : "bulk");
    release_line(line);
    return status;
}

bool skip_line_end(struct connection *connection)
{
    char line_end[2];

    if (connection->end - connection->start >= 2) {
        connection->start += 2;
        return true;
    }
    return read_exactly(connection, line_end, 2);
}

bool count_bytes(struct connection *connection, long long len)
{
    connection->request_bytes += (size_t)len;
    if (connection->request_bytes <= MAX_REQUEST)
        return true;
    protocol_error(connection, "Protocol error: request over 1 GiB");
    return false;
}
