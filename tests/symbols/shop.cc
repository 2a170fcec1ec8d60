/* C++ for dwarf_kinds.sh: methods, templates, lambdas, anonymous namespaces, constructors, much of it inlined. */
#include <vector>
#include <map>
#include <string>
#include <memory>
#include <cstdlib>
#include <cstdio>
namespace shop
{
namespace
{
struct item {
    std::string name;
    int n;
    virtual ~item()
    {
    }
};
template <class T, int N> struct pool {
    std::vector<T> v;
    __attribute__((noinline)) T *get(int k)
    {
        for (int i = 0; i < N; i++)
            v.push_back(T());
        return &v[k];
    }
};
static inline void *raw(size_t n)
{
    return malloc(n);
}
static inline void *two(size_t n)
{
    return raw(n * 2);
}
__attribute__((noinline)) void *three(size_t n)
{
    return two(n + 1);
}
} // namespace
struct cart {
    std::map<std::string, std::unique_ptr<item>> items;
    cart();
    ~cart();
    void add(const char *s);
    bool operator<(const cart &o) const;
};
cart::cart()
{
    items["x"] = std::make_unique<item>();
}
cart::~cart()
{
}
void cart::add(const char *s)
{
    auto f = [this](const std::string &k) { items[k] = std::make_unique<item>(); };
    f(s);
    f(std::string(s) + "2");
}
bool cart::operator<(const cart &o) const
{
    return items.size() < o.items.size();
}
} // namespace shop
extern "C" void *c_entry(int n)
{
    return shop::three(n);
}
static void *helper(int n)
{
    return shop::three(n) ?: calloc(n, 1);
}
int main(int argc, char **argv)
{
    shop::cart c;
    c.add(argv[0]);
    shop::pool<int, 3> p;
    printf("%p %p %p\n", (void *)p.get(1), c_entry(4), helper(argc));
    auto l = [&](int k) { return new int[k]; };
    printf("%p\n", (void *)l(argc));
    return c < c;
}
