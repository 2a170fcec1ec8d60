// The request parsers of resp-stages, linked with one stage's pieces. In the end the digest is that
// of all commands that were read: stages that should agree print the same one.

#include "fuzz_input.h"

#include "../../demo-targets/common/tcp_server.h"
#include "../../demo-targets/resp-stages/stage_connection.h"
#include "fuzz_resp_seeds.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t input_size;

// The parsers' surroundings: a command is noted instead of run, and there is nobody to answer.
void run_command(struct connection *connection)
{
    const struct command *command = connection->command;

    fuzz_note(&command->argc, sizeof command->argc);
    for (size_t i = 0; i < command->argc; i++) {
        FUZZ_CHECK(command->argv[i].len <= input_size);
        fuzz_note(command->argv[i].data, command->argv[i].len);
        if (command->words)
            FUZZ_CHECK(memcmp(command->words[i], command->argv[i].data, command->argv[i].len) == 0);
    }
}

void expect_commands(const struct command *commands, size_t count)
{
    FUZZ_CHECK(count > 1 && count <= BATCH);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < commands[i].argc; k++)
            FUZZ_CHECK(commands[i].argv[k].len <= input_size);
}

void answer_line(struct connection *connection, const char *line)
{
    (void)connection;
    FUZZ_CHECK(strncmp(line, "-ERR Protocol error: ", 21) == 0);
    fuzz_note(line, 21);
}

// As the loop does it: whatever has come is read, in batches, and a request that is not all there
// is begun again. Returns whether all of it was read without an error.
static bool serve_pieces(const uint8_t *data, size_t size, size_t piece)
{
    struct connection *connection = open_connection(-1);

    connection->in_loop = true;
    while (size > 0 && !connection->closing) {
        size_t unread = connection->end - connection->start;
        size_t len = size < piece ? size : piece;
        if (len > sizeof connection->read - unread)
            break; // a request larger than the buffer, for a thread of its own
        memmove(connection->read, connection->read + connection->start, unread);
        memcpy(connection->read + unread, data, len);
        connection->start = 0;
        connection->end = unread + len;
        connection->starved = false;
        data += len;
        size -= len;
        serve_requests(connection);
        FUZZ_CHECK(connection->closing || connection->batch_next == connection->batch_count);
    }
    bool whole = !connection->closing && connection->start == connection->end && size == 0;
    close_connection(connection);
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;

    if (file < 0)
        file = memfd_create("input", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0 &&
               pwrite(file, data, size, 0) == (ssize_t)size);
    lseek(file, 0, SEEK_SET);
    input_size = size;
    uint64_t before = fuzz_digest;
    fuzz_digest = 0;
    int whole = replay_requests(file);
    uint64_t waiting = fuzz_digest;

    // However it comes, it is the same.
    for (size_t piece = 1; piece <= size + 1; piece = piece * 5 + size % 5) {
        fuzz_digest = 0;
        FUZZ_CHECK(serve_pieces(data, size, piece) == (whole == 0));
        FUZZ_CHECK(fuzz_digest == waiting);
    }
    fuzz_digest = before;
    fuzz_note(&waiting, sizeof waiting);
    fuzz_note(&whole, sizeof whole);
    return 0;
}
