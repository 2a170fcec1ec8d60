/* target: cflags=-O1,-fno-builtin */
/* matrix: */
/* untouched.c - prints what of the process a library could change behind a program's back: signal
 * dispositions and mask, pending signals, descriptors and where they lead, threads, children,
 * timers, the alternate stack, limits, umask, working directory, environment; early, after many
 * samples, and the descriptors of a program that it then starts. (pitfall: descriptors leak into
 * children) */
#include "behaviour.h"
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void signals(void)
{
    sigset_t mask, pending;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    sigpending(&pending);
    for (int s = 1; s < NSIG; s++) {
        struct sigaction a;
        if (sigaction(s, NULL, &a) != 0)
            continue;
        if (a.sa_handler != SIG_DFL || sigismember(&mask, s) == 1 || sigismember(&pending, s) == 1)
            printf("signal %d: handler %d, blocked %d, pending %d\n", s, a.sa_handler != SIG_DFL,
                   sigismember(&mask, s), sigismember(&pending, s));
    }
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("alternate stack: %d\n", stack.ss_flags);
}

static int entries(const char *path)
{
    DIR *directory = opendir(path);
    int n = -3; /* ".", ".." and, where it is descriptors, the directory itself */
    while (directory != NULL && readdir(directory) != NULL)
        n++;
    if (directory != NULL)
        closedir(directory);
    return n;
}

static void limits(void)
{
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        struct rlimit r;
        if (getrlimit((__rlimit_resource_t)i, &r) == 0)
            printf("limit %d: %lu %lu\n", i, (unsigned long)r.rlim_cur, (unsigned long)r.rlim_max);
    }
    for (int i = 0; i < 3; i++) {
        struct itimerval t;
        getitimer((__itimer_which_t)i, &t);
        printf("timer %d: %d\n", i, t.it_value.tv_sec != 0 || t.it_value.tv_usec != 0);
    }
}

extern char **environ;

static void show(void)
{
    mode_t mask = umask(022);
    umask(mask);
    char directory[1000];
    int variables = 0;
    for (char **e = environ; *e != NULL; e++)
        variables += strncmp(*e, "APPROF_", 7) != 0 && strncmp(*e, "LD_PRELOAD=", 11) != 0;
    signals();
    limits();
    printf("descriptors: %d\n", entries("/proc/self/fd"));
    printf("threads: %d\n", entries("/proc/self/task") + 1);
    printf("umask: %o, in a directory of its own: %d, %d variables\n", (unsigned)mask,
           getcwd(directory, sizeof directory) != NULL, variables);
    printf("children: %d\n", waitpid(-1, NULL, WNOHANG));
}

static void allocate(int depth)
{
    if (depth > 0)
        allocate(depth - 1);
    free(malloc(50000));
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("descriptors of the next program: %d\n", entries("/proc/self/fd"));
        return 0;
    }
    show();
    for (int i = 0; i < 400; i++)
        allocate(i % 100);
    show();
    fflush(stdout);
    if (fork() == 0) {
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    int status;
    wait(&status);
    CHECK(status == 0);
    return behaviour_end();
}
