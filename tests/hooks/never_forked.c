/* target: cflags=-O1,-fno-builtin,-fno-inline,-fno-optimize-sibling-calls,-pthread */
/* never_forked WAY - works in turns, with a thread that works too, and between the turns has
 * children made by that WAY: none, fork, clone (the raw system call), grandchild, vfork, spawn
 * (posix_spawn of itself), thread (fork in a second thread). A child allocates, and frees and
 * reallocates what it inherited. Whatever the way, the process itself does the same. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { TURNS = 40, KEPT = 64 };

static void *kept[KEPT], *kept_by_thread[KEPT];
static const char *way;

static void work(void **blocks, unsigned turn)
{
    for (unsigned i = 0; i < KEPT; i++) {
        unsigned size = 16 + (turn * 131 + i * 977) % 3000;
        if (i % 3 == turn % 3)
            blocks[i] = realloc(blocks[i], size);
        if (i % 3 == (turn + 1) % 3) {
            free(blocks[i]);
            blocks[i] = malloc(size);
        }
    }
}

static void *in_thread(void *argument)
{
    for (unsigned turn = 0; turn < 20 * TURNS; turn++)
        work(kept_by_thread, turn);
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

static void child_work(void)
{
    for (unsigned i = 0; i < KEPT; i++) {
        free(kept[i]);
        kept[i] = malloc(5000);
        kept[i] = realloc(kept[i], 70000);
    }
}

static void wait_for(pid_t child)
{
    int status;
    if (child <= 0 || waitpid(child, &status, 0) != child || status != 0)
        _exit(3);
}

static void *make_child(void *argument)
{
    pid_t child;
    char *const arguments[] = {"never_forked", "none", NULL};
    if (strcmp(way, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", NULL);
            _exit(127);
        }
    } else if (strcmp(way, "spawn") == 0) {
        if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0)
            _exit(4);
    } else {
        child = strcmp(way, "clone") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (child == 0) {
            child_work();
            if (strcmp(way, "grandchild") == 0) {
                pid_t grandchild = fork();
                child_work();
                if (grandchild != 0)
                    wait_for(grandchild);
            }
            _exit(0);
        }
    }
    wait_for(child);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread, forker;
    way = argc > 1 ? argv[1] : "none";
    pthread_create(&thread, NULL, in_thread, NULL);
    /* The loader's and the C library's blocks for a second thread belong to every way. */
    for (unsigned turn = 0; turn < TURNS; turn++) {
        work(kept, turn);
        if (turn % 4 != 0)
            continue;
        int in_second = strcmp(way, "thread") == 0;
        if (pthread_create(&forker, NULL, in_second ? make_child : nothing, NULL) != 0)
            return 2;
        pthread_join(forker, NULL);
        if (!in_second && strcmp(way, "none") != 0)
            make_child(NULL);
    }
    pthread_join(thread, NULL);
    printf("%d\n", getpid());
    return 0;
}
