/* test: link=cli cflags=-Icli quick */
/* memory_limit_files.c - what memory_limit_find reads out of the files of control groups, in a tree
 * of our own that stands for / : both versions, limits at any level, groups that can't be seen. */
#include "memory_limit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failures;
static char root[200];

static void file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *out = fopen(path, "w");
    if (out == NULL || fputs(text, out) < 0 || fclose(out) != 0) {
        perror(path);
        exit(1);
    }
}

static void expect(const char *what, uint32_t pid, bool known, uint64_t bytes, uint64_t kills)
{
    struct memory_limit found;
    bool got = memory_limit_find(root, pid, &found);
    if (got != known || found.bytes != bytes || found.kills != kills) {
        printf("FAILED: %s: %d, limit %" PRIu64 ", %" PRIu64 " kills\n", what, got, found.bytes,
               found.kills);
        failures++;
    }
}

int main(void)
{
    const char *temporary = getenv("TEST_TMP");
    snprintf(root, sizeof root, "%s/root-%d", temporary ? temporary : "/tmp", (int)getpid());
    file("/proc/1/cgroup", "0::/a/b\n");
    file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    file("/sys/fs/cgroup/a/b/memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\n");
    expect("no limit", 1, true, 0, 2);
    file("/sys/fs/cgroup/a/memory.max", "67108864\n");
    expect("a limit above", 1, true, 67108864, 2);
    file("/sys/fs/cgroup/a/b/memory.max", "134217728\n");
    expect("a smaller one above", 1, true, 67108864, 2);
    file("/sys/fs/cgroup/a/b/memory.max", "33554432\n");
    expect("a smaller one below", 1, true, 33554432, 2);
    /* In a container the mount's root is the group, whatever path is told. */
    file("/proc/2/cgroup", "0::/../elsewhere\n");
    expect("nothing to see", 2, false, 0, 0);
    file("/sys/fs/cgroup/memory.max", "1048576\n");
    expect("the mount's root", 2, true, 1048576, 0);
    file("/proc/3/cgroup", "0::/\n");
    file("/sys/fs/cgroup/memory.events", "oom_kill 1\n");
    expect("the root of a namespace", 3, true, 1048576, 1);
    /* Version 1 has the memory controller although 2 is mounted, too, in either order. */
    file("/proc/4/cgroup", "5:memory:/old\n1:cpu,cpuacct:/x\n0::/a/b\n");
    file("/proc/5/cgroup", "0::/a/b\n5:memory:/old\n");
    file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    file("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "9223372036854771712\n");
    file("/sys/fs/cgroup/memory/old/memory.oom_control",
         "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
    expect("version 1 without a limit", 4, true, 0, 7);
    file("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "2097152\n");
    expect("version 1", 4, true, 2097152, 7);
    expect("version 1, the line behind", 5, true, 2097152, 7);
    file("/proc/6/cgroup", "nonsense\n1:name=systemd:/x\n");
    expect("no memory controller", 6, false, 0, 0);
    expect("no process", 7, false, 0, 0);
    puts(failures ? "" : "limits and kills of both versions");
    return failures != 0;
}
