// map_strings.cc - C++ as many programs are: map_strings COUNT looks up COUNT strings in a
// std::map<std::string, std::string>, inserts those that are not there, and erases those that are.
// 4,096 keys; keys and values are too long to lie within the string object. Seeded.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

int main(int argc, char **argv)
{
    long count = argc > 1 ? std::atol(argv[1]) : 0;
    if (count <= 0) {
        std::fputs("usage: map_strings COUNT\n", stderr);
        return 2;
    }
    std::map<std::string, std::string> map;
    std::uint64_t state = 42;
    for (long i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        std::string key = "customer/" + std::to_string(state >> 40 & 4095) + "/session/current";
        std::string value(32 + (state >> 33) % 200, 'v');
        auto [at, fresh] = map.try_emplace(std::move(key), std::move(value));
        if (!fresh)
            map.erase(at);
    }
    return map.size() > 4096;
}
