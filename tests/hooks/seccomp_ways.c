/* target: cflags=-O1,-fno-builtin */
/* seccomp_ways strict|prctl|syscall - installs a filter that kills on everything but write and
 * exit, by that way, and goes on allocating. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "strict";
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    /* Enough room in the heap for what comes: the allocator itself must not call the kernel. */
    free(malloc(100000));
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long result = strcmp(way, "strict") == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
                  : strcmp(way, "prctl") == 0
                      ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                      : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    if (result != 0)
        return 77;
    for (int i = 0; i < 500; i++) {
        void *volatile p = malloc(50);
        p = realloc(p, 60);
        free(p);
    }
    if (write(1, "alive\n", 6) != 6)
        return 1;
    if (strcmp(way, "strict") == 0)
        syscall(SYS_exit, 0); /* exit_group is not among the four calls of strict mode */
    return 0;
}
