/* helper.c - see helper.h.
 *
 * Two processes are made, each with CLONE_VM | CLONE_VFORK on a stack of its own: no copy of the
 * page tables, no atfork handlers. The first has an exit signal of 0, so that the target's SIGCHLD
 * handler and its wait() loops never hear of it. It keeps that only as long as it does not exec:
 * the kernel gives whoever does the usual SIGCHLD. So it starts the command as its own child and
 * waits for that, while the target waits for it. All signals are blocked meanwhile: a handler of
 * the target must not run in the two, on the target's memory.
 */
#include "helper.h"

#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "line.h"
#include "options.h"
#include "raw_sys.h"
#include "startup.h"

enum { HELPER_STACK = 64 * 1024, HELPER_MS = 10000, MAX_ENVIRONMENT = 4096 };

struct helper {
    void *stack; /* the command's, up to its exec */
    const char *command;
    char *arguments[6];
    char *environment[MAX_ENVIRONMENT];
};

static bool is_ours(const char *variable)
{
    return strncmp(variable, "LD_PRELOAD=", 11) == 0 || strncmp(variable, "APPROF_", 7) == 0;
}

static bool executable(const char *path)
{
    return raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0, 0) == 0;
}

static bool beside_library(char *out, size_t room, const char *tail)
{
    size_t n = strlen(startup.library_directory), m = strlen(tail);
    if (n == 0 || n + m >= room)
        return false;
    memcpy(out, startup.library_directory, n);
    memcpy(out + n, tail, m + 1);
    return executable(out);
}

static const char *find_command(void)
{
    static char path[OPTION_TEXT_SIZE];
    if (hook_options.helper[0] != '\0')
        return executable(hook_options.helper) ? hook_options.helper : NULL;
    if (beside_library(path, sizeof path, "/approf") ||
        beside_library(path, sizeof path, "/../bin/approf") ||
        beside_library(path, sizeof path, "/../../bin/approf"))
        return path;
    return NULL;
}

static int run_command(void *argument)
{
    struct helper *helper = argument;
    uint64_t none = 0;
    raw_sigprocmask(SIG_SETMASK, &none, NULL);
    raw_syscall(SYS_execve, (long)helper->command, (long)helper->arguments,
                (long)helper->environment, 0, 0, 0);
    raw_syscall(SYS_exit_group, 127, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

/* Waits for at most HELPER_MS; then the file stays as it was written, which is whole: the helper
 * renames its own over it only when it is done. */
static void await(int pid)
{
    long fd = raw_syscall(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
    for (int waited = 0; waited < HELPER_MS;) {
        if (raw_syscall(SYS_wait4, pid, 0, WNOHANG | __WALL, 0, 0, 0) != 0)
            break;
        int step = fd >= 0 ? 1000 : 10;
        struct pollfd ready = {.fd = (int)fd, .events = POLLIN};
        struct timespec t = {.tv_sec = step / 1000, .tv_nsec = step % 1000 * 1000000L};
        uint64_t all = ~UINT64_C(0);
        raw_syscall(SYS_ppoll, (long)&ready, fd >= 0, (long)&t, (long)&all, sizeof all, 0);
        waited += step;
        if (waited >= HELPER_MS) {
            raw_kill(pid, SIGKILL);
            raw_syscall(SYS_wait4, pid, 0, __WALL, 0, 0, 0);
        }
    }
}

/* The one between. It lets go of the target's descriptors: who waits for their other ends shall not
 * wait for us, should the target be killed meanwhile. */
static int start_and_await(void *argument)
{
    struct helper *helper = argument;
    int null = raw_open("/dev/null", O_RDWR, 0);
    if (null >= 0) {
        for (int fd = 0; fd < 3; fd++)
            raw_syscall(SYS_dup3, null, fd, 0, 0, 0, 0); /* equal ones: EINVAL, and right */
    }
    raw_syscall(SYS_close_range, 3, ~0u, 0, 0, 0, 0);
    int pid = clone(run_command, helper->stack, CLONE_VM | CLONE_VFORK, helper);
    if (pid > 0)
        await(pid);
    raw_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

void helper_symbolize(const char *path)
{
    const char *command = find_command();
    if (command == NULL)
        return;
    size_t size = 2 * HELPER_STACK + sizeof(struct helper);
    char *memory = raw_map_private(size);
    if (memory == NULL)
        return;
    struct helper *helper = (void *)(memory + 2 * HELPER_STACK);
    helper->stack = memory + 2 * HELPER_STACK;
    helper->command = command;
    char *arguments[] = {"approf", "symbolize", (char *)path, "-o", (char *)path, NULL};
    memcpy(helper->arguments, arguments, sizeof arguments);
    int n = 0;
    for (char **e = environ; e != NULL && *e != NULL && n < MAX_ENVIRONMENT - 1; e++)
        if (!is_ours(*e))
            helper->environment[n++] = *e;
    uint64_t all = ~UINT64_C(0), before;
    raw_sigprocmask(SIG_SETMASK, &all, &before);
    int pid = clone(start_and_await, memory + HELPER_STACK, CLONE_VM | CLONE_VFORK, helper);
    if (pid > 0)
        raw_syscall(SYS_wait4, pid, 0, __WALL, 0, 0, 0);
    raw_sigprocmask(SIG_SETMASK, &before, NULL);
    raw_munmap(memory, size);
}
