/* paths.c - see paths.h. */
#include "paths.h"

#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *path_clean(const char *path)
{
    size_t n = strlen(path);
    bool rooted = path[0] == '/';
    char *out = memory_array(n + 2, 1);
    size_t used = rooted;
    size_t keep = rooted; /* what `..` may not remove */
    out[0] = '/';
    for (size_t at = rooted; at < n;) {
        size_t length = strcspn(path + at, "/");
        const char *part = path + at;
        at += length + 1;
        if (length == 0 || (length == 1 && part[0] == '.')) {
            continue;
        }
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            if (used > keep) {
                while (used > keep && out[used - 1] != '/') {
                    used--;
                }
                used -= used > keep;
                continue;
            }
            if (rooted) {
                continue;
            }
        }
        if (used > (size_t)rooted) {
            out[used++] = '/';
        }
        memcpy(out + used, part, length);
        used += length;
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            keep = used;
        }
    }
    if (used == 0) {
        out[used++] = '.';
    }
    out[used] = 0;
    return out;
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!*path) {
        return ".";
    }
    return slash && slash[1] ? slash + 1 : path;
}

const char *path_trim(const char *path, const char *trim_path, const char *source_path)
{
    if (!*trim_path) {
        for (const char *at = source_path; *at;) {
            size_t n = strcspn(at, ":"), length = n;
            while (length > 1 && at[length - 1] == '/') {
                length--;
            }
            size_t start = length;
            while (start > 0 && at[start - 1] != '/') {
                start--;
            }
            char *wanted = length ? memory_print("/%.*s/", (int)(length - start), at + start)
                                  : memory_text("/./", 3);
            const char *found = strstr(path, wanted);
            const char *rest = found ? found + strlen(wanted) : NULL;
            free(wanted);
            if (rest) {
                return rest;
            }
            at += n + (at[n] == ':');
        }
    }
    static const char *const built_in[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
    for (const char *at = trim_path; *at;) {
        size_t n = strcspn(at, ":");
        bool closed = n > 0 && at[n - 1] == '/';
        if (strncmp(path, at, n) == 0 && (closed || path[n] == '/')) {
            return path + n + !closed;
        }
        at += n + (at[n] == ':');
    }
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(built_in[i]);
        if (strncmp(path, built_in[i], n) == 0) {
            return path + n;
        }
    }
    return path;
}
