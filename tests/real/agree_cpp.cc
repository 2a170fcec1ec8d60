/* target: cflags=-O2 */
/* C++ as it is built to be run: methods, templates, overloads, lambdas, operators, anonymous
 * namespaces, and callees that the compiler inlines. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace
{
struct Hidden {
    std::string text;
    [[gnu::noinline]] Hidden operator+(const Hidden &other) const
    {
        return {text + other.text + std::string(200, '+')};
    }
};
} // namespace

namespace store
{
template <typename Key, typename Value> class Table
{
  public:
    [[gnu::noinline]] void put(const Key &key, const Value &value)
    {
        rows[key].push_back(value);
    }
    [[gnu::noinline]] size_t size() const
    {
        return rows.size();
    }

  private:
    std::map<Key, std::vector<Value>> rows;
};

class Session
{
  public:
    explicit Session(int id) : id(id)
    {
    }
    [[gnu::noinline]] void handle(int n);
    [[gnu::noinline]] void handle(const std::string &text);

  private:
    /* Inlined into handle: a profile has to name it all the same. */
    [[gnu::always_inline]] inline char *make_reply(size_t n)
    {
        char *reply = new char[n];
        reply[0] = (char)id;
        return reply;
    }
    int id;
    std::vector<std::unique_ptr<char[]>> replies;
};

void Session::handle(int n)
{
    for (int i = 0; i < n; i++)
        replies.emplace_back(make_reply(400));
}

void Session::handle(const std::string &text)
{
    replies.emplace_back(make_reply(text.size() + 1000));
}
} // namespace store

int main()
{
    store::Table<std::string, int> by_name;
    store::Table<int, std::string> by_number;
    store::Session session(1);
    Hidden hidden{"hidden"};
    size_t total = 0;
    for (int i = 0; i < 500; i++) {
        by_name.put("a name that is too long to be short " + std::to_string(i % 50), i);
        by_number.put(i % 70, std::string(100, 'x'));
        session.handle(3);
        session.handle(std::string(50, 'y'));
        auto shout = [&](int n) { return std::string((size_t)n, '!'); };
        total += shout(300 + i).size() + (hidden + hidden).text.size();
    }
    printf("%zu %zu %zu\n", by_name.size(), by_number.size(), total);
    return 0;
}
