// What the server holds: keys with a string each, in one table under one lock.
// Everything is copied in; a value that fits where the old one was takes its place.
#ifndef DEMO_KEY_VALUES_H
#define DEMO_KEY_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "stage_connection.h"

void key_values_set(const char *key, size_t key_len, const char *value, size_t len);

// Calls `found` with the value while it is locked, or with null when there is none.
void key_values_get(const char *key, size_t key_len,
                    void (*found)(void *to, const char *value, size_t len), void *to);

// Keys that are soon to be asked for, BATCH at most: has the processor fetch what it will need for
// all of them at once, so that they don't wait one after the other.
void key_values_expect(const struct argument *const *keys, size_t count);

bool key_values_remove(const char *key, size_t key_len);

#endif
