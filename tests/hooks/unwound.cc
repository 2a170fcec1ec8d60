/* library: cflags=-O1,-fPIC,-pthread */
/* unwound - a C++ plugin whose frames are left in every way: by exceptions, through a C caller's
 * frames, by pthread_cancel in a cancellation point, by pthread_exit. Each destructor tells. */
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{
struct Tells {
    std::string name;
    std::vector<int> memory = std::vector<int>(1000, 1);
    explicit Tells(const char *n) : name(n)
    {
    }
    ~Tells()
    {
        printf("~%s\n", name.c_str());
    }
};

void throw_deep(int n)
{
    Tells tells(("frame " + std::to_string(n)).c_str());
    if (n == 0) {
        throw std::runtime_error("from the depth");
    }
    throw_deep(n - 1);
}

void *wait_to_be_cancelled(void *ready)
{
    Tells outer("cancelled, outer");
    try {
        Tells inner("cancelled, inner");
        __atomic_store_n(static_cast<int *>(ready), 1, __ATOMIC_RELEASE);
        for (;;) {
            delete[] new char[100];
            pause();
        }
    } catch (const abi::__forced_unwind &) {
        puts("forced to unwind");
        throw;
    } catch (...) {
        puts("caught what is no exception");
        throw;
    }
    return nullptr;
}

void *leave(void *)
{
    Tells tells("left");
    pthread_exit(nullptr);
}

void *cancelled_while_allocating(void *ready)
{
    Tells tells("cancelled while allocating");
    for (;;) {
        std::string text(200, 'x');
        __atomic_store_n(static_cast<int *>(ready), 1, __ATOMIC_RELEASE);
        pthread_testcancel();
    }
}

void cancel(void *(*function)(void *))
{
    pthread_t thread;
    int ready = 0;
    void *result = nullptr;
    if (pthread_create(&thread, nullptr, function, &ready) != 0) {
        exit(1);
    }
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
        usleep(100);
    }
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}
} // namespace

extern "C" void unwound(void (*through_c)(void (*)(int)))
{
    for (int turn = 0; turn < 3; turn++) {
        try {
            Tells tells("caught");
            throw_deep(5);
        } catch (const std::exception &e) {
            puts(e.what());
        }
        try {
            Tells tells("through C");
            through_c(throw_deep);
        } catch (const std::exception &e) {
            puts(e.what());
        }
        cancel(wait_to_be_cancelled);
        cancel(cancelled_while_allocating);
        pthread_t thread;
        if (pthread_create(&thread, nullptr, leave, nullptr) == 0) {
            pthread_join(thread, nullptr);
        }
    }
    fflush(stdout);
}
