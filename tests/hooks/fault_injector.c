/* fault_injector.c - part of a libapprof.so that is built for faults.sh alone: makes its system
 * calls fail, from the FAULT_FROM-th to the FAULT_TO-th with FAULT_ERROR, and counts them in the
 * file FAULT_COUNT. Those of the hook itself ask raw_fault (raw_sys.h), those of proto/ come by the
 * linker's --wrap. Children count on. */
#include "raw_sys.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long from, to, error;
static long *count;

/* These don't fail in a way that leaves anything to do, or don't fail. */
static bool spared(long number)
{
    switch (number) {
    case SYS_close:
    case SYS_munmap:
    case SYS_rt_sigprocmask:
    case SYS_getpid:
    case SYS_exit_group:
    case SYS_wait4:
    case SYS_ppoll:
    case SYS_nanosleep:
    case SYS_sched_yield:
    case SYS_clock_gettime:
        return true;
    default:
        return false;
    }
}

static long fault(long number)
{
    if (count == NULL || spared(number))
        return 0;
    long n = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    return n >= from && n <= to ? -error : 0;
}

static const char *value_of(char **environment, const char *name)
{
    size_t n = strlen(name);
    for (; environment != NULL && *environment != NULL; environment++)
        if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
            return *environment + n + 1;
    return NULL;
}

/* Before the hook's own constructor. */
__attribute__((constructor(101))) static void begin(int argc, char **argv, char **environment)
{
    const char *path = value_of(environment, "FAULT_COUNT");
    (void)argc, (void)argv;
    if (path == NULL)
        return;
    from = atol(value_of(environment, "FAULT_FROM"));
    to = atol(value_of(environment, "FAULT_TO"));
    error = atol(value_of(environment, "FAULT_ERROR"));
    int fd = raw_open(path, O_RDWR | O_CLOEXEC, 0);
    count = raw_mmap(sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    raw_close(fd);
    raw_fault = fault;
}

static bool fails(long number)
{
    long result = fault(number);
    if (result != 0)
        errno = (int)-result;
    return result != 0;
}

#define WRAP(type, name, number, params, args) \
    type __real_##name params;                 \
    type __wrap_##name params;                 \
    type __wrap_##name params                  \
    {                                          \
        if (fails(number))                     \
            return (type)-1;                   \
        return __real_##name args;             \
    }
WRAP(void *, mmap, SYS_mmap, (void *p, size_t n, int a, int b, int c, off_t d), (p, n, a, b, c, d))
WRAP(ssize_t, read, SYS_read, (int fd, void *p, size_t n), (fd, p, n))
WRAP(ssize_t, pread, SYS_pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
WRAP(ssize_t, write, SYS_write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(int, fstat, SYS_fstat, (int fd, struct stat *out), (fd, out))
WRAP(int, rename, SYS_rename, (const char *a, const char *b), (a, b))
WRAP(int, renameat2, SYS_renameat2, (int a, const char *b, int c, const char *d, unsigned e),
     (a, b, c, d, e))
WRAP(int, unlink, SYS_unlink, (const char *a), (a))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return fails(SYS_openat) ? -1 : __real_open(path, flags, mode);
}
