/* target: cflags=-O0,-fno-builtin,-pthread */
/* matrix: */
/* matrix: allocating */
/* alternate_stack.c - a thread's stack overflows, of the main thread and of others; SIGSEGV's
 * handler runs on an alternate stack of the usual size, allocates there, and jumps out; then the
 * same again. With `allocating` the deep frames allocate on their way, but for the last pages, so
 * that the fault is the program's own. Nested handlers share the alternate stack. */
#include "behaviour.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static __thread sigjmp_buf out;
static __thread char *floor_of_stack;
static int allocating;
static long faults, nested;

static void on_nested(int number)
{
    (void)number;
    free(malloc(3333));
    __atomic_fetch_add(&nested, 1, __ATOMIC_RELAXED);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    CHECK(info->si_addr != NULL);
    void *p = malloc(5000);
    p = realloc(p, 9000);
    raise(SIGUSR1);
    free(p);
    __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
    siglongjmp(out, 1);
}

static int overflow(int depth)
{
    char frame[1000];
    frame[depth % 1000] = (char)depth;
    if (allocating && depth % 16 == 0 && frame - floor_of_stack > 128 << 10)
        free(malloc(200));
    if (depth == 1 << 30)
        return 0;
    return overflow(depth + 1) + frame[depth % 1000];
}

static void *life(void *argument)
{
    stack_t stack = {.ss_size = SIGSTKSZ, .ss_sp = malloc(SIGSTKSZ)};
    CHECK(sigaltstack(&stack, NULL) == 0);
    char here;
    floor_of_stack = &here - (argument != NULL ? 256 << 10 : 1 << 20);
    for (int i = 0; i < 5; i++) {
        if (sigsetjmp(out, 1) == 0)
            overflow(0);
        free(malloc(700));
    }
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    allocating = argc > 1;
    struct rlimit limit = {1 << 20, 1 << 20}; /* of the main thread: less to overflow */
    setrlimit(RLIMIT_STACK, &limit);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    struct sigaction other = {.sa_handler = on_nested, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &other, NULL);
    life(NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, &attributes, life, (void *)1) == 0);
        pthread_join(thread, NULL);
    }
    CHECK(faults == 25 && nested == 25);
    return behaviour_end();
}
