/* two_profiles.c - a program that asks for its own heap profile, before and after its work.
 *
 *     cc -g -o two_profiles two_profiles.c $(pkg-config --cflags approf)
 *     ./two_profiles                          does its work; no profiles: the library is not there
 *     LD_PRELOAD=libapprof.so ./two_profiles  writes before.pb.gz and after.pb.gz
 *     approf diff before.pb.gz after.pb.gz    shows what grew
 *
 * Linked with $(pkg-config --libs approf) it writes them without LD_PRELOAD.
 */
#include <approf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char text[1000];
};

static struct entry *entries;

/* What grows between the two profiles. */
static __attribute__((noinline)) void remember(const char *text)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        exit(1);
    snprintf(entry->text, sizeof entry->text, "%s", text);
    entry->next = entries;
    entries = entry;
}

/* What is there for a moment only. */
static __attribute__((noinline)) size_t measure(const char *text)
{
    char *copy = strdup(text);
    size_t n = copy != NULL ? strlen(copy) : 0;
    free(copy);
    return n;
}

static void report(const char *what, int result)
{
    if (result == APPROF_ABSENT)
        printf("%s: not profiled\n", what);
    else if (result < 0)
        printf("%s: %s\n", what, strerror(-result));
    else
        printf("%s: written\n", what);
}

int main(void)
{
    size_t total = 0;
    approf_set_rate(4096); /* this small program allocates little: sample it often */
    for (int i = 0; i < 1000; i++)
        remember("before");
    report("before.pb.gz", approf_write("before.pb.gz"));
    for (int i = 0; i < 5000; i++) {
        remember("after");
        total += measure("some text");
    }
    report("after.pb.gz", approf_write("after.pb.gz"));
    printf("%zu characters\n", total);
    return 0;
}
