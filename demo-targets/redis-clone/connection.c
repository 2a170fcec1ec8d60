// A connection: reads requests, has them run, sends the replies of a batch in one go.

#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../common/tcp_server.h"
#include "resp_reply.h"

static ssize_t fill_from_client(void *source, void *into, size_t room)
{
    struct client *client = source;
    ssize_t got;

    client_flush(client); // nothing more to read: the peer may be waiting for its replies
    if (client->closing)
        return 0;
    do
        got = recv(client->fd, into, room, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

void client_flush(struct client *client)
{
    if (client->out_len > 0 && send_all(client->fd, client->out, client->out_len) < 0)
        client->closing = true;
    client->out_len = 0;
}

void client_reply(struct client *client, struct bytes reply)
{
    if (client->out_len + reply.len > sizeof client->out)
        client_flush(client);
    if (reply.len > sizeof client->out) {
        if (!client->closing && send_all(client->fd, reply.data, reply.len) < 0)
            client->closing = true;
    } else {
        memcpy(client->out + client->out_len, reply.data, reply.len);
        client->out_len += reply.len;
    }
    free(reply.data);
}

void handle_connection(int fd)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        out_of_memory(sizeof *client);
    client->fd = fd;
    resp_reader_init(&client->reader, fill_from_client, client);

    while (!client->closing) {
        enum resp_status status = resp_read_request(&client->reader, &client->request);
        if (status == RESP_END)
            break;
        if (status == RESP_PROTOCOL_ERROR) {
            client_reply(client, resp_error("ERR %s", client->request.error));
            client->closing = true;
        } else if (client->request.argc > 0) {
            handle_command(client);
        }
        resp_request_clear(&client->request);
    }
    client_flush(client);
    resp_request_free(&client->request);
    resp_reader_free(&client->reader);
    free(client);
}
