/* test: link=walker cflags=-O1,-pthread time=120 quick */
/* walk_stress.c - threads walk while others load and unload libraries that take each other's
 * addresses, and while children are forked, which walk too. Every stack must be complete, and
 * every frame in a library attributed to the one that is loaded there. walk_stress [TURNS] */
#include "modules.h"
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { LOADERS = 2, WALKERS = 2 };

static __thread struct thread_slot slot;
static __thread struct unwind_stack stack;
static __thread struct walk_memory memory;
static char folder[PATH_MAX];
static unsigned turns = 600;
static atomic_uint failures, done;

static void failed(const char *what)
{
    if (atomic_fetch_add(&failures, 1) < 10)
        printf("FAILED: %s (%u frames, flags %u)\n", what, stack.n_frames, stack.flags);
}

static __attribute__((noinline)) void walk(void *unused)
{
    struct unwind_start start = UNWIND_START_HERE();
    (void)unused;
    slot.memory = &memory;
    unwind_capture(&start, &slot, 128, &stack);
}

static int compare(const void *a, const void *b)
{
    walk(NULL);
    return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) unsigned recurse(unsigned n)
{
    if (n > 0)
        return recurse(n - 1) + 1;
    walk(NULL);
    return 1;
}

static void *load_and_unload(void *argument)
{
    unsigned self = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < turns; i++) {
        char name[] = "twin_a.so", path[2 * PATH_MAX];
        name[5] = (char)('a' + (i + self) % 4);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            failed(dlerror());
            break;
        }
        void (*call)(void (*)(void *), void *) =
            (void (*)(void (*)(void *), void *))dlsym(handle, "twin_call");
        call(walk, NULL);
        const struct heap_module *module = tables_module(HEAP_FRAME_MODULE(stack.frames[0]));
        if (stack.flags != 0 || stack.n_frames < 4)
            failed("a stack through a library is not complete");
        if (module == NULL || module->path_len < sizeof name - 1 ||
            memcmp(module->path + module->path_len - (sizeof name - 1), name, sizeof name - 1) != 0)
            failed("a frame of another library");
        dlclose(handle);
    }
    atomic_fetch_add(&done, 1);
    return NULL;
}

static void *walk_all_along(void *argument)
{
    unsigned depth = 5 + 20 * (unsigned)(uintptr_t)argument;
    uint64_t hash = 0;
    while (atomic_load(&done) < LOADERS) {
        int numbers[] = {3, 1, 2};
        recurse(depth);
        if (stack.flags != 0 || stack.n_frames < depth)
            failed("a thread's own stack is not complete");
        if (hash != 0 && stack.hash != hash)
            failed("the same stack has another hash");
        hash = stack.hash;
        qsort(numbers, 3, sizeof numbers[0], compare);
        if (stack.flags != 0)
            failed("a stack through qsort is not complete");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        turns = (unsigned)atoi(argv[1]);
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n <= 0 || !unwind_init(NULL))
        return 1;
    folder[n] = 0;
    dirname(folder);

    pthread_t threads[LOADERS + WALKERS];
    for (uintptr_t i = 0; i < LOADERS; i++)
        pthread_create(&threads[i], NULL, load_and_unload, (void *)i);
    for (uintptr_t i = 0; i < WALKERS; i++)
        pthread_create(&threads[LOADERS + i], NULL, walk_all_along, (void *)i);
    unsigned children = 0;
    while (atomic_load(&done) < LOADERS && children < turns / 10) {
        pid_t child = fork();
        if (child == 0) {
            unwind_after_fork();
            modules_after_fork();
            memset(&slot, 0, sizeof slot);
            recurse(7);
            _exit(stack.flags != 0 || stack.n_frames < 9);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            failed("a child's stack is not complete");
        children++;
    }
    for (unsigned i = 0; i < LOADERS + WALKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%u libraries loaded, %u children, %u modules, %u failures\n", LOADERS * turns, children,
           stub_n_modules, failures);
    return failures != 0;
}
