/* target: cflags=-O1 */
/* Allocates 200 blocks of 100,000 bytes in leaky(), keeps them, and then ends as it is told. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void *leaky(size_t n)
{
    void *p = malloc(n);
    if (p != NULL)
        memset(p, 1, n);
    return p;
}

static void on_signal(int number)
{
    (void)number;
    static const char text[] = "got it\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(9);
    _exit(5);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 200; i++)
        leaky(100000);
    if (strcmp(how, "status") == 0)
        return atoi(argv[2]);
    if (strcmp(how, "fork") == 0) {
        for (int i = 0; i < 3; i++) {
            if (fork() == 0) {
                for (int k = 0; k < 50; k++)
                    leaky(200000);
                exit(3);
            }
        }
        while (wait(NULL) > 0) {
        }
    } else if (strcmp(how, "exec") == 0) {
        execl(argv[0], argv[0], "status", "4", (char *)NULL);
    } else if (strcmp(how, "kill") == 0) {
        raise(atoi(argv[2]));
    } else if (strcmp(how, "limit") == 0) {
        struct rlimit limit = {1 << 28, 1 << 28};
        setrlimit(RLIMIT_AS, &limit);
        while (leaky(1000000) != NULL) {
        }
        abort();
    } else if (strcmp(how, "daemon") == 0) {
        /* Its parent goes once it has tables of its own, which its first allocation makes. */
        int ready[2];
        char byte = 0;
        if (pipe(ready) != 0)
            return 2;
        if (fork() == 0) {
            leaky(10 << 20);
            if (write(ready[1], &byte, 1) != 1)
                return 2;
            close(ready[0]);
            close(ready[1]);
            close(0);
            close(1);
            close(2);
            while (access(argv[2], F_OK) != 0)
                usleep(20000);
            exit(0);
        }
        if (read(ready[0], &byte, 1) != 1)
            return 2;
    } else if (strcmp(how, "pair") == 0) {
        /* A child that lives, too, and has some memory of its own beside what it inherits. */
        int ready[2];
        char byte = 0;
        if (pipe(ready) != 0)
            return 2;
        if (fork() == 0) {
            leaky(5000000);
            if (write(ready[1], &byte, 1) != 1)
                return 2;
            pause();
        }
        if (read(ready[0], &byte, 1) != 1)
            return 2;
        printf("ready %d\n", (int)getpid());
        fflush(stdout);
        wait(NULL);
    } else if (strcmp(how, "wait") == 0) {
        signal(SIGTERM, on_signal);
        signal(SIGINT, on_signal);
        printf("ready %d\n", (int)getpid());
        fflush(stdout);
        pause();
    }
    return 0;
}
