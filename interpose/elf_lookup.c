/* elf_lookup.c - see elf_lookup.h. The tables are those of the System V ABI and of GNU hash. */
#include "elf_lookup.h"

#include "foreign_libc.h"

#include <stddef.h>
#include <stdint.h>

struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    const uint32_t *gnu_hash, *sysv_hash;
    const uint16_t *versions;
};

const struct link_map *elf_first_object(void)
{
    return libc_is_glibc() ? _r_debug.r_map : NULL;
}

const struct link_map *elf_own_object(void)
{
    const struct link_map *object = elf_first_object();
    while (object != NULL && object->l_ld != _DYNAMIC)
        object = object->l_next;
    return object;
}

/* The loader relocates these pointers in place, but not in a read-only dynamic section (vDSO). */
static const void *dynamic_pointer(const struct link_map *object, const ElfW(Dyn) * d)
{
    return (const void *)(d->d_un.d_ptr < object->l_addr ? d->d_un.d_ptr + object->l_addr
                                                         : d->d_un.d_ptr);
}

static bool read_dynamic(const struct link_map *object, struct symbols *s)
{
    *s = (struct symbols){0};
    if (object == NULL || object->l_ld == NULL)
        return false;
    for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            s->table = dynamic_pointer(object, d);
            break;
        case DT_STRTAB:
            s->names = dynamic_pointer(object, d);
            break;
        case DT_GNU_HASH:
            s->gnu_hash = dynamic_pointer(object, d);
            break;
        case DT_HASH:
            s->sysv_hash = dynamic_pointer(object, d);
            break;
        case DT_VERSYM:
            s->versions = dynamic_pointer(object, d);
            break;
        }
    }
    return s->table != NULL && s->names != NULL && (s->gnu_hash != NULL || s->sysv_hash != NULL);
}

/* The C library's strcmp may be a sanitizer's, which starts the sanitizer (sanitizer.h). */
static bool same_name(const char *a, const char *b)
{
    while (*a == *b && *a != '\0')
        a++, b++;
    return *a == *b;
}

static bool matches(const struct symbols *s, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &s->table[i];
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           (s->versions == NULL || !(s->versions[i] & 0x8000)) &&
           same_name(s->names + symbol->st_name, name);
}

static uint32_t find_gnu(const struct symbols *s, const char *name)
{
    uint32_t hash = 5381;
    for (const char *c = name; *c != '\0'; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t n_buckets = s->gnu_hash[0], first = s->gnu_hash[1], bloom_words = s->gnu_hash[2];
    const uint32_t *buckets =
        s->gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + n_buckets;
    if (n_buckets == 0)
        return 0;
    uint32_t i = buckets[hash % n_buckets];
    if (i < first)
        return 0;
    for (;; i++) {
        uint32_t h = chain[i - first];
        if ((h | 1) == (hash | 1) && matches(s, i, name))
            return i;
        if (h & 1)
            return 0;
    }
}

static uint32_t find_sysv(const struct symbols *s, const char *name)
{
    uint32_t hash = 0;
    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    uint32_t n_buckets = s->sysv_hash[0], n_chain = s->sysv_hash[1];
    const uint32_t *buckets = s->sysv_hash + 2, *chain = buckets + n_buckets;
    if (n_buckets == 0)
        return 0;
    for (uint32_t i = buckets[hash % n_buckets]; i != 0 && i < n_chain; i = chain[i])
        if (matches(s, i, name))
            return i;
    return 0;
}

bool elf_define(const struct link_map *object, const char *name, struct elf_definition *found)
{
    struct symbols s;
    if (!read_dynamic(object, &s))
        return false;
    uint32_t i = s.gnu_hash != NULL ? find_gnu(&s, name) : find_sysv(&s, name);
    if (i == 0)
        return false;
    *found = (struct elf_definition){.address = (void *)(object->l_addr + s.table[i].st_value),
                                     .symbol = &s.table[i],
                                     .name = s.names + s.table[i].st_name};
    if (ELF64_ST_TYPE(s.table[i].st_info) == STT_GNU_IFUNC)
        found->address = ((void *(*)(void))found->address)();
    return true;
}

void *elf_lookup_in(const struct link_map *object, const char *name)
{
    struct elf_definition found;
    return elf_define(object, name, &found) ? found.address : NULL;
}

void *elf_lookup_from(const struct link_map *from, const char *name, const struct link_map **object)
{
    for (; from != NULL; from = from->l_next) {
        void *found = elf_lookup_in(from, name);
        if (found != NULL) {
            if (object != NULL)
                *object = from;
            return found;
        }
    }
    return NULL;
}
