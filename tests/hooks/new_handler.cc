/* target: cflags=-O1,-pthread */
/* matrix: [no_mimalloc] */
/* new_handler.cc - operator new that fails calls the program's new_handler until that gives up, and
 * throws bad_alloc; nothrow gives null; what is thrown meanwhile in other threads is caught there.
 * The handler allocates. */
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

static int called;

static void handler()
{
    std::string text(2000, 'h');
    if (++called % 5 == 0)
        std::set_new_handler(nullptr);
}

struct alignas(128) Wide {
    char bytes[256];
};

static void *volatile sink;

static void throwing(int *caught)
{
    for (int i = 0; i < 200; i++) {
        try {
            std::vector<std::string> many(20, std::string(100, 'v'));
            throw many;
        } catch (const std::vector<std::string> &many) {
            *caught += many.size() == 20;
        }
    }
}

int main()
{
    volatile std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
    int caught = 0, others[3] = {0, 0, 0};
    std::vector<std::thread> threads;
    for (int &other : others)
        threads.emplace_back(throwing, &other);
    for (int i = 0; i < 4; i++) {
        std::set_new_handler(handler);
        try {
            sink = operator new(huge);
        } catch (const std::bad_alloc &) {
            caught++;
        }
        std::set_new_handler(handler);
        try {
            sink = new char[huge];
        } catch (const std::bad_alloc &) {
            caught++;
        }
        std::set_new_handler(handler);
        try {
            sink = operator new(huge, std::align_val_t(64));
        } catch (const std::bad_alloc &) {
            caught++;
        }
        sink = operator new(huge, std::nothrow);
        caught += sink == nullptr;
        Wide *wide = new Wide;
        caught += reinterpret_cast<std::size_t>(wide) % 128 == 0;
        delete wide;
    }
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%d caught, handler called %d times, threads %d %d %d\n", caught, called, others[0],
                others[1], others[2]);
    return 0;
}
