#include "append_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1; // set before the first connection, then guarded by the lock

int append_file_open(const char *path)
{
    int old = open(path, O_RDONLY | O_CLOEXEC);
    if (old >= 0) {
        int failed = replay_requests(old);
        close(old);
        if (failed < 0) {
            fprintf(stderr, "%s: %s: does not end with a whole command\n",
                    program_invocation_short_name, path);
            return -1;
        }
    }
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path, strerror(errno));
    return file < 0 ? -1 : 0;
}

bool append_file_is_on(void)
{
    return __atomic_load_n(&file, __ATOMIC_RELAXED) >= 0;
}

void append_file_write(const struct argument *request)
{
    pthread_mutex_lock(&lock);
    for (size_t done = 0; done < request->len && file >= 0;) {
        ssize_t part = write(file, request->data + done, request->len - done);
        if (part >= 0) {
            done += (size_t)part;
        } else if (errno != EINTR) {
            fprintf(stderr, "%s: append-only file: %s\n", program_invocation_short_name,
                    strerror(errno));
            close(file);
            __atomic_store_n(&file, -1, __ATOMIC_RELAXED);
        }
    }
    pthread_mutex_unlock(&lock);
}

struct argument encode_command(const struct command *command)
{
    size_t room = HEADER_BYTES;
    for (size_t i = 0; i < command->argc; i++)
        room += HEADER_BYTES + command->argv[i].len;
    char *raw = malloc(room);
    if (!raw)
        no_memory(room);

    size_t len = (size_t)snprintf(raw, HEADER_BYTES, "*%zu\r\n", command->argc);
    for (size_t i = 0; i < command->argc; i++) {
        const struct argument *argument = &command->argv[i];
        len += (size_t)snprintf(raw + len, HEADER_BYTES, "$%zu\r\n", argument->len);
        memcpy(raw + len, argument->data, argument->len);
        memcpy(raw + len + argument->len, "\r\n", 2);
        len += argument->len + 2;
    }
    return (struct argument){.data = raw, .len = len};
}
