/* target: cflags=-O1,-pthread */
/* matrix: */
/* A C++ program whose allocations are known: the operators in all their forms, standard containers,
 * threads, malloc. Prints what it asked for, by function. What it prints is what allocators.sh
 * expects the profile to say. */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace shop
{
struct alignas(64) Wide {
    char bytes[192];
};

class Basket
{
  public:
    [[gnu::noinline]] void add_items(int n);
    [[gnu::noinline]] void drop_items();

  private:
    std::vector<int *> items;
};

template <typename T> [[gnu::noinline]] T *make_one()
{
    return new T;
}

/* n objects of sizeof(int); the vector's storage is reserved before, elsewhere. */
void Basket::add_items(int n)
{
    for (int i = 0; i < n; i++)
        items.push_back(new int(i));
}

void Basket::drop_items()
{
    for (int *item : items)
        delete item;
    items.clear();
}
} // namespace shop

static void *volatile sink;

[[gnu::noinline]] static void arrays(int n)
{
    for (int i = 0; i < n; i++) {
        char *p = new char[1000];
        sink = p;
        delete[] p;
        p = new (std::nothrow) char[500];
        sink = p;
        delete[] p;
    }
}

[[gnu::noinline]] static void aligned(int n)
{
    for (int i = 0; i < n; i++) {
        shop::Wide *p = shop::make_one<shop::Wide>();
        sink = p;
        delete p;
    }
}

[[gnu::noinline]] static void by_malloc(int n)
{
    for (int i = 0; i < n; i++) {
        sink = malloc(300);
        free(sink);
    }
}

[[gnu::noinline]] static void kept(int n)
{
    static std::vector<char *> all;
    all.reserve((size_t)n);
    for (int i = 0; i < n; i++)
        all.push_back(static_cast<char *>(operator new(64)));
}

int main()
{
    shop::Basket basket;
    basket.add_items(1000);
    basket.drop_items();
    std::thread other([] { arrays(2000); });
    aligned(500);
    by_malloc(700);
    kept(400);
    other.join();
    printf("shop::Basket::add_items ints 1000 4000\n"
           "arrays 4000 3000000\n"
           "aligned 500 96000\n"
           "by_malloc 700 210000\n"
           "kept 401 28800\n");
    return 0;
}
