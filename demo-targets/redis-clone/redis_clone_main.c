// redis-clone: a Redis server in little, a thread per connection, one store under one lock.
// The store is not freed at the end: what it held is then what a heap profile shows.

#include "../common/tcp_server.h"
#include "client.h"
#include "store.h"

int main(int argc, char **argv)
{
    struct tcp_server server = {.name = "redis-clone",
                                .port = 6379,
                                .handle = handle_connection,
                                .tick = store_expire_some,
                                .full = "-ERR max number of clients reached\r\n"};
    int status = tcp_server_options(&server, NULL, 0, argc, argv);
    if (status)
        return status == 1 ? 0 : status;
    return tcp_server_run(&server);
}
