/* What tests/hooks/sanitizers.sh builds with each sanitizer: a bit of everything that a sanitizer
 * watches, then the fault that its first argument names. What is lost or misused is volatile. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#ifdef OWN_OPTIONS
extern "C" const char *__asan_default_options()
{
    return "exitcode=77";
}
#endif

static char *volatile held;

static void work(int n)
{
    std::vector<std::string> kept;
    for (int i = 0; i < n; i++)
        kept.push_back(std::string(i % 500, 'x'));
    for (int i = 0; i < n; i++) {
        char *volatile p = (char *)malloc(i + 1);
        memset(p, 1, i + 1);
        p = (char *)realloc(p, 2 * i + 1);
        char *volatile q = (char *)calloc(3, i + 1);
        free(p), free(q);
    }
    prctl(PR_SET_NAME, "worker");
}

__attribute__((noinline)) static void lose_one()
{
    held = new char[999];
    held = nullptr;
}

int main(int argc, char **argv)
{
    std::string fault = argc > 1 ? argv[1] : "none";
    std::vector<std::thread> threads;
    static int raced;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            work(500);
            if (fault == "race")
                raced++;
        });
    for (std::thread &thread : threads)
        thread.join();
    try {
        throw std::runtime_error("thrown");
    } catch (const std::runtime_error &error) {
        printf("%s, %d\n", error.what(), syscall(SYS_getppid) == getppid());
    }
    fflush(stdout);
    if (fork() == 0) {
        work(100);
        exit(5);
    }
    int status;
    wait(&status);
    printf("a child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (fault == "use_after_free") {
        held = (char *)malloc(50);
        free(held);
        printf("%d\n", held[3] == 9);
    } else if (fault == "mismatch") {
        held = new char[50];
        free(held);
    } else if (fault == "overrun") {
        held = (char *)malloc(50);
        held[50] = 1;
        free(held);
    } else if (fault == "uninitialised") {
        held = (char *)malloc(50);
        puts(held[7] == 9 ? "set" : "not set");
        free(held);
    } else if (fault == "shift") {
        volatile int n = 40;
        printf("%d\n", (1 << n) & 0);
    } else if (fault == "leak" || fault == "leak_and_exit") {
        for (int i = 0; i < 4; i++)
            lose_one();
        if (fault == "leak_and_exit")
            _exit(0);
    }
    return 3;
}
