/* hook_state.c - switches and messages of the hook; see hook_state.h. */
#include "hook_state.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "options.h"
#include "raw_sys.h"
#include "tables.h"

bool hook_is_active;
static bool quiet;

bool hook_quiet(void)
{
    return __atomic_load_n(&quiet, __ATOMIC_RELAXED);
}

void hook_become_quiet(void)
{
    __atomic_store_n(&quiet, true, __ATOMIC_SEQ_CST);
    struct heap_header *header = tables_header();
    if (header != NULL)
        __atomic_store_n(&header->state, HEAP_QUIET, __ATOMIC_RELAXED);
}

/* What the program's stderr is can't be known: a pipe that nobody reads (SIGPIPE), one that is full
 * (it would wait), a file at its limit (SIGXFSZ), a terminal that belongs to others (SIGTTOU, which
 * is no hindrance while it is blocked). None of that may happen to the program for our words. */
static void write_harmless(const char *bytes, size_t n)
{
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct timespec now = {0};
    struct raw_held held;
    if (raw_syscall(SYS_ppoll, (long)&out, 1, (long)&now, 0, 0, 0) != 1 ||
        (out.revents & POLLOUT) == 0 || !raw_hold_signals(&held))
        return;
    raw_syscall(SYS_write, STDERR_FILENO, (long)bytes, (long)n, 0, 0, 0);
    raw_release_signals(&held, RAW_SIGNAL(SIGPIPE) | RAW_SIGNAL(SIGXFSZ));
}

static void write_line(const char *prefix, const char *text)
{
    struct line line = {0};
    line_text(&line, prefix);
    line_text(&line, text);
    line_char(&line, '\n');
    if (!hook_quiet())
        write_harmless(line.bytes, line.length);
}

void hook_say(const char *text)
{
    if (hook_options.verbose)
        write_line("approf: ", text);
}

void hook_complain(const char *key, const char *text, const char *hint)
{
    static const char *said[32]; /* keys are literals: they live as long as we do */
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *before = NULL;
        if (__atomic_compare_exchange_n(&said[i], &before, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            write_line("approf: ", text);
            if (hint != NULL)
                write_line("hint: ", hint);
            return;
        }
        if (strcmp(before, key) == 0)
            return;
    }
}
