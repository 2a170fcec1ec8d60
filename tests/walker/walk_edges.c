/* test: link=walker cflags=-O1,-pthread libs=-lpthread time=120 quick */
/* walk_edges.c - what unwind.h promises at its edges: depth and hash, nothing written past the
 * frames, code without CFI, corrupt stacks and registers, the end of a thread's stack, and no
 * system call once quiet. */
#include "modules.h"
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static __thread struct thread_slot slot;
static __thread struct unwind_stack stack;
static __thread struct walk_memory last_walk;
static int failures;
static volatile unsigned sink;

static void check(bool good, const char *what)
{
    if (good)
        return;
    printf("FAILED: %s\n", what);
    failures++;
}

static __attribute__((noinline)) void walk(uint32_t max)
{
    struct unwind_start start = UNWIND_START_HERE();
    slot.memory = &last_walk;
    unwind_capture(&start, &slot, max, &stack);
}

static __attribute__((noinline)) void at_depth(unsigned depth, uint32_t max)
{
    if (depth == 0)
        walk(max);
    else
        at_depth(depth - 1, max);
    sink++;
}

static void depth_and_hash(void)
{
    at_depth(30, 128);
    uint64_t hash = stack.hash;
    uint32_t n = stack.n_frames;
    check(n > 30 && n < 40 && stack.flags == 0, "a stack of some 33 frames");
    at_depth(30, 128);
    check(stack.hash != hash && stack.n_frames == n, "another call site has another hash");
    for (volatile unsigned i = 0; i < 2; i++) {
        at_depth(29, 128);
        check(i == 0 || stack.hash == hash, "the same stack has the same hash");
        hash = stack.hash;
    }
    memset(stack.room, 0xa5, sizeof stack.room);
    at_depth(30, 10);
    check(stack.n_frames == 10 && stack.flags == HEAP_STACK_DEEP, "ten frames are asked for");
    check(stack.room[10] == UINT64_C(0xa5a5a5a5a5a5a5a5), "only n_frames frames are written");
    at_depth(30, n - 1);
    check(stack.flags == HEAP_STACK_DEEP && stack.n_frames == n - 1, "one frame too many");
    at_depth(30, n);
    check(stack.flags == 0 && stack.n_frames == n, "as many frames as there are");
    at_depth(HEAP_MAX_DEPTH + 5, HEAP_MAX_DEPTH);
    check(stack.n_frames == HEAP_MAX_DEPTH && stack.flags == HEAP_STACK_DEEP, "the largest depth");
}

static __attribute__((noinline)) void callback(void)
{
    walk(128);
    sink++;
}

