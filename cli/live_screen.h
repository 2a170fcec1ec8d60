/* live_screen.h - a terminal as a screen: alternate buffer, raw keys, size; given back as it was.
 *
 * Plain escape codes that every terminal of the last decades knows. The terminal is restored on
 * every way out: at exit, on signals that end the program (which then ends by them), on faults, and
 * while it is stopped (^Z). One screen per process; not thread-safe.
 */
#ifndef APPROF_LIVE_SCREEN_H
#define APPROF_LIVE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum live_key {
    LIVE_KEY_NONE, /* time is over, or the size has changed */
    LIVE_KEY_END,  /* the input is gone */
    LIVE_KEY_UP = 256,
    LIVE_KEY_DOWN,
    LIVE_KEY_PAGE_UP,
    LIVE_KEY_PAGE_DOWN,
    LIVE_KEY_HOME,
    LIVE_KEY_LAST,
    LIVE_KEY_ESCAPE,
    LIVE_KEY_ENTER,
}; /* smaller numbers are characters */

/* On these descriptors; false when one is no terminal. Signals that are ignored stay so. While the
 * program is in the background, the terminal is left alone. */
bool live_screen_open(int input, int output);
void live_screen_close(void);

/* As it is now; 80x24 when the terminal does not say. */
void live_screen_size(int *columns, int *rows);

/* Waits for a key until CLOCK_MONOTONIC is until_ns. */
int live_screen_key(int64_t until_ns);

enum live_style { LIVE_PLAIN, LIVE_BOLD, LIVE_REVERSE, LIVE_DIM };

/* A picture is drawn line by line, and shown at once. Text is cut at the screen's width; control
 * characters are shown as '?'. Lines beyond the last row are left out. */
void live_screen_begin(void);
void live_screen_line(enum live_style style, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Lines drawn so far. */
int live_screen_lines(void);
void live_screen_end(void);

#endif
