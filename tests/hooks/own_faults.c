/* target: cflags=-O1,-fno-builtin,-pthread */
/* matrix: */
/* own_faults.c - a program that handles SIGSEGV, SIGBUS, SIGFPE and SIGTRAP itself, as garbage
 * collectors and debuggers do, gets every one of its faults with the right address, and none that
 * is not its own, while it allocates from stacks that end in pages it has protected. */
#include "behaviour.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGES = 64, PAGE = 4096 };

static char *guarded, *past_end;
static long faults, buses, traps, strangers;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    char *at = info->si_addr;
    free(malloc(2000));
    if (number == SIGSEGV && at >= guarded && at < guarded + PAGES * PAGE) {
        faults++;
        mprotect((void *)((unsigned long)at & -4096ul), PAGE, PROT_READ | PROT_WRITE);
    } else if (number == SIGBUS && at >= past_end && at < past_end + PAGE) {
        buses++;
        mmap(past_end, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0);
    } else if (number == SIGTRAP) {
        traps++;
    } else {
        strangers++;
        _exit(99);
    }
}

static void *touch(void *argument)
{
    for (int i = 0; i < PAGES; i++) {
        void *p = malloc(100 + (size_t)i * 50);
        guarded[i * PAGE + 17] = 1;
        free(p);
    }
    return argument;
}

/* A frame pointer that points into a page that must not be read. */
static void strange_frame(void)
{
#if defined(__x86_64__)
    char *bait = guarded + 5 * PAGE + 64;
    mprotect(guarded, PAGES * PAGE, PROT_NONE);
    void *p;
    __asm__ volatile("push %%rbp\n mov %2, %%rbp\n mov $333, %%edi\n"
                     "mov %%rsp, %%rbx\n and $-16, %%rsp\n call *%1\n mov %%rbx, %%rsp\n"
                     "pop %%rbp\n"
                     : "=&a"(p)
                     : "r"(malloc), "r"(bait)
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
    free(p);
#endif
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    guarded = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = open("own-faults-empty", O_CREAT | O_RDWR, 0600);
    past_end = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(guarded != MAP_FAILED && past_end != MAP_FAILED);
    touch(NULL);
    mprotect(guarded, PAGES * PAGE, PROT_NONE);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, touch, NULL) == 0);
    pthread_join(thread, NULL);
    *(volatile char *)past_end = 1;
    raise(SIGTRAP);
    CHECK(faults == 2 * PAGES && buses == 1 && traps == 1 && strangers == 0);
    for (int i = 0; i < 20; i++)
        strange_frame();
    CHECK(faults == 2 * PAGES && strangers == 0);
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    CHECK(now.sa_sigaction == on_fault);
    unlink("own-faults-empty");
    return behaviour_end();
}