/* Generated code: has no CFI and lies in no module. */
static void generated_code(void)
{
    static const unsigned char with_pointer[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
    static const unsigned char without[] = {0x48, 0x83, 0xec, 0x48, 0xff, 0xd7,
                                            0x48, 0x83, 0xc4, 0x48, 0xc3};
    unsigned char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return;
    memcpy(code, with_pointer, sizeof with_pointer);
    memcpy(code + 64, without, sizeof without);
    at_depth(0, 128);
    uint32_t outside = stack.n_frames;

    ((void (*)(void (*)(void)))(uintptr_t)code)(callback);
    check(HEAP_FRAME_PC(stack.frames[1]) - (uintptr_t)code < 16 &&
              HEAP_FRAME_MODULE(stack.frames[1]) == 0,
          "generated code has a frame, in no module");
    check(stack.flags == 0 && stack.n_frames >= outside, "walked through by its frame pointer");

    ((void (*)(void (*)(void)))(uintptr_t)(code + 64))(callback);
    check(HEAP_FRAME_PC(stack.frames[1]) - (uintptr_t)code < 128, "generated code has a frame");
    /* Its caller keeps a frame pointer or doesn't: a guess may pass over a frame, never leave what
     * is the stack's unmarked end. */
    uint32_t flags = stack.flags;
    uint64_t last = stack.frames[stack.n_frames - 1];
    at_depth(0, 128);
    check((flags & HEAP_STACK_TRUNCATED) != 0 || last == stack.frames[stack.n_frames - 1],
          "an incomplete stack is marked");
    munmap(code, 4096);
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static uintptr_t random_pc(void)
{
    static uintptr_t libc;
    if (libc == 0) {
        Dl_info info;
        dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info);
        libc = (uintptr_t)info.dli_fbase;
    }
    switch (random_number() % 5) {
    case 0:
        return random_number();
    case 1:
        return random_number() >> 17;
    case 2:
        return (uintptr_t)&stack + random_number() % 64;
    case 3:
        return (uintptr_t)&random_pc + random_number() % 5000;
    default:
        return libc + random_number() % 0x200000;
    }
}

/* A copy of a real stack in memory with an unreadable page behind it, some of its words replaced:
 * by random values, code addresses, addresses in itself. */
static void corrupt_stacks(void)
{
    enum { BYTES = 8192 };
    unsigned char *memory =
        mmap(NULL, BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    mprotect(memory + BYTES, 4096, PROT_NONE);
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t *words = (uint64_t *)memory;
        size_t from = random_number() % (BYTES / 8 - 2);
        for (size_t w = from; w < BYTES / 8; w += 1 + random_number() % 6) {
            uint64_t kind = random_number();
            words[w] = kind % 3 == 0   ? random_pc()
                       : kind % 3 == 1 ? (uintptr_t)memory + (kind >> 8) % (BYTES + 64)
                                       : kind >> (kind % 64);
        }
        uintptr_t sp = (uintptr_t)&words[from];
        struct unwind_start start = {.pc = random_pc(),
                                     .sp = sp,
                                     .fp = random_number() % 2 ? sp + random_number() % 256
                                                               : random_number()};
        unwind_capture(&start, &slot, 128, &stack);
        if (stack.n_frames < 1 || stack.n_frames > 128 || stack.frames[0] << 16 != start.pc << 16) {
            check(false, "the first frame is there whatever the stack holds");
            break;
        }
    }
    munmap(memory, BYTES + 4096);
}

static sigjmp_buf overflowed;
static volatile uint32_t overflow_frames;
static void on_overflow(int sig)
{
    (void)sig;
    walk(128);
    overflow_frames = stack.n_frames;
    siglongjmp(overflowed, 1);
}

static __attribute__((noinline)) unsigned overflow(unsigned n)
{
    volatile char frame[512];
    frame[0] = (char)n;
    if (n % 16 == 0)
        walk(128); /* with the guard page ever nearer */
    return (n != 0 ? overflow(n + 1) : 0) + (unsigned)frame[0];
}

static void *overflowing_thread(void *unused)
{
    static char other[65536];
    stack_t alternate = {.ss_sp = other, .ss_size = sizeof other};
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(overflowed, 1) == 0)
        sink += overflow(1);
    return unused;
}

static void near_the_guard(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 262144);
    pthread_create(&thread, &attributes, overflowing_thread, NULL);
    pthread_join(thread, NULL);
    check(overflow_frames == 128, "a handler on the alternate stack sees the overflowing frames");
    signal(SIGSEGV, SIG_DFL);
}

/* In a child under strict seccomp, where any system call but read, write and exit kills: on the
 * initial stack, deeper than anything before, and on a fiber. Returns through the exit status. */

static __attribute__((noinline)) void with_large_frames(unsigned n)
{
    volatile char frame[5000];
    frame[0] = (char)n;
    if (n == 0)
        walk(128);
    else
        with_large_frames(n - 1);
    sink += (unsigned)frame[0];
}

static uint32_t fiber_frames, fiber_flags;
static void fiber(void)
{
    with_large_frames(8); /* over pages that nobody has verified */
    fiber_frames = stack.n_frames;
    fiber_flags = stack.flags;
    syscall(SYS_exit, fiber_frames >= 1 && fiber_flags == HEAP_STACK_TRUNCATED ? 0 : 3);
}

static void no_system_calls(void)
{
    pid_t child = fork();
    if (child == 0) {
        static char fiber_stack[65536] __attribute__((aligned(4096)));
        modules_after_fork();
        unwind_after_fork();
        memset(&slot, 0, sizeof slot); /* as after a fork */
        stub_quiet = true;
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        with_large_frames(30);
        if (stack.flags != 0 || stack.n_frames < 32)
            syscall(SYS_exit, 2);
        /* swapcontext would change the signal mask: go there by hand, its stack pointer first. */
        uintptr_t top = (uintptr_t)(fiber_stack + sizeof fiber_stack);
        __asm__ volatile("mov %0, %%rsp\n\tpush $0\n\tjmp *%1" ::"r"(top), "r"(fiber));
    }
    int status;
    waitpid(child, &status, 0);
    check(WIFEXITED(status), "no system call once quiet (the child was killed)");
    check(!WIFEXITED(status) || WEXITSTATUS(status) != 2,
          "complete on the initial stack when quiet");
    check(!WIFEXITED(status) || WEXITSTATUS(status) != 3,
          "marked as truncated on a fiber when quiet");
}

int main(void)
{
    check(!unwind_init("no such"), "an unknown backend is refused");
    check(unwind_init(NULL), "the default backend");
    depth_and_hash();
    generated_code();
    near_the_guard();
    corrupt_stacks();
    no_system_calls();
    printf("%u modules, %d failures\n", stub_n_modules, failures);
    return failures != 0;
}
