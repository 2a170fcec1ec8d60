/* live_screen.c - see live_screen.h. */
#include "live_screen.h"

#include "memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const char enter_codes[] = "\033[?1049h\033[?25l\033[H\033[2J";
static const char leave_codes[] = "\033[0m\033[?25h\033[?1049l";

/* Those that end a program, and may find the terminal in our state. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGSEGV,
                             SIGBUS, SIGABRT, SIGFPE, SIGILL,  SIGXCPU, SIGALRM};

static int input_fd = STDIN_FILENO, output_fd = STDOUT_FILENO;
static struct termios before;
static volatile sig_atomic_t is_open, resized;
static sigset_t awake; /* the signals that may come while we wait for a key */

static struct {
    char *bytes;
    size_t length, room;
    int columns, rows, line;
} picture;

static void put(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(output_fd, bytes, n);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            return;
        }
        if (written > 0) {
            bytes += written;
            n -= (size_t)written;
        }
    }
}

/* Safe in signal handlers. */
static void leave(void)
{
    if (is_open) {
        is_open = 0;
        put(leave_codes, sizeof leave_codes - 1);
        tcsetattr(input_fd, TCSANOW, &before);
    }
}

static bool in_background(void)
{
    pid_t group = tcgetpgrp(output_fd);
    return group > 0 && group != getpgrp();
}

static void enter(void)
{
    if (in_background()) {
        return; /* the next key that is waited for tries again */
    }
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(input_fd, TCSANOW, &raw);
    put(enter_codes, sizeof enter_codes - 1);
    is_open = 1;
}

static void on_end(int number)
{
    leave();
    signal(number, SIG_DFL);
    raise(number);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void on_resize(int number)
{
    (void)number;
    resized = 1;
}

static void on_stop(int number)
{
    int error = errno;
    sigset_t one, old;
    (void)number;
    leave();
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    sigemptyset(&one);
    sigaddset(&one, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &one, &old); /* stops here */
    sigprocmask(SIG_SETMASK, &old, NULL);
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGTSTP, &action, NULL);
    enter();
    resized = 1;
    errno = error;
}

bool live_screen_open(int input, int output)
{
    input_fd = input;
    output_fd = output;
    if (!isatty(input_fd) || !isatty(output_fd) || tcgetattr(input_fd, &before) != 0) {
        return false;
    }
    struct sigaction action = {.sa_handler = on_end};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction old;
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(ending[i], &action, NULL);
        }
    }
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, NULL);
    action.sa_handler = on_stop;
    sigaction(SIGTSTP, &action, NULL);
    /* These two only while a key is waited for, so that a picture is never cut in two. */
    sigaddset(&blocked, SIGWINCH);
    sigaddset(&blocked, SIGTSTP);
    sigprocmask(SIG_BLOCK, &blocked, &awake);
    sigdelset(&awake, SIGWINCH);
    sigdelset(&awake, SIGTSTP);
    atexit(live_screen_close);
    enter();
    return true;
}

void live_screen_close(void)
{
    leave();
}

void live_screen_size(int *columns, int *rows)
{
    struct winsize size = {0};
    bool known = ioctl(output_fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

/* ---- keys ---- */

static int read_byte(void)
{
    unsigned char byte;
    return read(input_fd, &byte, 1) == 1 ? byte : -1;
}

/* What follows an ESC: terminals send a key's sequence in one piece. */
static int sequence(void)
{
    int c = read_byte();
    if (c != '[' && c != 'O') {
        return LIVE_KEY_ESCAPE;
    }
    int number = 0;
    while ((c = read_byte()) >= 0) {
        if (c >= '0' && c <= '9') {
            number = (number * 10 + c - '0') % 1000;
        } else if (c >= '@' && c <= '~') {
            break;
        }
    }
    switch (c) {
    case 'A':
        return LIVE_KEY_UP;
    case 'B':
        return LIVE_KEY_DOWN;
    case 'H':
        return LIVE_KEY_HOME;
    case 'F':
        return LIVE_KEY_LAST;
    case '~':
        return number == 5                  ? LIVE_KEY_PAGE_UP
               : number == 6                ? LIVE_KEY_PAGE_DOWN
               : number == 1 || number == 7 ? LIVE_KEY_HOME
               : number == 4 || number == 8 ? LIVE_KEY_LAST
                                            : LIVE_KEY_NONE;
    default:
        return LIVE_KEY_NONE;
    }
}

int live_screen_key(int64_t until_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = until_ns - (now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
    if (left < 0) {
        left = 0;
    }
    struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    struct pollfd input = {.fd = is_open ? input_fd : -1, .events = POLLIN};
    if (resized) {
        resized = 0;
        return LIVE_KEY_NONE;
    }
    if (ppoll(&input, 1, &wait, &awake) <= 0) {
        resized = 0;
        if (!is_open) {
            enter();
        }
        return LIVE_KEY_NONE;
    }
    int c = read_byte();
    if (c < 0) {
        return LIVE_KEY_END;
    }
    return c == 27 ? sequence() : c == '\r' || c == '\n' ? LIVE_KEY_ENTER : c;
}

/* ---- pictures ---- */

static void append(const char *bytes, size_t n)
{
    if (n > picture.room - picture.length) {
        picture.room = 2 * picture.room + n;
        picture.bytes = memory_resize(picture.bytes, picture.room, 1);
    }
    memcpy(picture.bytes + picture.length, bytes, n);
    picture.length += n;
}

static void append_text(const char *text)
{
    append(text, strlen(text));
}

void live_screen_begin(void)
{
    picture.length = 0;
    picture.line = 0;
    live_screen_size(&picture.columns, &picture.rows);
    append_text("\033[H");
}

/* As much as fits in the width; a character of several bytes counts once. Returns columns. */
static int append_cut(const char *text)
{
    int used = 0;
    for (const char *c = text; *c != 0; c++) {
        unsigned char byte = (unsigned char)*c;
        if ((byte & 0xc0) == 0x80) {
            append(c, 1);
            continue;
        }
        if (used >= picture.columns) {
            break;
        }
        used++;
        append(byte < 32 || byte == 127 ? "?" : c, 1);
    }
    return used;
}

void live_screen_line(enum live_style style, const char *format, ...)
{
    static const char *const codes[] = {"", "\033[1m", "\033[7m", "\033[2m"};
    if (picture.line >= picture.rows) {
        return;
    }
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0) {
        return;
    }
    if (picture.line > 0) {
        append_text("\r\n");
    }
    append_text(codes[style]);
    int used = append_cut(text);
    if (style == LIVE_REVERSE) {
        for (; used < picture.columns; used++) {
            append(" ", 1);
        }
    }
    if (style != LIVE_PLAIN) {
        append_text("\033[0m");
    }
    if (used < picture.columns) {
        append_text("\033[K");
    }
    picture.line++;
    free(text);
}

int live_screen_lines(void)
{
    return picture.line;
}

void live_screen_end(void)
{
    if (picture.line < picture.rows) {
        append_text("\033[J");
    }
    if (is_open) {
        put(picture.bytes, picture.length);
    }
}
