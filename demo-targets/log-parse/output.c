#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (4 * 1024 * 1024) // more than three of the longest lines

static char buffer[BUFFER_BYTES];
static size_t filled;
static unsigned long long total;
static int failure; // errno of the first write that failed

static void send_buffer(void)
{
    for (size_t sent = 0; sent < filled && !failure;) {
        ssize_t part = write(STDOUT_FILENO, buffer + sent, filled - sent);
        if (part >= 0)
            sent += (size_t)part;
        else if (errno != EINTR)
            failure = errno;
    }
    filled = 0;
}

char *output_room(size_t len)
{
    if (len > sizeof buffer)
        return NULL;
    if (len > sizeof buffer - filled)
        send_buffer();
    char *room = buffer + filled;
    filled += len;
    total += len;
    return room;
}

void output_write(const char *data, size_t len)
{
    char *room = output_room(len);
    if (room)
        memcpy(room, data, len);
}

int output_end(void)
{
    send_buffer();
    if (failure)
        fprintf(stderr, "log-parse: writing: %s\n", strerror(failure));
    return failure ? -1 : 0;
}

unsigned long long output_bytes(void)
{
    return total;
}
