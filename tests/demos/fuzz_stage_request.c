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
    const struct command *command = &connection->command;

    fuzz_note(&command->argc, sizeof command->argc);
    for (size_t i = 0; i < command->argc; i++) {
        FUZZ_CHECK(command->argv[i].len <= input_size);
        fuzz_note(command->argv[i].data, command->argv[i].len);
        if (command->words)
            FUZZ_CHECK(memcmp(command->words[i], command->argv[i].data, command->argv[i].len) == 0);
    }
}

void answer_line(struct connection *connection, const char *line)
{
    (void)connection;
    FUZZ_CHECK(strncmp(line, "-ERR Protocol error: ", 21) == 0);
    fuzz_note(line, 21);
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
    int whole = replay_requests(file);
    fuzz_note(&whole, sizeof whole);
    return 0;
}
