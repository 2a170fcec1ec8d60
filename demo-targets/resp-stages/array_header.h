// Stages 2 on: what begins a request and each of its arguments.
#ifndef DEMO_ARRAY_HEADER_H
#define DEMO_ARRAY_HEADER_H

#include "stage_connection.h"

// Reads "*N" or "$N", whichever type says, and checks N against its limit.
enum read_status read_length(struct connection *connection, char type, long long *length);

// Reads the line end behind a bulk string.
bool skip_line_end(struct connection *connection);

// Adds to the size of the request. False when it is too much; the error is set.
bool count_bytes(struct connection *connection, long long len);

#endif
