/* target: cflags=-O1,-fno-builtin,-fno-inline */
/* api_calls - uses all of approf.h on known allocations. Its argument is a folder for profiles.
 * Prints what each function returned. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "approf.h"

static void *kept[64];
static int n_kept;

void first_site(void)
{
    for (int i = 0; i < 10; i++)
        kept[n_kept++] = malloc(1000);
}

void second_site(void)
{
    for (int i = 0; i < 20; i++)
        kept[n_kept++] = malloc(300);
}

/* While sampling is off: 3 MiB, so that the thread looks at the switch. */
void stopped_site(void)
{
    for (int i = 0; i < 300; i++)
        free(malloc(10000));
}

void woken_site(void)
{
    for (int i = 0; i < 300; i++)
        free(malloc(10000));
}

void sampled_site(void)
{
    for (int i = 0; i < 3000; i++)
        free(malloc(10000));
}

static const char *in_folder(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IONBF, 0);
    first_site();
    printf("write %d\n", approf_write(in_folder(folder, "first.pb.gz")));
    printf("reset %d\n", approf_reset());
    for (int i = 0; i < 4; i++)
        free(kept[i]);
    second_site();
    int fd = open(in_folder(folder, "second.pb.gz"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    printf("write_fd %d\n", approf_write_fd(fd));
    printf("still open: %d\n", close(fd) == 0);
    printf("stop %d\n", approf_stop());
    stopped_site();
    printf("start %d\n", approf_start());
    woken_site();
    printf("set_rate %d\n", approf_set_rate(100000));
    sampled_site();
    printf("write %d\n", approf_write(in_folder(folder, "third.pb.gz")));
    printf("nowhere %d\n", approf_write("/nonexistent/x.pb.gz") < 0);
    printf("bad rate %d\n", approf_set_rate(UINT64_MAX) < 0);
    return 0;
}
