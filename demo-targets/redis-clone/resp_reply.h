// Replies in RESP, each a piece of memory that belongs to the caller. Arrays are made of replies.
#ifndef DEMO_RESP_REPLY_H
#define DEMO_RESP_REPLY_H

#include "bytes.h"

struct bytes resp_simple(const char *text);
struct bytes resp_integer(long long value);
struct bytes resp_bulk_string(const char *data, size_t len);
struct bytes resp_nil(void);
struct bytes resp_nil_array(void);

// Joins the items behind an array header and frees them, but not the array that holds them.
struct bytes resp_array(struct bytes *items, size_t count);

// The text begins with its code, as in "ERR syntax error"; line ends within are made spaces.
struct bytes resp_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct bytes resp_wrong_type(void);

#endif
