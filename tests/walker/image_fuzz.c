/* test: link=walker cflags=-O1 time=120 quick variant=san,ubsan */
/* image_fuzz.c - the reader of a loaded module's headers, over those of a real library with bytes
 * changed. The library's file is mapped as one piece with an unreadable page before and behind it:
 * a read outside of the module's range is a crash. image_fuzz [ROUNDS] */
#include "modules_elf.h"
#include "walker_stubs.h"
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static uint64_t random_state = 0x2545f4914f6cdd1du;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static struct module_image image_at(uintptr_t start, size_t size, uintptr_t eh_frame_hdr)
{
    struct module_image image = {.map_start = start,
                                 .map_end = start + size,
                                 .bias = start,
                                 .name = "library",
                                 .eh_frame_hdr = eh_frame_hdr};
    module_image_read(&image);
    return image;
}

static bool within(const struct module_image *image, uintptr_t start, uintptr_t end)
{
    return start <= end && (start == end || (start >= image->map_start && end <= image->map_end));
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    int fd = open("/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        printf("no libc.so.6 where Debian has it\n");
        return 77;
    }
    size_t size = ((size_t)status.st_size + 4095) & ~(size_t)4095;
    uint8_t *memory =
        mmap(NULL, size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || pread(fd, memory + 4096, size, 0) != status.st_size)
        return 1;
    close(fd);
    mprotect(memory, 4096, PROT_NONE);
    mprotect(memory + 4096 + size, 4096, PROT_NONE);

    uint8_t *start = memory + 4096;
    const Elf64_Ehdr *elf = (const void *)start;
    Elf64_Phdr *headers = (void *)(start + elf->e_phoff);
    uintptr_t hdr = 0;
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        /* The file lies there flat: addresses are offsets. */
        headers[i].p_vaddr = headers[i].p_offset;
        if (headers[i].p_type == PT_GNU_EH_FRAME)
            hdr = (uintptr_t)start + headers[i].p_vaddr;
    }
    struct module_image image = image_at((uintptr_t)start, size, hdr);
    if (image.identity.build_id_len != 20 || image.eh_frame_hdr != hdr ||
        image.text_end <= image.text_start || image.identity.digest == 0) {
        printf("FAILED: the library as it is: build id of %u bytes\n", image.identity.build_id_len);
        return 1;
    }

    /* As lld lays libraries out: segments begin within a page. */
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X) != 0) {
            headers[i].p_vaddr += 0x5230;
            headers[i].p_offset += 0x1230;
            headers[i].p_filesz -= 0x5230;
            image = image_at((uintptr_t)start, size, hdr);
            if (image.text_start != (uintptr_t)start + headers[i].p_vaddr - 0x230 ||
                image.text_offset != headers[i].p_offset - 0x230) {
                printf("FAILED: text that begins within a page\n");
                return 1;
            }
            headers[i].p_vaddr -= 0x5230;
            headers[i].p_offset -= 0x1230;
            headers[i].p_filesz += 0x5230;
        }
    }

    uint8_t original[4096];
    memcpy(original, start, sizeof original);
    unsigned long unread = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned changes = 1 + (unsigned)(random_number() % 6);
        while (changes-- > 0)
            start[random_number() % (random_number() % 4 ? 1024 : 4096)] =
                random_number() % 3 ? (uint8_t)random_number() : 0xff;
        image = image_at((uintptr_t)start, size, hdr);
        if (!within(&image, image.text_start, image.text_end) ||
            (image.eh_frame_hdr != 0 &&
             (!within(&image, image.eh_frame_hdr, image.eh_frame_hdr_end) ||
              !within(&image, image.eh_start, image.eh_end))) ||
            image.identity.build_id_len > HEAP_BUILD_ID_BYTES) {
            printf("FAILED: a range outside of the module in round %lu\n", i);
            return 1;
        }
        unread += image.identity.digest == 0;
        memcpy(start, original, sizeof original);
    }
    printf("%lu changed headers, %lu not read\n", rounds, unread);
    return 0;
}
