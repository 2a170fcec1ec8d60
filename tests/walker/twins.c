/* test: link=walker cflags=-O2 time=60 quick */
/* twins.c - a library is unloaded and another one takes its address: its frames must be walked by
 * the new one's rules and be attributed to it, in either order, over and over, with and without
 * build ids, in a thread that has walked the old one's frames before and in one that hasn't. */
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct seen {
    struct unwind_stack stack;
    uintptr_t call; /* twin_call, in the library that is loaded now */
};

static __thread struct thread_slot slot;
static __thread struct walk_memory memory;
static char folder[PATH_MAX];
static int failures;

static void check(bool good, const char *what, const char *library)
{
    if (good)
        return;
    printf("FAILED: %s: %s\n", library, what);
    failures++;
}

static __attribute__((noinline)) void look(void *argument)
{
    struct seen *seen = argument;
    struct unwind_start start = UNWIND_START_HERE();
    slot.memory = &memory;
    unwind_capture(&start, &slot, 64, &seen->stack);
    memmove(seen->stack.room, seen->stack.frames, seen->stack.n_frames * sizeof(uint64_t));
    seen->stack.frames = seen->stack.room; /* the memory goes with the thread */
}

static __attribute__((noinline)) void *in_thread(void *argument)
{
    struct seen *seen = argument;
    void (*call)(void (*)(void *), void *) = (void (*)(void (*)(void *), void *))seen->call;
    call(look, seen);
    __asm__ volatile("" ::: "memory"); /* no tail call */
    return NULL;
}

static void check_stack(const struct seen *seen, const char *library, const void *caller)
{
    const struct unwind_stack *s = &seen->stack;
    Dl_info own;
    check(s->n_frames >= 4, "too few frames", library);
    check(s->flags == 0, "the stack is marked as incomplete", library);
    uint64_t frame = s->frames[0];
    const struct heap_module *module = tables_module(HEAP_FRAME_MODULE(frame));
    check(module != NULL && HEAP_FRAME_PC(frame) - seen->call < 200, "not in twin_call", library);
    if (module == NULL)
        return;
    check(module->path_len >= strlen(library) &&
              memcmp(module->path + module->path_len - strlen(library), library, strlen(library)) ==
                  0,
          "another library's frame", library);
    check(module->unloaded_ns == 0, "said to be unloaded", library);
    check(module->map_start <= seen->call && seen->call < module->map_end, "map range", library);
    check(dladdr((void *)seen->call, &own) != 0 && (uint64_t)own.dli_fbase == module->bias, "bias",
          library);
    /* The caller's frame comes out right only by the right rule. */
    check(HEAP_FRAME_PC(s->frames[1]) - (uintptr_t)caller < 200, "not called from where it was",
          library);
}

static void *load(const char *name, struct seen *seen)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        printf("FAILED: %s\n", dlerror());
        exit(1);
    }
    seen->call = (uintptr_t)dlsym(handle, "twin_call");
    return handle;
}

int main(void)
{
    static const char *const orders[][2] = {
        {"twin_a.so", "twin_b.so"}, {"twin_b.so", "twin_a.so"}, {"twin_c.so", "twin_d.so"},
        {"twin_d.so", "twin_c.so"}, {"twin_a.so", "twin_c.so"}, {"twin_d.so", "twin_a.so"},
    };
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n <= 0 || !unwind_init(NULL))
        return 1;
    folder[n] = 0;
    dirname(folder);

    unsigned reused = 0, pairs = 0;
    for (unsigned o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        uintptr_t before = 0;
        for (unsigned turn = 0; turn < 6; turn++) {
            const char *library = orders[o][turn % 2];
            static struct seen here, there;
            void *handle = load(library, &here);
            there.call = here.call;
            in_thread(&here);
            check_stack(&here, library, (const void *)in_thread);
            pthread_t thread;
            if (pthread_create(&thread, NULL, in_thread, &there) == 0) {
                pthread_join(thread, NULL);
                check_stack(&there, library, (const void *)in_thread);
            }
            reused += here.call == before;
            pairs += before != 0;
            before = here.call;
            dlclose(handle);
        }
    }
    printf("%u of %u loads took the address of another library; %u modules\n", reused, pairs,
           stub_n_modules);
    if (reused == 0) {
        printf("no address was taken again: nothing was tested\n");
        return 77;
    }
    /* Four libraries, each at few addresses, and what the program itself has: a record for each
     * load would be a leak. */
    check(stub_n_modules < 20, "too many modules", "records");
    unsigned gone = 0;
    for (uint32_t id = 1; id <= stub_n_modules; id++)
        gone += stub_modules[id].unloaded_ns != 0;
    check(gone >= 1, "no module is marked as unloaded", "records");
    return failures != 0;
}
