/* modules_permanent.c - the closure of "needed" over the modules that were loaded at start. */
#include "modules_permanent.h"
#include "foreign_libc.h"
#include "hash.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

enum { MAX_PERMANENT = 512 }; /* further ones are treated like any library */

static uintptr_t permanent[MAX_PERMANENT]; /* written once by init */
static unsigned n_permanent;

struct candidate {
    const struct link_map *map;
    const char *strings;
    uint64_t soname_hash, file_hash; /* of DT_SONAME ("" if it has none) and of the file's name */
    bool permanent;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Hashes, since in programs with hundreds of libraries hundreds of thousands of names are compared,
 * and that at every start. */
static uint64_t name_hash(const char *name)
{
    return hash_bytes(0, name, strlen(name));
}

/* glibc relocates DT_STRTAB in place, except where it can't (the vDSO). */
static void read_dynamic(struct candidate *c)
{
    uintptr_t strings = 0, soname = 0;
    for (const ElfW(Dyn) *d = c->map->l_ld; d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB)
            strings = d->d_un.d_ptr;
        else if (d->d_tag == DT_SONAME)
            soname = d->d_un.d_val;
    }
    if (strings != 0 && strings < c->map->l_addr)
        strings += c->map->l_addr;
    c->strings = (const char *)strings;
    c->soname_hash = name_hash(strings != 0 && soname != 0 ? c->strings + soname : "");
    c->file_hash = name_hash(base_name(c->map->l_name));
}

static void mark_needed(struct candidate *all, unsigned n, const char *name)
{
    uint64_t hash = name_hash(base_name(name));
    for (unsigned i = 0; i < n; i++) {
        if (all[i].soname_hash == hash || all[i].file_hash == hash)
            all[i].permanent = true;
    }
}

static bool is_root(const struct link_map *map)
{
    Dl_info own;
    return map->l_name == NULL || map->l_name[0] == 0 || map->l_addr == getauxval(AT_BASE) ||
           map->l_addr == getauxval(AT_SYSINFO_EHDR) ||
           (dladdr(&n_permanent, &own) != 0 && (uintptr_t)own.dli_fbase == map->l_addr);
}

void modules_permanent_init(void)
{
    static struct candidate all[MAX_PERMANENT];
    unsigned n = 0;
    if (!libc_is_glibc() || n_permanent != 0)
        return;
    for (const struct link_map *m = _r_debug.r_map; m != NULL && n < MAX_PERMANENT; m = m->l_next) {
        all[n] = (struct candidate){.map = m, .permanent = is_root(m)};
        read_dynamic(&all[n++]);
    }

    static bool expanded[MAX_PERMANENT];
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < n; i++) {
            if (!all[i].permanent || expanded[i])
                continue;
            expanded[i] = again = true;
            for (const ElfW(Dyn) *d = all[i].map->l_ld;
                 d != NULL && d->d_tag != DT_NULL && all[i].strings != NULL; d++) {
                if (d->d_tag == DT_NEEDED)
                    mark_needed(all, n, all[i].strings + d->d_un.d_val);
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        struct dl_find_object found;
        if (all[i].permanent && _dl_find_object((void *)all[i].map->l_ld, &found) == 0)
            permanent[n_permanent++] = (uintptr_t)found.dlfo_map_start;
    }
}

bool modules_is_permanent(uintptr_t map_start)
{
    for (unsigned i = 0; i < n_permanent; i++) {
        if (permanent[i] == map_start)
            return true;
    }
    return false;
}
