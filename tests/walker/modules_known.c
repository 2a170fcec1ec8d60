/* test: link=walker cflags=-O1 time=60 quick */
/* modules_known.c - what is recorded of a module: path, build id, ranges and file offset, held
 * against the file itself and what the loader says; ids are kept, and one more id for one more
 * module. The program, the C library, the vDSO, and a library by a relative path. */
#include "modules.h"
#include "walker_stubs.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

static int failures;

static void check(bool good, const char *what, const char *module)
{
    if (good)
        return;
    printf("FAILED: %s: %s\n", module, what);
    failures++;
}

struct wanted {
    uintptr_t pc, bias;
    const uint8_t *build_id;
    size_t build_id_len;
    bool found;
};

static int ask_loader(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct wanted *wanted = argument;
    bool here = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        here = here || (info->dlpi_phdr[i].p_type == PT_LOAD && wanted->pc >= start &&
                        wanted->pc < start + info->dlpi_phdr[i].p_memsz);
    }
    if (!here)
        return 0;
    wanted->found = true;
    wanted->bias = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const uint8_t *at = (const uint8_t *)(info->dlpi_addr + header->p_vaddr);
        const uint8_t *end = at + header->p_memsz;
        while (header->p_type == PT_NOTE && header->p_align <= 4 &&
               end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)at;
            at += sizeof *note + ((note->n_namesz + 3u) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID) {
                wanted->build_id = at;
                wanted->build_id_len = note->n_descsz;
            }
            at += (note->n_descsz + 3u) & ~3u;
        }
    }
    return 1;
}

static uint32_t check_module(uintptr_t pc, const char *path)
{
    struct module_view view, again;
    struct wanted wanted = {.pc = pc};
    check(modules_find(pc, &view) && view.id != 0, "not found", path);
    check(modules_find(pc, &again) && again.id == view.id, "another id the second time", path);
    check(modules_check(view.id, pc), "not the same module a moment later", path);
    check(!modules_check(view.id + 1, pc), "taken for a module that isn't there", path);
    const struct heap_module *m = tables_module(view.id);
    if (m == NULL) {
        check(false, "no record", path);
        return 0;
    }
    check(m->valid == 1 && m->unloaded_ns == 0, "not a valid record of a loaded module", path);
    check(m->path_len == strlen(path) && memcmp(m->path, path, m->path_len) == 0, "path", path);
    check(m->map_start <= pc && pc < m->map_end, "map range", path);
    check(m->text_start <= pc && pc < m->text_end, "text range", path);
    check(m->text_start % 4096 == 0 && m->text_offset % 4096 == 0, "text isn't aligned", path);
    dl_iterate_phdr(ask_loader, &wanted);
    check(wanted.found && m->bias == wanted.bias, "bias", path);
    check(m->build_id_len == wanted.build_id_len && m->build_id_len >= 16 &&
              memcmp(m->build_id, wanted.build_id, m->build_id_len) == 0,
          "build id", path);
    int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        uint8_t bytes[16];
        check(pread(fd, bytes, sizeof bytes, (off_t)(m->text_offset + (pc - m->text_start))) ==
                      sizeof bytes &&
                  memcmp(bytes, (const void *)pc, sizeof bytes) == 0,
              "the file has other code at that offset", path);
        close(fd);
    } else {
        check(path[0] == '[', "no such file", path);
    }
    return view.id;
}

int main(void)
{
    char exe[PATH_MAX] = "", folder[PATH_MAX], path[PATH_MAX + 16];
    struct module_view view;
    Dl_info libc;
    void *qsort_at = dlsym(RTLD_DEFAULT, "qsort");
    if (readlink("/proc/self/exe", exe, sizeof exe - 1) <= 0 || !unwind_init(NULL) ||
        dladdr(qsort_at, &libc) == 0)
        return 1;
    uint32_t program = check_module((uintptr_t)main, exe);
    uint32_t c = check_module((uintptr_t)qsort_at, libc.dli_fname);
    check(program != c, "two modules with one id", exe);
    check(modules_find((uintptr_t)main, &view) && view.permanent, "can't be unloaded", exe);
    check(modules_find((uintptr_t)qsort_at, &view) && view.permanent, "can't be unloaded", "libc");
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso != 0 && modules_find(vdso + 0x800, &view)) {
        const struct heap_module *m = tables_module(view.id);
        check(m != NULL && m->path_len == 6 && memcmp(m->path, "[vdso]", 6) == 0, "path", "[vdso]");
        check(m != NULL && m->build_id_len > 0 && view.eh_frame_hdr != NULL, "tables", "[vdso]");
    } else {
        check(vdso == 0, "not found", "[vdso]");
    }

    strcpy(folder, exe);
    if (chdir(dirname(folder)) != 0)
        return 1;
    void *handle = dlopen("./twin_a.so", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || getcwd(folder, sizeof folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/./twin_a.so", folder);
    uintptr_t twin = (uintptr_t)dlsym(handle, "twin_call");
    uint32_t id = check_module(twin, path);
    check(modules_find(twin, &view) && !view.permanent, "taken for permanent", path);
    dlclose(handle);
    check(!modules_check(id, twin) && !modules_find(twin, &view), "found after dlclose", path);
    check(id != 0 && tables_module(id)->unloaded_ns != 0, "not marked as unloaded", path);

    check(!modules_find(0, &view) && !modules_find((uintptr_t)&view, &view) &&
              !modules_find(UINTPTR_MAX, &view),
          "found", "nowhere");
    printf("%u modules, %d failures\n", stub_n_modules, failures);
    return failures != 0;
}
