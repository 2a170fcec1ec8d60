/* test: link=tables quick */
/* tables_cgroup_files.c - when a control group of version 2 has room for more, by its files: a
 * directory of our own stands for /sys/fs/cgroup, so that this is shown where the kernel has none.
 */
#include "tables_world.h"
#include "tables_internal.h"

enum { MB = 1000000 };

static char root[60];

static void file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", path);
    close(fd);
}

static void group(const char *path)
{
    tables.cgroup_version = 2;
    strcpy(tables.cgroup_root, root);
    strcpy(tables.cgroup_path, path);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/approf-cgroup-%d", getpid());
    file("/a/b/memory.max", "max\n");
    file("/a/b/memory.current", "89000000\n");
    group("/a/b");
    CHECK(tables_cgroup_allows(100 * MB), "no limit");
    file("/a/b/memory.max", "100000000\n");
    CHECK(tables_cgroup_allows(MB), "up to nine tenths");
    CHECK(!tables_cgroup_allows(MB + 1), "into the last tenth");
    /* What the page cache can give back at once has no part in it; other cache has. */
    file("/a/b/memory.stat", "anon 1\nfile 50000000\nactive_file 7\ninactive_file 20000000\n");
    CHECK(tables_cgroup_allows(21 * MB) && !tables_cgroup_allows(21 * MB + 1), "inactive_file");
    file("/a/b/memory.stat", "anon 1\nzinactive_file 20000000\n");
    CHECK(!tables_cgroup_allows(2 * MB), "another key that ends so");
    /* A limit above. */
    file("/a/b/memory.max", "max\n");
    file("/a/memory.max", "200000000\n");
    file("/a/memory.current", "179000000\n");
    CHECK(tables_cgroup_allows(MB) && !tables_cgroup_allows(2 * MB), "the parent's limit");
    group("/a/b/");
    CHECK(!tables_cgroup_allows(2 * MB), "a slash at the end");
    group("/a/gone");
    CHECK(!tables_cgroup_allows(2 * MB), "a group that is no more, below a limit");
    /* In a container: the mount's root is our own group, whatever path is told. */
    group("/../other");
    CHECK(tables_cgroup_allows(2 * MB), "nothing to see");
    file("/memory.max", "10000000\n");
    file("/memory.current", "9000000\n");
    CHECK(!tables_cgroup_allows(1), "the mount's root, from a path out of the namespace");
    group("/");
    CHECK(!tables_cgroup_allows(1), "the root of a namespace");
    file("/memory.max", "0\n");
    CHECK(!tables_cgroup_allows(1), "nothing at all allowed");
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK(system(command) == 0, "%s", command);
    return world_end();
}
