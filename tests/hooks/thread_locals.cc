/* target: cflags=-O1,-pthread */
/* matrix: */
/* thread_locals.cc - C++ thread_local objects whose constructors and destructors allocate, in
 * threads, detached ones, and in the main thread, whose go before the static objects; static ones
 * that outlive all and free what thread_local ones made. (pitfalls: free() after a thread's TLS is
 * torn down crashes) */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;

struct Registry {
    std::vector<std::string> names;
    ~Registry()
    {
        std::string all;
        for (const std::string &name : names)
            all += name;
        std::printf("%zu names of %zu letters\n", names.size(), all.size());
    }
};
static Registry registry;

struct Local {
    std::map<int, std::string> content;
    std::unique_ptr<char[]> block{new char[5000]};
    ~Local()
    {
        std::string text(3000, 'x');
        for (int i = 0; i < 20; i++)
            content[i] += text;
        std::lock_guard<std::mutex> lock(mutex);
        registry.names.push_back(content[7]);
    }
};

static thread_local Local first;
static thread_local std::unique_ptr<Local> second;

static void use()
{
    first.content[3] = std::string(100, 'a');
    second = std::make_unique<Local>();
    second->content[7] = std::string(50, 'b');
}

int main()
{
    use();
    for (int turn = 0; turn < 50; turn++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 6; i++)
            threads.emplace_back(use);
        for (std::thread &thread : threads)
            thread.join();
    }
    return 0;
}
