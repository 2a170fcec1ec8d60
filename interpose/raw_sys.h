/* raw_sys.h - system calls made straight, not through the C library.
 *
 * What the C library's wrappers do besides is what a hook inside malloc must not have: open, read
 * and close are cancellation points, all of them set errno, a library preloaded behind us may have
 * wrapped them, and our own wrapper of syscall() watches for seccomp. Each function returns what
 * the kernel does: a result, or -errno. Async-signal-safe. Nobody may call any of them once
 * hook_quiet() (hook_state.h).
 *
 * With -DAPPROF_FAULTS each call first asks raw_fault (when set), which may make it fail with the
 * -errno that it returns.
 */
#ifndef APPROF_RAW_SYS_H
#define APPROF_RAW_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#ifdef APPROF_FAULTS
extern long (*raw_fault)(long number); /* 0: let it through. Defined in raw_sys.c */
#endif

static inline long raw_syscall(long n, long a, long b, long c, long d, long e, long f)
{
#ifdef APPROF_FAULTS
    long fault = raw_fault ? raw_fault(n) : 0;
    if (fault != 0)
        return fault;
#endif
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "no raw system calls for this architecture yet"
#endif
}

/* flags should hold O_CLOEXEC. Starts again when a signal interrupted it. */
static inline int raw_openat(int directory, const char *path, int flags, int mode)
{
    long result;
    do
        result = raw_syscall(SYS_openat, directory, (long)path, flags, mode, 0, 0);
    while (result == -EINTR);
    return (int)result;
}

static inline int raw_open(const char *path, int flags, int mode)
{
    return raw_openat(AT_FDCWD, path, flags, mode);
}

/* Linux closes the descriptor even when it says EINTR: never twice. */
static inline void raw_close(int fd)
{
    raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long raw_read(int fd, void *bytes, size_t n)
{
    long result;
    do
        result = raw_syscall(SYS_read, fd, (long)bytes, (long)n, 0, 0, 0);
    while (result == -EINTR);
    return result;
}

static inline long raw_pread(int fd, void *bytes, size_t n, uint64_t offset)
{
    long result;
    do
        result = raw_syscall(SYS_pread64, fd, (long)bytes, (long)n, (long)offset, 0, 0);
    while (result == -EINTR);
    return result;
}

/* NULL on failure: nothing here asks for the page at 0. */
static inline void *raw_mmap(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long result = raw_syscall(SYS_mmap, 0, (long)size, protection, flags, fd, (long)offset);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

static inline void *raw_map_private(size_t size)
{
    return raw_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void raw_munmap(void *start, size_t size)
{
    raw_syscall(SYS_munmap, (long)start, (long)size, 0, 0, 0, 0);
}

static inline long raw_madvise(void *start, size_t size, int advice)
{
    return raw_syscall(SYS_madvise, (long)start, (long)size, advice, 0, 0, 0);
}

static inline long raw_fallocate(int fd, int mode, uint64_t offset, uint64_t size)
{
    return raw_syscall(SYS_fallocate, fd, mode, (long)offset, (long)size, 0, 0);
}

static inline long raw_fstat(int fd, struct stat *out)
{
    return raw_syscall(SYS_fstat, fd, (long)out, 0, 0, 0, 0);
}

static inline long raw_unlinkat(int directory, const char *path)
{
    return raw_syscall(SYS_unlinkat, directory, (long)path, 0, 0, 0, 0);
}

static inline long raw_mkdir(const char *path, int mode)
{
    return raw_syscall(SYS_mkdirat, AT_FDCWD, (long)path, mode, 0, 0, 0);
}

static inline long raw_readlink(const char *path, char *text, size_t n)
{
    return raw_syscall(SYS_readlinkat, AT_FDCWD, (long)path, (long)text, (long)n, 0, 0);
}

static inline long raw_kill(int pid, int sig)
{
    return raw_syscall(SYS_kill, pid, sig, 0, 0, 0, 0);
}

static inline int raw_getpid(void)
{
    return (int)raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline void raw_yield(void)
{
    raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static inline void raw_sleep_ns(long ns)
{
    struct timespec t = {.tv_nsec = ns};
    raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0);
}

/* The kernel's signal set: 64 bits. */
static inline long raw_sigprocmask(int how, const uint64_t *set, uint64_t *old)
{
    return raw_syscall(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof *set, 0, 0);
}

/* The program's own path, not terminated: as the kernel has it, or without /proc as it was started.
 * Its length; 0 if unknown. In a constructor, before the working directory may change. */
size_t raw_own_exe(char *text, size_t size);

/* Some calls bring a signal upon the thread that makes them: SIGXFSZ past RLIMIT_FSIZE, SIGPIPE
 * where nobody reads. Between these two all signals wait, and those in `own` (a kernel set) that
 * came in between are taken away, unless they were pending before. False when they can't be held:
 * then the call must not be made, nor the second of these. */
struct raw_held {
    uint64_t mask, pending;
};
#define RAW_SIGNAL(number) (UINT64_C(1) << ((number)-1))
bool raw_hold_signals(struct raw_held *held);
void raw_release_signals(const struct raw_held *held, uint64_t own);

/* Reads a whole small file (of /proc or a cgroup) into text, NUL-terminated; its length, or -errno.
 */
long raw_read_file(const char *path, char *text, size_t size);

#endif
