/* target: cflags=-O1,-fno-builtin,-fno-inline,-fno-optimize-sibling-calls,-pthread libs=-ldl */
/* loader_stress SECONDS FIRST.so OTHER.so COUNTS - whoever takes the loader's locks, all at once:
 * threads that allocate inside callbacks of dl_iterate_phdr, with deep stacks and with ever new
 * ones, two that load, use and unload libraries which take each other's addresses, exceptions
 * thrown meanwhile through their frames, short threads, and forks whose children allocate and
 * throw. Writes what each site_* allocated to COUNTS, and its figures to stdout. */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void callback_function(void *);
typedef void twin_function(callback_function *, void *);

static const char *library[2];
static const char *const twin_name[2] = {"site_first", "site_other"};
static std::atomic<bool> done;
static std::atomic<unsigned> wrong;
static std::atomic<uint64_t> callbacks, deep, unseen, twins[2], dlopens, threads, thrown, caught,
    forks;
static std::atomic<uint64_t> reused[2];

static void failed(const char *what)
{
    if (wrong++ < 10) {
        fprintf(stderr, "loader_stress: %s\n", what);
    }
}

struct Thrown {
    char bytes[64];
};

extern "C" {

__attribute__((noinline)) void site_callback(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(malloc(100));
    }
    callbacks += n;
}

__attribute__((noinline)) void site_deep(void)
{
    free(malloc(200));
    deep++;
}

__attribute__((noinline)) void site_unseen(void)
{
    free(malloc(300));
    unseen++;
}

__attribute__((noinline)) void site_child(void)
{
    for (int i = 0; i < 5; i++) {
        free(malloc(400));
    }
}

/* The exception is the C++ library's allocation, not its caller's: not among the counts. */
__attribute__((noinline)) void site_thrown(void *)
{
    thrown++;
    throw Thrown();
}
}

static void nothing(void *)
{
}

static int in_callback(dl_phdr_info *, size_t, void *)
{
    site_callback(5);
    return 0;
}

static void *iterate(void *)
{
    while (!done) {
        dl_iterate_phdr(in_callback, nullptr);
    }
    return nullptr;
}

static unsigned recurse(unsigned n)
{
    if (n == 0) {
        site_deep();
        return 0;
    }
    return recurse(n - 1) + 1;
}

static void *go_deep(void *)
{
    for (unsigned n = 0; !done; n = (n + 7) % 100) {
        recurse(n);
    }
    return nullptr;
}

static unsigned turn_left(unsigned path, unsigned n);

static unsigned turn_right(unsigned path, unsigned n)
{
    if (n == 0) {
        site_unseen();
        return 1;
    }
    return (path & 1 ? turn_left(path >> 1, n - 1) : turn_right(path >> 1, n - 1)) + 1;
}

static unsigned turn_left(unsigned path, unsigned n)
{
    if (n == 0) {
        site_unseen();
        return 2;
    }
    return (path & 1 ? turn_left(path >> 1, n - 1) : turn_right(path >> 1, n - 1)) + 2;
}

/* 4,096 stacks in turn: more than a thread could remember, fewer than would fill the tables. */
static void *go_elsewhere(void *)
{
    for (unsigned path = 0; !done; path = (path + 2654435761u) & 4095) {
        turn_right(path, 12);
    }
    return nullptr;
}

static bool through(twin_function *twin, callback_function *callback, unsigned which)
{
    try {
        twins[which] += 3; /* before it may throw */
        twin(callback, nullptr);
    } catch (const Thrown &) {
        caught++;
        return true;
    }
    return false;
}

struct call {
    twin_function *twin;
    unsigned which;
};

static void *call_twin(void *argument)
{
    auto *call = static_cast<struct call *>(argument);
    if (!through(call->twin, site_thrown, call->which)) {
        failed("an exception did not come through");
    }
    return nullptr;
}

static void use_twin(unsigned turn)
{
    static uintptr_t last_at; /* where the other one was */
    unsigned which = turn % 2;
    void *handle = dlopen(library[which], RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        failed(dlerror());
        return;
    }
    dlopens++;
    struct call call = {reinterpret_cast<twin_function *>(dlsym(handle, twin_name[which])), which};
    reused[which] += reinterpret_cast<uintptr_t>(call.twin) == last_at;
    last_at = reinterpret_cast<uintptr_t>(call.twin);
    if (through(call.twin, nothing, which)) {
        failed("an exception out of nothing");
    }
    pthread_t thread;
    if (turn % 8 < 2 && pthread_create(&thread, nullptr, call_twin, &call) == 0) {
        threads++;
        pthread_join(thread, nullptr);
    } else {
        call_twin(&call);
    }
    dlclose(handle);
}

static void *load_twins(void *)
{
    for (unsigned turn = 0; !done; turn++) {
        use_twin(turn);
    }
    return nullptr;
}

static void *load_others(void *)
{
    static const char *const others[] = {"libresolv.so.2", "libanl.so.1", "libutil.so.1"};
    for (unsigned turn = 0; !done; turn++) {
        void *handle = dlopen(others[turn % 3], RTLD_NOW | RTLD_LOCAL);
        if (handle != nullptr) {
            dlopens++;
            dlclose(handle);
        }
        usleep(1000);
    }
    return nullptr;
}

static void fork_now(void)
{
    pid_t child = fork();
    if (child == 0) {
        site_child();
        try {
            site_thrown(nullptr);
        } catch (const Thrown &) {
            recurse(30);
            _exit(0);
        }
        _exit(1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        failed("a child did not end well");
    }
    forks++;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        return 2;
    }
    static void *(*const work[])(void *) = {iterate,      iterate,    go_deep,
                                            go_elsewhere, load_twins, load_others};
    enum { WORKERS = sizeof work / sizeof work[0] };
    pthread_t workers[WORKERS];
    library[0] = argv[2];
    library[1] = argv[3];
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_create(&workers[i], nullptr, work[i], nullptr);
    }
    time_t until = time(nullptr) + atoi(argv[1]);
    while (time(nullptr) < until) {
        usleep(30000);
        fork_now();
    }
    done = true;
    for (pthread_t worker : workers) {
        pthread_join(worker, nullptr);
    }
    if (caught != thrown) {
        failed("an exception was lost");
    }
    FILE *counts = fopen(argv[4], "w");
    if (counts == nullptr) {
        return 2;
    }
    auto line = [counts](const char *site, uint64_t n, uint64_t size) {
        fprintf(counts, "%s %llu %llu 0 0\n", site, (unsigned long long)n,
                (unsigned long long)(n * size));
    };
    line("site_callback", callbacks, 100);
    line("site_deep", deep, 200);
    line("site_unseen", unseen, 300);
    line("site_first", twins[0], 500);
    line("site_other", twins[1], 500);
    fclose(counts);
    printf("pid=%d allocations=%llu dlopens=%llu reused=%llu,%llu threads=%llu forks=%llu "
           "exceptions=%llu "
           "wrong=%u\n",
           int(getpid()),
           (unsigned long long)(callbacks + deep + unseen + twins[0] + twins[1] + forks * 7),
           (unsigned long long)dlopens, (unsigned long long)reused[0],
           (unsigned long long)reused[1], (unsigned long long)(threads + WORKERS),
           (unsigned long long)forks, (unsigned long long)thrown, unsigned(wrong));
    return wrong != 0;
}
