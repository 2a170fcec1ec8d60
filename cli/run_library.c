/* run_library.c - see run_library.h. */
#include "run_library.h"

#include "memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What separates the entries of LD_PRELOAD. */
static const char separators[] = " :\t\n";

bool run_program_self(char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    if (n <= 0 || (size_t)n >= room - 1) {
        return false;
    }
    path[n] = 0;
    return true;
}

bool run_library_find(char *path, size_t room)
{
    static const char *const places[] = {"libapprof.so", "../lib/approf/libapprof.so",
                                         "../lib/libapprof.so"};
    char self[PATH_MAX], candidate[PATH_MAX];
    if (!run_program_self(self, sizeof self)) {
        return false;
    }
    *(strrchr(self, '/') + 1) = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *joined = memory_print("%s%s", self, places[i]);
        bool found = realpath(joined, candidate) != NULL && access(candidate, R_OK) == 0 &&
                     strlen(candidate) < room;
        free(joined);
        if (found) {
            memcpy(path, candidate, strlen(candidate) + 1);
            return true;
        }
    }
    return false;
}

char *run_preload_value(const char *library, const char *directory, const char *existing)
{
    char *link = NULL;
    if (strpbrk(library, separators) != NULL) {
        if (directory == NULL || strpbrk(directory, separators) != NULL) {
            return NULL;
        }
        link = memory_print("%s/libapprof.so", directory);
        if (symlink(library, link) != 0) {
            free(link);
            return NULL;
        }
        library = link;
    }
    bool chain = existing != NULL && *existing != 0 && strcmp(existing, library) != 0;
    char *value = chain ? memory_print("%s:%s", library, existing) : memory_print("%s", library);
    free(link);
    return value;
}
