/* test: link=proto time=120 variant=san quick */
/* fuzz_elf.c - names from any ELF file: no crash, no hang, a sound profile. */
#define FUZZ_NAME "elf"
#include "fuzz_main.h"

#include "../proto/proto_test.h"
#include "elf_names.h"

#include <sys/mman.h>
#include <unistd.h>

enum { LOCATIONS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("elf", MFD_CLOEXEC);
    FUZZ_HOLDS(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct profile p;
    profile_init(&p, 0);
    struct profile_mapping m = {
        .id = 1, .start = 0x10000, .limit = 0x80000, .filename = profile_intern_text(&p, path)};
    uint32_t mapping = profile_add_mapping(&p, &m);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        struct profile_location l = {
            .id = i + 1, .address = m.start + size * i / LOCATIONS, .mapping = mapping};
        profile_add_location(&p, &l, NULL, 0);
    }
    uint32_t named = elf_names_apply(&p), with_lines = 0;
    for (uint32_t i = 0; i < p.n_locations; i++)
        with_lines += p.locations[i].n_lines == 1;
    FUZZ_HOLDS(named == with_lines && p.n_locations == LOCATIONS);
    FUZZ_HOLDS(p.mappings[0].has_functions == (named > 0));
    FUZZ_HOLDS(!profile_out_of_range(&p));
    profile_free(&p);
    return 0;
}
