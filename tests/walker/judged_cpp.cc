/* target: cflags=-O2,-fomit-frame-pointer,-pthread */
/* matrix: 1 */
/* judged_cpp.cc - C++ under the judge: exceptions through several frames with destructors that
 * allocate, standard containers and algorithms, virtual calls through thunks, threads, and what
 * runs before main and after it. */
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{
unsigned long sink;

struct Guard {
    std::string text;
    explicit Guard(int n) : text(static_cast<size_t>(n) + 40, 'x')
    {
    }
    ~Guard()
    {
        std::string copy = text + text; /* allocates while the stack is being unwound */
        sink += copy.size();
    }
};

[[gnu::noinline]] int throws(int depth)
{
    Guard guard(depth);
    if (depth == 0)
        throw std::runtime_error("a message that is too long for the small string buffer");
    return throws(depth - 1) + static_cast<int>(guard.text.size());
}

struct A {
    virtual ~A() = default;
    virtual std::string name(int n) = 0;
};
struct B {
    virtual ~B() = default;
    virtual std::vector<int> numbers(int n) = 0;
};
struct C : A, virtual B {
    std::string name(int n) override
    {
        return std::string(static_cast<size_t>(n) + 30, 'c');
    }
    std::vector<int> numbers(int n) override
    {
        return std::vector<int>(static_cast<size_t>(n) + 3, n);
    }
};

template <typename T> [[gnu::noinline]] T fold(const std::vector<T> &values)
{
    std::map<T, std::vector<T>> groups;
    for (const T &value : values)
        groups[value].push_back(value);
    return std::accumulate(groups.begin(), groups.end(), T(),
                           [](T sum, const auto &group) { return sum + group.first; });
}

[[gnu::noinline]] void one_round(int r)
{
    for (int depth = 0; depth < 8; depth++) {
        try {
            sink += static_cast<unsigned long>(throws(depth));
        } catch (const std::exception &e) {
            sink += std::string(e.what()).size();
        }
    }
    std::unique_ptr<C> object = std::make_unique<C>();
    B *through_thunk = object.get();
    A *straight = object.get();
    sink += through_thunk->numbers(r).size() + straight->name(r).size();

    std::vector<std::string> words;
    for (int i = 0; i < 60; i++)
        words.push_back("a word that needs the heap " + std::to_string(i * 7919 % 61));
    std::sort(words.begin(), words.end(),
              [](const std::string &a, const std::string &b) { return a + "!" < b + "!"; });
    sink += fold(words).size() + fold(std::vector<double>{1, 2, 3, 2, 1}) > 0;
    std::function<int(int)> recursive = [&](int n) {
        std::vector<int> local(static_cast<size_t>(n) + 1);
        return n == 0 ? 0 : recursive(n - 1) + static_cast<int>(local.size());
    };
    sink += static_cast<unsigned long>(recursive(12));
    std::ostringstream stream;
    stream << words[0] << r << ' ' << 1.5 << std::endl;
    std::smatch match;
    std::string line = stream.str();
    sink += std::regex_search(line, match, std::regex("([a-z]+) (word|other).*([0-9]+)"));
    std::unordered_map<std::string, int> counts;
    for (const std::string &word : words)
        counts[word]++;
    sink += counts.size();
}

struct BeforeMain {
    std::vector<int> numbers = std::vector<int>(100);
    ~BeforeMain()
    {
        Guard guard(5); /* after main */
    }
} before_main;
} // namespace

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? std::stoi(argv[1]) : 5;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)
        threads.emplace_back([=] {
            for (int r = 0; r < rounds; r++)
                one_round(r);
        });
    for (std::thread &thread : threads)
        thread.join();
    one_round(1);
    std::cout << "done" << std::endl;
    return 0;
}
