// known_sizes.cc - a program whose allocations are known, for judging profilers: known_sizes TOOL
// OUT
//
// Five sizes, each allocated in a function of its own, as many bytes of each; a quarter of the
// blocks stays alive to the end. A sixth function allocates all five. Prints the size (0 for that),
// the function's address, and the bytes and objects that were allocated and are alive, a line for
// each. TOOL is who writes a profile to OUT before the end: jemalloc or tcmalloc are asked by their
// own functions, which are looked up and not linked; any other word means that nobody is asked.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr std::size_t bytes_each = 64 << 20;
static std::vector<void *> alive;
static void *volatile escaped;

template <std::size_t size> __attribute__((noinline, aligned(4096))) void allocate(bool keep)
{
    void *p = std::malloc(size);
    escaped = p;
    if (keep)
        alive.push_back(p);
    else
        std::free(p);
}

template <std::size_t size> void one_size()
{
    constexpr std::size_t n = bytes_each / size;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; i++) {
        bool keep = i % 4 == 0;
        kept += keep;
        allocate<size>(keep);
    }
    std::printf("%zu %p %zu %zu %zu %zu\n", size, reinterpret_cast<void *>(&allocate<size>),
                n * size, n, kept * size, kept);
}

// All sizes from one call stack, as many bytes of each: where sums are scaled by the average size,
// they come out wrong.
__attribute__((noinline, aligned(4096))) void allocate_any(std::size_t size, bool keep)
{
    void *p = std::malloc(size);
    escaped = p;
    if (keep)
        alive.push_back(p);
    else
        std::free(p);
}

void all_sizes()
{
    std::size_t bytes = 0, objects = 0, kept_bytes = 0, kept = 0;
    for (std::size_t size : {std::size_t(32), std::size_t(512), std::size_t(8192),
                             std::size_t(131072), std::size_t(2097152)})
        for (std::size_t i = 0; i < bytes_each / 4 / size; i++) {
            bool keep = i % 4 == 0;
            bytes += size, objects++;
            if (keep)
                kept_bytes += size, kept++;
            allocate_any(size, keep);
        }
    std::printf("0 %p %zu %zu %zu %zu\n", reinterpret_cast<void *>(&allocate_any), bytes, objects,
                kept_bytes, kept);
}

static bool write_jemalloc(const char *path)
{
    using control = int (*)(const char *, void *, std::size_t *, void *, std::size_t);
    auto mallctl = reinterpret_cast<control>(dlsym(RTLD_DEFAULT, "mallctl"));
    return mallctl && mallctl("prof.dump", nullptr, nullptr, &path, sizeof path) == 0;
}

static bool write_tcmalloc(const char *path)
{
    // A static member, and a member that is called with the object as its first argument.
    auto instance =
        reinterpret_cast<void *(*)()>(dlsym(RTLD_DEFAULT, "_ZN15MallocExtension8instanceEv"));
    auto sample = reinterpret_cast<void (*)(void *, std::string *)>(
        dlsym(RTLD_DEFAULT, "_ZN15MallocExtension13GetHeapSampleEPNSt7__cxx1112basic_"
                            "stringIcSt11char_traitsIcESaIcEEE"));
    if (!instance || !sample)
        return false;
    std::string text;
    sample(instance(), &text);
    std::FILE *file = std::fopen(path, "w");
    if (!file)
        return false;
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fputs("usage: known_sizes TOOL OUT\n", stderr);
        return 2;
    }
    alive.reserve(bytes_each / 32);
    one_size<32>();
    one_size<512>();
    one_size<8192>();
    one_size<131072>();
    one_size<2097152>();
    all_sizes();
    bool good = true;
    if (std::strcmp(argv[1], "jemalloc") == 0)
        good = write_jemalloc(argv[2]);
    else if (std::strcmp(argv[1], "tcmalloc") == 0)
        good = write_tcmalloc(argv[2]);
    return good ? 0 : 1;
}
