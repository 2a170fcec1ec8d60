/* target: cflags=-O1 */
/* matrix: return */
/* matrix: exit */
/* matrix: quick_exit */
/* matrix: _exit */
/* matrix: _Exit */
/* matrix: [killed] abort */
/* matrix: [killed] segv */
/* matrix: [killed] term */
/* matrix: [killed] kill */
/* matrix: [killed] exec */
/* Allocates a known amount on each way out of a process, and then takes it: argv[1] says which.
 * Every allocation is by a function of its own, so that a profile can be asked for it. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static void *volatile sink;

[[gnu::noinline]] static void in_main(void)
{
    for (int i = 0; i < 100; i++)
        sink = malloc(1000);
}

[[gnu::noinline]] static void in_static_destructor(void)
{
    for (int i = 0; i < 10; i++)
        sink = malloc(700);
}

[[gnu::noinline]] static void in_atexit(void)
{
    for (int i = 0; i < 20; i++)
        sink = malloc(50);
}

[[gnu::noinline]] static void in_at_quick_exit(void)
{
    for (int i = 0; i < 30; i++)
        sink = malloc(60);
}

struct Late {
    ~Late()
    {
        in_static_destructor();
    }
};
static Late late;

__attribute__((destructor)) static void in_destructor_function(void)
{
    for (int i = 0; i < 40; i++)
        sink = malloc(11);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "return";
    atexit(in_atexit);
    at_quick_exit(in_at_quick_exit);
    in_main();
    puts("ready");
    fflush(stdout);
    if (!strcmp(way, "return"))
        return 3;
    if (!strcmp(way, "exit"))
        exit(4);
    if (!strcmp(way, "quick_exit"))
        quick_exit(5);
    if (!strcmp(way, "_exit"))
        _exit(6);
    if (!strcmp(way, "_Exit"))
        _Exit(7);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "segv"))
        raise(SIGSEGV);
    if (!strcmp(way, "term"))
        raise(SIGTERM);
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "exec")) {
        execl("/bin/echo", "echo", "another program", (char *)nullptr);
        return 99;
    }
    return 98;
}
