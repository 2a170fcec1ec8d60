/* watch.c - see watch.h. syscall itself is in watch_syscall.S: it must be a jump, since a vfork
 * may be made through it. */
#include "watch.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "finish.h"
#include "hook_state.h"
#include "hooks.h"
#include "raw_sys.h"
#include "resolve.h"

static long raw_syscall_errno(long n, long a, long b, long c, long d, long e, long f);

static void (*real_exit)(int);
static int (*real_prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
__attribute__((visibility("hidden"))) long (*watch_real_syscall)(long, long, long, long, long, long,
                                                                 long) = raw_syscall_errno;
__attribute__((visibility("hidden"))) long watch_syscall_slow(long n, long a, long b, long c,
                                                              long d, long e, long f);

void watch_init(void)
{
    *(void **)&real_exit = resolve_next("_exit");
    *(void **)&real_prctl = resolve_next("prctl");
    void *next = resolve_next("syscall");
    if (next != NULL)
        *(void **)&watch_real_syscall = next;
}

static long raw_syscall_errno(long n, long a, long b, long c, long d, long e, long f)
{
    long result = raw_syscall(n, a, b, c, d, e, f);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

HOOK_EXPORT _Noreturn void watched_exit(int status) __asm__("_exit");
HOOK_EXPORT _Noreturn void watched_exit(int status)
{
    finish_process();
    if (real_exit != NULL)
        real_exit(status);
    for (;;)
        raw_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

HOOK_EXPORT _Noreturn void watched_Exit(int status) __asm__("_Exit");
HOOK_EXPORT _Noreturn void watched_Exit(int status)
{
    watched_exit(status);
}

HOOK_EXPORT int watched_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                              unsigned long d) __asm__("prctl");
HOOK_EXPORT int watched_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                              unsigned long d)
{
    int result = real_prctl != NULL ? real_prctl(option, a, b, c, d)
                                    : (int)raw_syscall_errno(SYS_prctl, option, (long)a, (long)b,
                                                             (long)c, (long)d, 0);
    if (option == PR_SET_SECCOMP && result == 0)
        hook_become_quiet();
    return result;
}

/* Only for the calls that watch_syscall.S picks out. */
long watch_syscall_slow(long n, long a, long b, long c, long d, long e, long f)
{
    if (n == SYS_exit_group)
        finish_process();
    long result = watch_real_syscall(n, a, b, c, d, e, f);
    bool installs = n == SYS_seccomp ? a <= 1 /* strict mode, filter */ : a == PR_SET_SECCOMP;
    if (n != SYS_exit_group && installs && result >= 0)
        hook_become_quiet();
    return result;
}
