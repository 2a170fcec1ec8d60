/* target: cflags=-O1,-pthread,-rdynamic libs=-ldl */
/* late_host HOLDER PLUGIN… - a C program, without the C++ library, that loads plugins written in
 * C++. The first use of each one's operators is made while another thread holds the loader's lock
 * and waits for it. Then all are loaded, used and unloaded in turn, in two threads, while a third
 * loads and unloads. Prints what each plugin_check says. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 30, TURNS = 60 };

static char **plugins;
static int n_plugins, wrong, stop;

struct use {
    int (*check)(void);
    int result, entered, done;
};

static void *use_it(void *argument)
{
    struct use *use = argument;
    while (!__atomic_load_n(&use->entered, __ATOMIC_ACQUIRE))
        usleep(1000);
    use->result = use->check();
    __atomic_store_n(&use->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Under the loader's lock. */
static int hold(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct use *use = argument;
    time_t until = time(NULL) + PATIENCE;
    (void)info, (void)size;
    __atomic_store_n(&use->entered, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&use->done, __ATOMIC_ACQUIRE)) {
        if (time(NULL) > until) {
            puts("deadlock: operator new waits for the loader's lock");
            fflush(stdout);
            _exit(3);
        }
        usleep(1000);
    }
    return 1;
}

/* The loader has two locks: a callback of dl_iterate_phdr is run under the one, a library's
 * constructor under the other. HOLDER's calls this. */
static struct use *in_constructor;
void late_host_hold(void);
void late_host_hold(void)
{
    hold(NULL, 0, in_constructor);
}

static void *load(const char *path, int (**check)(void))
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        puts(dlerror());
        exit(1);
    }
    *check = (int (*)(void))dlsym(plugin, "plugin_check");
    return plugin;
}

static void *in_turn(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        int (*check)(void);
        void *plugin = load(plugins[(i + (argument != NULL)) % n_plugins], &check);
        if (check() != 0)
            __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
        dlclose(plugin);
    }
    return argument;
}

static void *churn(void *argument)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        void *one = dlopen("libm.so.6", RTLD_NOW), *two = dlopen(argument, RTLD_NOW);
        if (two != NULL)
            dlclose(two);
        dlclose(one);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    plugins = argv + 2;
    n_plugins = argc - 2;
    for (int i = 0; i < n_plugins; i++) {
        struct use use = {.result = -1};
        void *plugin = load(plugins[i], &use.check);
        pthread_create(&threads[0], NULL, use_it, &use);
        in_constructor = &use;
        if (i % 2 == 0)
            dlclose(dlopen(argv[1], RTLD_NOW));
        else
            dl_iterate_phdr(hold, &use);
        pthread_join(threads[0], NULL);
        const char *slash = strrchr(plugins[i], '/');
        printf("%s: %d\n", slash != NULL ? slash + 1 : plugins[i], use.result);
        if (use.result != 0)
            wrong = 1;
        dlclose(plugin);
    }
    pthread_create(&threads[2], NULL, churn, "libresolv.so.2");
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, in_turn, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(threads[2], NULL);
    puts(wrong ? "wrong" : "right");
    return wrong;
}
