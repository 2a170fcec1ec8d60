/* library: cflags=-O0,-fPIC */
/* plugin - a C++ library for a C program: operators of every kind, an exception. */
#include <cstddef>
#include <new>
#include <stdexcept>

struct alignas(64) Wide {
    char bytes[128];
};

extern "C" int plugin_site(int rounds)
{
    int caught = 0;
    for (int i = 0; i < rounds; i++) {
        delete new int;
        delete[] new char[100];
        delete new Wide;
        delete new (std::nothrow) int;
        try {
            throw std::runtime_error("thrown");
        } catch (const std::exception &) {
            caught++;
        }
        try {
            volatile std::size_t huge = static_cast<std::size_t>(-1) / 4;
            delete[] new char[huge];
        } catch (const std::bad_alloc &) {
            caught++;
        }
    }
    return caught;
}
