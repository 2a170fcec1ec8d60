/* elf_scope.c - see elf_scope.h. */
#include "elf_scope.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include "arch_x86_64.h"
#include "foreign_libc.h"
#include "hook_state.h"
#include "raw_sys.h"

enum { MAX_OBJECTS = 8192, MAX_SCOPE = 128, MAX_NAME = 256, MAX_DYNAMIC = 64, TRIES = 8 };

/* How many of n bytes could be read, from the first on. */
static size_t copy_some(void *to, const void *from, size_t n)
{
    struct iovec local = {to, n}, remote = {(void *)from, n};
    long got =
        raw_syscall(SYS_process_vm_readv, raw_getpid(), (long)&local, 1, (long)&remote, 1, 0);
    if (got >= 0)
        return (size_t)got;
    if (got == -EFAULT)
        return 0;
    /* Not allowed here (a container's filter): look, then copy. The gap between the two is what the
     * other way does not have. */
    size_t done = 0;
    while (done < n) {
        uintptr_t at = (uintptr_t)from + done;
        size_t in_page = ARCH_PAGE - at % ARCH_PAGE;
        size_t part = n - done < in_page ? n - done : in_page;
        if (at >= ARCH_USER_END || !arch_probe_readable(at & ~(uintptr_t)(ARCH_WORD - 1)))
            break;
        memcpy((char *)to + done, (const void *)at, part);
        done += part;
    }
    return done;
}

static bool copy_all(void *to, const void *from, size_t n)
{
    return copy_some(to, from, n) == n;
}

static bool copy_name(char name[MAX_NAME], const char *from)
{
    size_t n = copy_some(name, from, MAX_NAME);
    return memchr(name, 0, n) != NULL;
}

static bool file_is_called(const struct link_map *entry, const char *wanted)
{
    char name[MAX_NAME];
    if (!copy_name(name, entry->l_name))
        return false;
    const char *slash = strrchr(name, '/');
    return strcmp(slash != NULL ? slash + 1 : name, wanted) == 0;
}

static bool soname_is(const struct link_map *entry, const char *wanted)
{
    ElfW(Dyn) dynamic[MAX_DYNAMIC];
    uintptr_t strings = 0, soname = 0;
    size_t n = copy_some(dynamic, entry->l_ld, sizeof dynamic) / sizeof dynamic[0];
    for (size_t i = 0; i < n && dynamic[i].d_tag != DT_NULL; i++) {
        if (dynamic[i].d_tag == DT_STRTAB)
            strings = dynamic[i].d_un.d_ptr;
        else if (dynamic[i].d_tag == DT_SONAME)
            soname = dynamic[i].d_un.d_val;
    }
    if (strings == 0 || soname == 0)
        return false;
    if (strings < entry->l_addr)
        strings += entry->l_addr;
    char name[MAX_NAME];
    return copy_name(name, (const char *)strings + soname) && strcmp(name, wanted) == 0;
}

static bool is_loaded(const struct link_map *map, const struct link_map *entry)
{
    struct dl_find_object found;
    return _dl_find_object(entry->l_ld, &found) == 0 && found.dlfo_link_map == map;
}

/* One walk over the list. False when somebody changed it under us: an entry was not what it seemed.
 * (The kernel's own object stands in the list and nowhere else.) */
static bool walk(bool (*answers)(const struct link_map *, const char *), const char *wanted,
                 const struct link_map **out)
{
    const struct link_map *map = elf_first_object();
    struct link_map entry;
    bool sound = true;
    for (unsigned n = 0; map != NULL; map = entry.l_next, n++) {
        if (n == MAX_OBJECTS || !copy_all(&entry, map, sizeof entry))
            return false;
        if (!is_loaded(map, &entry)) {
            sound = sound && entry.l_addr == getauxval(AT_SYSINFO_EHDR);
        } else if (answers(&entry, wanted)) {
            *out = map;
            return true;
        }
    }
    return sound;
}

const struct link_map *elf_scope_loaded(const char *name)
{
    const struct link_map *found = NULL;
    if (hook_quiet())
        return NULL;
    for (int i = 0; i < TRIES && !walk(file_is_called, name, &found); i++)
        ;
    for (int i = 0; i < TRIES && found == NULL && !walk(soname_is, name, &found); i++)
        ;
    return found;
}

/* object can't go away, and so can't what it needs. */
static unsigned add_needed(const struct link_map *object, const struct link_map **scope, unsigned n)
{
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = object->l_ld; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)(d->d_un.d_ptr < object->l_addr ? d->d_un.d_ptr + object->l_addr
                                                                    : d->d_un.d_ptr);
    for (const ElfW(Dyn) *d = object->l_ld; d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED || strings == NULL || n == MAX_SCOPE)
            continue;
        const char *slash = strrchr(strings + d->d_un.d_val, '/');
        const struct link_map *needed =
            elf_scope_loaded(slash != NULL ? slash + 1 : strings + d->d_un.d_val);
        unsigned i = 0;
        while (i < n && scope[i] != needed)
            i++;
        if (needed != NULL && i == n)
            scope[n++] = needed;
    }
    return n;
}

const struct link_map *elf_scope_find(const struct link_map *object, const char *name,
                                      struct elf_definition *found)
{
    const struct link_map *scope[MAX_SCOPE] = {object};
    struct dl_find_object own = {.dlfo_link_map = NULL};
    unsigned n = object != NULL;
    _dl_find_object((void *)elf_scope_find, &own);
    for (unsigned i = 0; i < n; i++) {
        if (scope[i] != own.dlfo_link_map && elf_define(scope[i], name, found))
            return scope[i];
        if (!hook_quiet())
            n = add_needed(scope[i], scope, n);
    }
    return NULL;
}

bool elf_scope_stays(const struct link_map *object)
{
    const ElfW(Rela) *relocations = NULL;
    const ElfW(Sym) *symbols = NULL;
    size_t size = 0;
    for (const ElfW(Dyn) *d = object->l_ld; d != NULL && d->d_tag != DT_NULL; d++) {
        uintptr_t pointer = d->d_un.d_ptr + (d->d_un.d_ptr < object->l_addr ? object->l_addr : 0);
        if (d->d_tag == DT_FLAGS_1 && d->d_un.d_val & DF_1_NODELETE)
            return true;
        if (d->d_tag == DT_RELA)
            relocations = (const void *)pointer;
        else if (d->d_tag == DT_RELASZ)
            size = d->d_un.d_val;
        else if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)pointer;
    }
    for (size_t i = 0; relocations != NULL && symbols != NULL && i < size / sizeof *relocations;
         i++) {
        const ElfW(Rela) *r = &relocations[i];
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(r->r_info)];
        if (ELF64_R_TYPE(r->r_info) == ARCH_RELOCATION_GLOBAL &&
            ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE && symbol->st_shndx != SHN_UNDEF &&
            *(const ElfW(Addr) *)(object->l_addr + r->r_offset) ==
                object->l_addr + symbol->st_value)
            return true;
    }
    return false;
}
