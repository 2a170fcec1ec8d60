// Stage 5 on: short bulk strings of a batch of requests lie side by side in one buffer of the
// connection, until the next batch. Longer ones, and those that no longer fit, have memory of their
// own.
#ifndef DEMO_SHARED_BULK_H
#define DEMO_SHARED_BULK_H

#include "stage_connection.h"

// Reads a bulk string and the line end behind it. Null when the peer has gone.
char *read_shared_bulk(struct connection *connection, size_t len);

// Frees the arguments that have memory of their own, and makes the buffer empty.
void release_shared(struct connection *connection);

#endif
