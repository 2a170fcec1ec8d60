/* target: cflags=-O2,-pthread */
/* matrix: 1 */
/* judged_threads.c - stacks that are not the initial thread's: threads with the smallest stack and
 * with the caller's own, destructors of thread-specific data, fibers made with makecontext (in heap
 * memory, in the initial thread and in others), and frames near the guard page. */
#include <pthread.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static __thread ucontext_t here, there;
static pthread_key_t key;

static __attribute__((noinline)) void allocate(unsigned size)
{
    void *volatile p = malloc(size);
    free(p);
}

static __attribute__((noinline)) void recurse(unsigned n, unsigned bytes)
{
    char frame[bytes + 1];
    memset(frame, 1, sizeof frame);
    allocate(n + 1);
    if (n > 0)
        recurse(n - 1, bytes);
    allocate((unsigned)frame[0]);
}

static void fiber(void)
{
    recurse(5, 900);
    swapcontext(&there, &here);
    recurse(3, 2000);
}

static __attribute__((noinline)) void run_fiber(void *stack, size_t size)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = size;
    there.uc_link = &here;
    makecontext(&there, fiber, 0);
    swapcontext(&here, &there);
    allocate(1);
    swapcontext(&here, &there);
}

static void fibers(void)
{
    size_t size = 65536;
    void *heap = malloc(size);
    run_fiber(heap, size);
    free(heap);
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_fiber(mapped, size);
    munmap(mapped, size);
    static char fixed[2][65536];
    static int next;
    run_fiber(fixed[__sync_fetch_and_add(&next, 1) % 2], size);
}

static void at_thread_exit(void *value)
{
    (void)value;
    recurse(2, 10);
}

static void *thread(void *small)
{
    pthread_setspecific(key, "");
    recurse(small ? 3 : 100, 200);
    if (!small)
        fibers();
    return NULL;
}

static void run_thread(size_t stack_size, void *stack)
{
    pthread_attr_t attributes;
    pthread_t id;
    pthread_attr_init(&attributes);
    if (stack != NULL)
        pthread_attr_setstack(&attributes, stack, stack_size);
    else if (stack_size != 0)
        pthread_attr_setstacksize(&attributes, stack_size);
    if (pthread_create(&id, &attributes, thread,
                       stack_size != 0 && stack_size < 100000 ? "" : NULL) == 0)
        pthread_join(id, NULL);
    pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    size_t small = 32768; /* room for the judge and libunwind, little more */
    pthread_key_create(&key, at_thread_exit);
    for (int r = 0; r < rounds; r++) {
        run_thread(0, NULL);
        run_thread(small, NULL);
        void *own = aligned_alloc(4096, 1 << 20);
        run_thread(1 << 20, own);
        free(own);
        fibers();
        recurse(200, 4000);
    }
    puts("done");
    return 0;
}
