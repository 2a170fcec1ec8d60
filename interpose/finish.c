/* finish.c - see finish.h. */
#include "finish.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "dump.h"
#include "foreign_libc.h"
#include "helper.h"
#include "hook_state.h"
#include "line.h"
#include "options.h"
#include "raw_sys.h"
#include "slots.h"
#include "text.h"
#include "tables.h"

int __cxa_atexit(void (*function)(void *), void *argument, void *dso);

static void at_exit(void *argument)
{
    (void)argument;
    finish_process();
}

/* Without a handle the handlers belong to no library, so that they run in their turn in the list:
 * registered first, last. */
void finish_init(void)
{
    __cxa_atexit(at_exit, NULL, NULL);
    __cxa_at_quick_exit(at_exit, NULL);
}

static bool nothing_sampled(const struct heap_header *header)
{
    return __atomic_load_n(&header->samples, __ATOMIC_RELAXED) == 0;
}

static void say_failure(const char *path, const char *text)
{
    struct line line = {0};
    line_text(&line, path);
    line_text(&line, ": ");
    line_text(&line, text);
    hook_say(line.bytes);
}

/* True when the tables are no longer needed: the profile is written, or nobody wants one. */
static bool write_profile(void)
{
    static char path[OPTION_TEXT_SIZE], final[OPTION_TEXT_SIZE];
    struct profile_error error = {0};
    struct profile profile;
    if (nothing_sampled(tables_header()) && !hook_options.out_set)
        return true;
    if (!dump_path(hook_options.out, path, sizeof path)) {
        say_failure(hook_options.out, "name too long");
        return false;
    }
    if (!dump_profile(&profile, &error)) {
        say_failure(path, error.text);
        return false;
    }
    bool ok = profile_write_file(&profile, path, false, final, sizeof final, &error);
    profile_free(&profile);
    if (!ok) {
        say_failure(path, error.text);
        return false;
    }
    say_failure(final, "written");
    if (hook_options.symbolize)
        helper_symbolize(final);
    return true;
}

/* A daemon outlives the run that it was started in: then it writes its profile itself. */
static bool run_will_read(void)
{
    return hook_options.under_run != 0 && !tables_are_private() &&
           raw_kill(hook_options.under_run, 0) != -ESRCH;
}

/* Resident pages less shared ones; the tables are shared, so they don't count. */
static void note_resident(struct heap_header *header)
{
    char text[256];
    uint64_t fields[3] = {0};
    const char *at = text, *end;
    long n = raw_read_file("/proc/self/statm", text, sizeof text);
    if (n <= 0)
        return;
    end = text + n;
    for (int i = 0; i < 3; i++) {
        if (!text_parse_u64(&at, end, &fields[i]))
            return;
        at += at < end;
    }
    if (fields[1] > fields[2])
        __atomic_store_n(&header->resident_bytes, (fields[1] - fields[2]) * 4096, __ATOMIC_RELAXED);
}

/* Readers of tables that stay learn how long the process was there. */
static void note_time(struct heap_header *header)
{
    struct timespec now = {0};
    if (raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0) == 0)
        __atomic_store_n(&header->last_sample_ns, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
                         __ATOMIC_RELAXED);
}

void finish_process(void)
{
    if (!hook_active() || hook_quiet() || slots_forked())
        return;
    struct heap_header *header = tables_header();
    /* A vfork child shares all this memory and is not the process that it describes. */
    if (header == NULL || (uint32_t)raw_getpid() != header->pid || !slots_claim_dump())
        return;
    int saved = errno, cancel_state;
    /* The C library's open and write would be where a thread that ends the process is cancelled,
     * and the process went on. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t total;
    bool at_rest = slots_rest(&total);
    note_resident(header);
    note_time(header);
    if (run_will_read()) {
        at_rest = at_rest && slots_rested(total);
        if (at_rest)
            __atomic_store_n(&header->total_bytes, total, __ATOMIC_RELAXED);
        __atomic_store_n(&header->state, at_rest ? HEAP_EXITED : HEAP_LEFT, __ATOMIC_RELEASE);
    } else {
        if (write_profile())
            tables_unlink();
        __atomic_store_n(&header->state, HEAP_EXITED, __ATOMIC_RELEASE);
    }
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved;
}
