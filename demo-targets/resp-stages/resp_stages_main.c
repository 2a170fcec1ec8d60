// resp-stages: a second Redis server in little, whose way from request to reply exists in eight
// stages. Which stage this one is, is a matter of what it was linked from.

#include <errno.h>

#include "../common/tcp_server.h"
#include "append_file.h"
#include "stage_connection.h"

int main(int argc, char **argv)
{
    struct tcp_server server = {.name = program_invocation_short_name,
                                .port = 6380,
                                .take = take_connection,
                                .full = "-ERR max number of clients reached\r\n"};
    long append_only = 0;
    const struct number_option options[] = {
        {"appendonly", 0, 1, &append_only, "1: keep commands in ./appendonly.aof"},
    };
    int status = tcp_server_options(&server, options, 1, argc, argv);
    if (status)
        return status == 1 ? 0 : status;
    if (append_only && append_file_open("appendonly.aof") < 0)
        return 1;
    return tcp_server_run(&server);
}
