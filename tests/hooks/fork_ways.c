/* target: cflags=-O1,-g,-fno-builtin,-fno-inline,-pthread */
/* fork_ways WAY - the parent allocates in parent_site, its child and the child's child in
 * child_site. WAY: fork, clone (the raw system call), threads (fork while other threads allocate),
 * vfork. Prints "PARENT CHILD GRANDCHILD", their pids. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int *pids, stop;

void parent_site(void)
{
    for (int i = 0; i < 10; i++) {
        void *volatile p = malloc(1000);
        (void)p;
    }
}

void child_site(void)
{
    for (int i = 0; i < 7; i++) {
        void *volatile p = malloc(2000);
        (void)p;
    }
}

static void *noise(void *argument)
{
    void *kept[16] = {0};
    for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        free(kept[i % 16]);
        kept[i % 16] = malloc(100 + i % 5000);
    }
    for (int i = 0; i < 16; i++)
        free(kept[i]);
    return argument;
}

static void grandchild(void)
{
    child_site();
    pids[2] = getpid();
    _exit(0);
}

static void child(void)
{
    int status;
    child_site();
    pids[1] = getpid();
    int pid = fork();
    if (pid == 0)
        grandchild();
    waitpid(pid, &status, 0);
    exit(status != 0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "fork";
    pthread_t threads[2];
    pids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pids[0] = getpid();
    parent_site();
    int threaded = strcmp(way, "threads") == 0;
    for (int i = 0; i < 2 && threaded; i++)
        pthread_create(&threads[i], NULL, noise, NULL);
    int pid, status;
    if (strcmp(way, "vfork") == 0) {
        pid = vfork();
        if (pid == 0)
            _exit(0);
    } else if (strcmp(way, "clone") == 0) {
        pid = (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0)
            child();
    } else {
        for (int i = 0; threaded && i < 50; i++) { /* most of the dangers are in the timing */
            pid = fork();
            if (pid == 0) {
                child_site();
                _exit(0);
            }
            if (waitpid(pid, &status, 0) != pid || status != 0)
                return 2;
        }
        pid = fork();
        if (pid == 0)
            child();
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return 2;
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2 && threaded; i++)
        pthread_join(threads[i], NULL);
    char line[64];
    int n = snprintf(line, sizeof line, "%d %d %d\n", pids[0], pids[1], pids[2]);
    return write(1, line, (size_t)n) != n;
}
