/* tables_cgroup.c - whether a memory cgroup, v1 or v2, has room for more.
 *
 * Pages of shared memory are charged like any other, and past the limit the kernel kills: the hook
 * must not be the last straw. The group is found once, at start; limits are read each time the
 * tables grow, which is rare. Page cache that can go at once (inactive_file) doesn't count as used.
 */
#include "raw_sys.h"
#include "tables_internal.h"
#include <string.h>

static const struct {
    const char *root, *limit, *usage, *stat;
} versions[] = {
    {NULL, NULL, NULL, NULL},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
    {"/sys/fs/cgroup", "memory.max", "memory.current", "\ninactive_file "},
};

/* One line of /proc/self/cgroup is "number:controllers:path". */
static void parse_line(const char *line, size_t n)
{
    const char *controllers = memchr(line, ':', n);
    const char *path =
        controllers ? memchr(controllers + 1, ':', n - (size_t)(controllers + 1 - line)) : NULL;
    if (!path)
        return;
    size_t list = (size_t)(path - controllers) - 1, length = n - (size_t)(path + 1 - line);
    int version = 0;
    if (list == 6 && memcmp(controllers + 1, "memory", 6) == 0)
        version = 1;
    else if (list == 0 && tables.cgroup_version == 0)
        version = 2;
    if (version == 0 || length >= sizeof tables.cgroup_path)
        return;
    tables.cgroup_version = version;
    strcpy(tables.cgroup_root, versions[version].root);
    memcpy(tables.cgroup_path, path + 1, length);
    tables.cgroup_path[length] = 0;
}

void tables_cgroup_init(void)
{
    tables.cgroup_version = 0;
    if (raw_read_file("/proc/self/cgroup", tables.scratch, sizeof tables.scratch) <= 0)
        return;
    for (const char *line = tables.scratch; *line;) {
        const char *end = strchrnul(line, '\n');
        parse_line(line, (size_t)(end - line));
        line = *end ? end + 1 : end;
    }
}

/* The text of file in the group root + path[0..length); false if it can't be had. */
static bool read_group(size_t length, const char *file)
{
    char name[sizeof tables.cgroup_root + sizeof tables.cgroup_path + 32];
    char *at = stpcpy(name, tables.cgroup_root);
    memcpy(at, tables.cgroup_path, length);
    at[length] = '/';
    strcpy(at + length + 1, file);
    return raw_read_file(name, tables.scratch, sizeof tables.scratch) > 0;
}

bool tables_cgroup_allows(uint64_t bytes)
{
    if (tables.cgroup_version == 0)
        return true;
    const char *limit_file = versions[tables.cgroup_version].limit;
    const char *usage_file = versions[tables.cgroup_version].usage;
    const char *key = versions[tables.cgroup_version].stat;
    size_t length = strlen(tables.cgroup_path);
    /* From our own group upwards: any of them may have the limit. In a container the upper ones
     * can't be seen, and the mount's root stands for our own. */
    for (int level = 0; level < 32; level++) {
        while (length > 0 && tables.cgroup_path[length - 1] == '/')
            length--;
        if (read_group(length, limit_file) && tables.scratch[0] != 'm') {
            uint64_t limit = tables_parse(tables.scratch, NULL);
            uint64_t most = limit - limit / 10;
            if (limit < UINT64_C(1) << 60 && read_group(length, usage_file)) {
                uint64_t used = tables_parse(tables.scratch, NULL);
                if (used + bytes > most) {
                    const char *at =
                        read_group(length, "memory.stat") ? strstr(tables.scratch, key) : NULL;
                    uint64_t cache = at ? tables_parse(at + strlen(key), NULL) : 0;
                    if (used - (cache < used ? cache : used) + bytes > most)
                        return false;
                }
            }
        }
        if (length == 0)
            break;
        while (length > 0 && tables.cgroup_path[length - 1] != '/')
            length--;
    }
    return true;
}
