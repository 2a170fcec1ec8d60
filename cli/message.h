/* message.h - what approf says to people, always on stderr; results alone go to stdout.
 *
 * An error is one line, `approf: subject: what went wrong`, lower case and without a full stop,
 * followed where possible by a line `hint: ...` with what to do. Bytes that come from files or
 * arguments may be passed through %s: control characters are shown as '?'. Not thread-safe.
 */
#ifndef APPROF_MESSAGE_H
#define APPROF_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Exit status of every command. */
enum {
    STATUS_FINE = 0,
    STATUS_REGRESSION = 1, /* the gate found one */
    STATUS_BAD_USAGE = 2,  /* bad usage or unreadable input */
    STATUS_NO_VERDICT = 3, /* the gate has nothing to judge, or can't */
    STATUS_TOO_LOOSE = 4,  /* the gate's limits are far too loose */
};

/* Prints the line with "approf: " in front and a newline behind. Returns STATUS_BAD_USAGE, so that
 * `return message_error(...)` ends a command. */
int message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Neither an error nor a result: one line as it is (pprof's own wording where pprof has one). */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* While on, nothing is said: for what is done many times over and was told once. Returns what was
 * so before. */
bool message_quiet(bool on);

/* The system's words for an errno as messages have them, first letter in lower case: "permission
 * denied". Valid until the next call but one. */
const char *message_errno(int number);

/* Up to `most` names that a typing error could have meant, nearest first; returns how many. */
size_t nearest_names(const char *typed, const char *const *names, size_t n, const char **nearest,
                     size_t most);

#endif
