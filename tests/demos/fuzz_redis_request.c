// redis-clone's request parser: whatever comes, however it is cut into pieces, it says the same,
// and what it says is well-formed.

#include "fuzz_input.h"

#include "../../demo-targets/redis-clone/resp_request.h"
#include "fuzz_resp_seeds.h"

#include <string.h>

struct pieces {
    const uint8_t *data;
    size_t left;
    size_t piece; // bytes a fill at most
};

void out_of_memory(size_t wanted)
{
    fprintf(stderr, "out of memory: %zu\n", wanted);
    abort();
}

static ssize_t next_piece(void *source, void *into, size_t room)
{
    struct pieces *pieces = source;
    size_t len = pieces->left < pieces->piece ? pieces->left : pieces->piece;
    len = len < room ? len : room;
    memcpy(into, pieces->data, len);
    pieces->data += len;
    pieces->left -= len;
    return (ssize_t)len;
}

static uint64_t parse_all(const uint8_t *data, size_t size, size_t piece)
{
    struct pieces pieces = {.data = data, .left = size, .piece = piece};
    struct resp_reader *reader = malloc(sizeof *reader);
    struct resp_request request = {0};
    enum resp_status status;

    FUZZ_CHECK(reader != NULL);
    fuzz_digest = 0xcbf29ce484222325u;
    resp_reader_init(reader, next_piece, &pieces);
    while ((status = resp_read_request(reader, &request)) == RESP_REQUEST) {
        fuzz_note(&request.argc, sizeof request.argc);
        for (size_t i = 0; i < request.argc; i++) {
            FUZZ_CHECK(request.argv[i].len <= size);
            fuzz_note(request.argv[i].data, request.argv[i].len);
        }
        resp_request_clear(&request);
    }
    if (status == RESP_PROTOCOL_ERROR) {
        FUZZ_CHECK(strncmp(request.error, "Protocol error: ", 16) == 0);
        fuzz_note(request.error, strlen(request.error));
    }
    resp_request_free(&request);
    resp_reader_free(reader);
    free(reader);
    return fuzz_digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t before = fuzz_digest;
    uint64_t whole = parse_all(data, size, size + 1);

    FUZZ_CHECK(parse_all(data, size, 1) == whole);
    FUZZ_CHECK(parse_all(data, size, 1 + size % 7) == whole);
    fuzz_digest = before;
    fuzz_note(&whole, sizeof whole);
    return 0;
}
