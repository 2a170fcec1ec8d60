/* fuzz_main.h - makes a fuzz target a test too: without a fuzzing engine its main runs over files.
 *
 * With an engine (-DFUZZ_ENGINE -fsanitize=fuzzer) only LLVMFuzzerTestOneInput is there. Otherwise
 * the arguments are files and folders of inputs, by default the kept ones in
 * $TOP/tests/fuzz/regress/FUZZ_NAME; each input must simply not crash (targets abort at a broken
 * promise).
 */
#ifndef APPROF_FUZZ_MAIN_H
#define APPROF_FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that must hold whatever the input. */
#define FUZZ_HOLDS(condition)                                                             \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

#ifndef FUZZ_ENGINE
#include <dirent.h>
#include <string.h>

static int fuzz_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    size_t size = 0, room = 1 << 16;
    uint8_t *bytes = malloc(room);
    for (size_t n; (n = fread(bytes + size, 1, room - size, file)) > 0;) {
        size += n;
        if (size == room)
            bytes = realloc(bytes, room *= 2);
    }
    fclose(file);
    uint8_t *exact = malloc(size); /* so that reading past the end is seen */
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(bytes);
    return 1;
}

static int fuzz_path(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return fuzz_file(path);
    int n = 0;
    char name[4096];
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            n += fuzz_path(name);
        }
    closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        n += fuzz_path(argv[i]);
    if (argc < 2) {
        const char *top = getenv("TOP");
        char name[4096];
        snprintf(name, sizeof name, "%s/tests/fuzz/regress/%s", top ? top : ".", FUZZ_NAME);
        n = fuzz_path(name);
    }
    printf("%d inputs\n", n);
    return n ? 0 : 1;
}
#endif
#endif
