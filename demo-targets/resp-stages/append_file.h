// The append-only file: every command that changes something, as it came, to be run again at the
// next start. Off unless it is opened.
//
// Threads: writing takes a lock of its own. A write that fails is said on stderr once and ends the
// writing; the server goes on.
#ifndef DEMO_APPEND_FILE_H
#define DEMO_APPEND_FILE_H

#include "stage_connection.h"

// Runs what the file holds, then opens it for more. Returns -1 when that can't be (said on stderr).
int append_file_open(const char *path);

bool append_file_is_on(void);
void append_file_write(const struct argument *request);

// A command in RESP, in memory that is the caller's.
struct argument encode_command(const struct command *command);

#endif
