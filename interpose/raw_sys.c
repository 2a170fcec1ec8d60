/* raw_sys.c - see raw_sys.h. */
#include "raw_sys.h"

#include <sys/auxv.h>

#ifdef APPROF_FAULTS
long (*raw_fault)(long number);
#endif

long raw_read_file(const char *path, char *text, size_t size)
{
    int fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return fd;
    size_t used = 0;
    long n = 0;
    while (used < size - 1 && (n = raw_read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    raw_close(fd);
    text[used] = 0;
    return n < 0 ? n : (long)used;
}

size_t raw_own_exe(char *text, size_t size)
{
    long n = raw_readlink("/proc/self/exe", text, size);
    const char *name = (const char *)getauxval(AT_EXECFN);
    if (n > 0 || name == NULL)
        return n > 0 ? (size_t)n : 0;
    if (name[0] != '/') {
        n = raw_syscall(SYS_getcwd, (long)text, (long)size, 0, 0, 0, 0);
        if (n < 2 || text[0] != '/')
            n = 0;
        else if (n > 2) /* all but the root's own slash */
            text[n - 1] = '/';
        else
            n = 1;
    }
    size_t used = n > 0 ? (size_t)n : 0;
    while (*name != '\0' && used < size)
        text[used++] = *name++;
    return used;
}

bool raw_hold_signals(struct raw_held *held)
{
    uint64_t all = ~UINT64_C(0);
    held->pending = 0;
    if (raw_sigprocmask(SIG_SETMASK, &all, &held->mask) < 0)
        return false;
    raw_syscall(SYS_rt_sigpending, (long)&held->pending, sizeof held->pending, 0, 0, 0, 0);
    return true;
}

void raw_release_signals(const struct raw_held *held, uint64_t own)
{
    struct timespec now = {0};
    own &= ~held->pending;
    if (own != 0)
        raw_syscall(SYS_rt_sigtimedwait, (long)&own, 0, (long)&now, sizeof own, 0, 0);
    raw_sigprocmask(SIG_SETMASK, &held->mask, NULL);
}
