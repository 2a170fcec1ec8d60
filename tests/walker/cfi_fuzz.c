/* test: link=walker cflags=-O1 time=300 quick variant=san,ubsan */
/* cfi_fuzz.c - the CFI reader over the unwind tables of real libraries, as they are and mutated.
 *
 * Each table is copied to a block of its exact size, where AddressSanitizer (the san variant)
 * notices a read past either end. As they are: a rule must come out for nearly all functions.
 * Mutated: nothing may crash or hang, and what comes out must be within what the rule can say.
 * cfi_fuzz [ROUNDS [SEED]] */
#include "cfi.h"
#include "modules_elf.h"
#include "walker_stubs.h"
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static uint64_t random_state;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

struct tables_copy {
    uint8_t *bytes; /* from the start of .eh_frame_hdr or .eh_frame, the lower one, to the end */
    size_t size;
    size_t hdr, hdr_size; /* offset and size of .eh_frame_hdr in it */
    const char *name;
};

/* The readable segment that holds .eh_frame_hdr, from a file. */
static bool read_tables(const char *path, struct tables_copy *copy)
{
    int fd = open(path, O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    size_t size = (size_t)status.st_size;
    const uint8_t *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return false;
    const Elf64_Ehdr *elf = (const void *)file;
    const Elf64_Phdr *headers = (const void *)(file + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        if (headers[i].p_type != PT_GNU_EH_FRAME)
            continue;
        for (unsigned s = 0; s < elf->e_phnum; s++) {
            const Elf64_Phdr *segment = &headers[s];
            if (segment->p_type == PT_LOAD && segment->p_offset <= headers[i].p_offset &&
                headers[i].p_offset < segment->p_offset + segment->p_filesz) {
                /* Word-aligned, as in memory; what lies before the header isn't needed. */
                size_t from = headers[i].p_offset & ~(size_t)7;
                copy->size = segment->p_offset + segment->p_filesz - from;
                copy->bytes = malloc(copy->size);
                memcpy(copy->bytes, file + from, copy->size);
                copy->hdr = headers[i].p_offset - from;
                copy->hdr_size = headers[i].p_filesz;
                copy->name = path;
            }
        }
    }
    munmap((void *)file, size);
    return copy->bytes != NULL;
}

static struct cfi_tables tables_of(const struct tables_copy *copy)
{
    return (struct cfi_tables){.hdr = copy->bytes + copy->hdr,
                               .hdr_end = copy->bytes + copy->hdr + copy->hdr_size,
                               .frame = copy->bytes,
                               .frame_end = copy->bytes + copy->size};
}

/* The start of the nth function of the search table. */
static uintptr_t function(const struct tables_copy *copy, size_t n)
{
    int32_t offset;
    memcpy(&offset, copy->bytes + copy->hdr + 12 + 8 * n, 4);
    return (uintptr_t)(copy->bytes + copy->hdr) + (uintptr_t)(intptr_t)offset;
}

static size_t n_functions(const struct tables_copy *copy)
{
    uint32_t n;
    memcpy(&n, copy->bytes + copy->hdr + 8, 4);
    return n < (copy->hdr_size - 12) / 8 ? n : (copy->hdr_size - 12) / 8;
}

static bool sane(const struct cfi_rule *rule)
{
    return rule->signal || rule->end ||
           (rule->base <= CFI_BASE_OTHER && rule->fp <= CFI_FP_LOST &&
            (rule->base != CFI_BASE_OTHER || rule->reg < 16));
}

static bool as_it_is(const struct tables_copy *copy)
{
    struct cfi_tables tables = tables_of(copy);
    size_t n = n_functions(copy), counts[3] = {0};
    for (size_t i = 0; i < n; i++) {
        for (unsigned at = 0; at < 40; at += 13) {
            struct cfi_rule rule;
            enum cfi_status status = cfi_find_rule(&tables, function(copy, i) + at, &rule);
            counts[status]++;
            if (status == CFI_FOUND && !sane(&rule))
                return false;
        }
    }
    printf("%s: %zu functions: %zu rules, %zu outside, %zu refused\n", copy->name, n,
           counts[CFI_FOUND], counts[CFI_NONE], counts[CFI_REFUSED]);
    return n > 100 && counts[CFI_REFUSED] * 1000 < counts[CFI_FOUND] * 5;
}

enum { MOST_CHANGES = 8 };

static bool mutated(struct tables_copy *copy)
{
    struct {
        size_t at;
        uint8_t old;
    } changes[MOST_CHANGES];
    unsigned n = 1 + (unsigned)(random_number() % MOST_CHANGES);
    size_t functions = n_functions(copy), which = random_number() % functions;
    uintptr_t pc = function(copy, which) + random_number() % 64;
    int32_t fde;
    memcpy(&fde, copy->bytes + copy->hdr + 12 + 8 * which + 4, 4);

    for (unsigned i = 0; i < n; i++) {
        /* In the function's own description mostly, else anywhere, else in the header. */
        uint64_t kind = random_number() % 8;
        size_t at = kind < 6   ? copy->hdr + (size_t)(intptr_t)fde + random_number() % 64
                    : kind < 7 ? random_number() % copy->size
                               : copy->hdr + random_number() % 12;
        changes[i].at = at < copy->size ? at : 0;
        changes[i].old = copy->bytes[changes[i].at];
        copy->bytes[changes[i].at] = random_number() % 4 ? (uint8_t)random_number() : 0xff;
    }
    struct cfi_tables tables = tables_of(copy);
    if (random_number() % 8 == 0) { /* cut off */
        tables.frame_end = tables.frame + random_number() % copy->size;
        if (random_number() % 2)
            tables.hdr_end = tables.hdr + random_number() % (copy->hdr_size + 1);
    }
    struct cfi_rule rule;
    bool good = true;
    if (cfi_find_rule(&tables, pc, &rule) == CFI_FOUND)
        good = sane(&rule);
    cfi_frame_address(&tables);
    while (n-- > 0)
        copy->bytes[changes[n].at] = changes[n].old;
    return good;
}

int main(int argc, char **argv)
{
    static const char *const paths[] = {
        "/lib/x86_64-linux-gnu/libc.so.6",           "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",  "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/usr/bin/python3",
    };
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 300000;
    random_state = argc > 2 ? strtoul(argv[2], NULL, 10) | 1 : 0x9e3779b97f4a7c15u;
    struct tables_copy copies[sizeof paths / sizeof paths[0]] = {0};
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (!read_tables(paths[i], &copies[n]))
            continue;
        if (!as_it_is(&copies[n++])) {
            printf("FAILED: %s\n", paths[i]);
            return 1;
        }
    }
    if (n == 0) {
        printf("none of the libraries is here\n");
        return 77;
    }
    for (unsigned long i = 0; i < rounds; i++) {
        if (!mutated(&copies[i % n])) {
            printf("FAILED: a rule without meaning in round %lu\n", i);
            return 1;
        }
    }
    printf("%lu mutations of %u files\n", rounds, n);
    while (n-- > 0)
        free(copies[n].bytes);
    return 0;
}
