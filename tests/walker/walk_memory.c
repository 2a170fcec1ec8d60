/* test: link=walker cflags=-O2,-fno-optimize-sibling-calls quick */
/* walk_memory.c - walks that use what is remembered of others against walks that don't:
 * frames, flags and hash must be the same, after any change of the stack, with any limit on the
 * depth, and also where frames can't be remembered. That they do use it is counted by walk_cost.sh.
 */
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static struct thread_slot slot;
static struct unwind_stack stack, anew, remembered[WALK_STACKS];
static struct walk_memory memory;
static int failures;
static unsigned walks, repeats;
static uint64_t random_state = 88172645463325252u;
static volatile char sink;

static void failed(const char *what)
{
    if (failures++ < 10)
        printf("FAILED: walk %u: %s (%u frames, flags %u; anew %u, %u)\n", walks, what,
               stack.n_frames, stack.flags, anew.n_frames, anew.flags);
}

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static bool same(const struct unwind_stack *a, const struct unwind_stack *b)
{
    return a->n_frames == b->n_frames && a->flags == b->flags && a->hash == b->hash &&
           memcmp(a->frames, b->frames, a->n_frames * sizeof a->frames[0]) == 0;
}

static __attribute__((noinline)) void walk(void)
{
    struct unwind_start start = UNWIND_START_HERE();
    uint32_t max = random_number() % 8 == 0 ? 1 + (uint32_t)(random_number() % 40) : WALK_MEMORY;
    slot.memory = NULL;
    unwind_capture(&start, &slot, max, &anew);
    slot.memory = &memory;
    memory.losses = memory.skip = 0;
    unwind_capture(&start, &slot, max, &stack);
    walks++;
    if (!same(&stack, &anew))
        failed("differs from a walk without memory");
    if (anew.place != NULL)
        failed("has a place without a memory");
    if (stack.place == NULL)
        return;
    /* What is kept with a stack is found again with this very one only. */
    unsigned i = 0;
    while (&memory.stacks[i].place != stack.place)
        i++;
    if (stack.place->stack != 0) {
        repeats++;
        if (!same(&stack, &remembered[i]))
            failed("has the place of another stack");
    }
    stack.place->stack = 1;
    remembered[i] = stack;
    remembered[i].frames = remembered[i].room;
    memcpy(remembered[i].room, stack.frames, stack.n_frames * sizeof stack.frames[0]);
}

/* Frames of four kinds, with a frame pointer and without, with a saved register in its place, and
 * of a size that is only known when it runs; each twice, so that frames of one size and place
 * differ in their return addresses. */
enum { KINDS = 8 };
static void (*const kinds[KINDS])(unsigned);

static __attribute__((noinline)) void go_on(unsigned depth)
{
    for (unsigned n = random_number() % 3; depth > 0 && n > 0; n--) {
        kinds[random_number() % KINDS](depth - 1);
        sink = 1;
    }
    for (volatile unsigned n = 1 + random_number() % 3; n > 0; n--) /* from one call site */
        walk();
}

#define KIND(name, attribute, body)                                       \
    static __attribute__((noinline, attribute)) void name(unsigned depth) \
    {                                                                     \
        body;                                                             \
        go_on(depth);                                                     \
        sink = (char)depth;                                               \
    }
#define TWICE(name, attribute, body) KIND(name, attribute, body) KIND(name##_too, attribute, body)
TWICE(plain, optimize("omit-frame-pointer"), sink = __LINE__)
TWICE(pointed, optimize("no-omit-frame-pointer"), sink = __LINE__)
TWICE(borrowed, optimize("omit-frame-pointer"),
      __asm__ volatile("mov %0, %%rbp" ::"r"(random_number() % 3)
                       : "rbp"))
TWICE(sized, optimize("no-omit-frame-pointer"), volatile char *p = alloca(random_number() % 100);
      p[0] = 1)
static void (*const kinds[KINDS])(unsigned) = {plain,    plain_too,    pointed, pointed_too,
                                               borrowed, borrowed_too, sized,   sized_too};

/* A signal's frames are in between, on the same stack and on another. */
static void on_signal(int sig)
{
    (void)sig;
    go_on(3);
}

static ucontext_t back, fiber;

static void in_fiber(void)
{
    go_on(4);
}

/* What the short cut compares, one word after the other. */
static void words(void)
{
    uintptr_t words[] = {0, 11, 101, 22, 202, 33, 303};
    struct walked_frame w[3] = {
        {.pc = 1, .fp_slot = &words[2], .fp_word = 101},
        {.pc = 11, .sp = (uintptr_t)&words[2], .fp_slot = &words[4], .fp_word = 202},
        {.pc = 22, .sp = (uintptr_t)&words[4], .fp_slot = &words[6], .fp_word = 0},
    };
    if (walked_follow(w) != w + 2)
        failed("a stack that is the same is not followed to its end");
    for (unsigned i = 1; i <= 4; i++) {
        uintptr_t was = words[i];
        words[i]++;
        if (walked_follow(w) != w + (i - 1) / 2)
            failed("a changed word is not noticed");
        words[i] = was;
    }
}

int main(void)
{
    static char alternate[64 << 10], fibers_stack[64 << 10];
    if (!unwind_init(NULL))
        return 2;
    words();
    sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL);
    for (int i = 0; i < 2000; i++) {
        go_on(12);
        if (i % 16 == 0) {
            struct sigaction action = {.sa_handler = on_signal,
                                       .sa_flags = i % 32 ? SA_ONSTACK : 0};
            sigaction(SIGUSR1, &action, NULL);
            raise(SIGUSR1);
            getcontext(&fiber);
            fiber.uc_stack.ss_sp = fibers_stack;
            fiber.uc_stack.ss_size = sizeof fibers_stack;
            fiber.uc_link = &back;
            makecontext(&fiber, in_fiber, 0);
            swapcontext(&back, &fiber);
        }
    }
    printf("%u walks, %u of them repeated, %d failures\n", walks, repeats, failures);
    if (repeats < walks / 4)
        failed("too few stacks were repeated for this to say much");
    return failures != 0;
}
