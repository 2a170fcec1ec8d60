/* modules.c - the registry of modules that stacks have shown: which id each got, and whether the
 * module at an address is still the one that was given it. modules_elf.c reads a module's headers;
 * the records that readers see are tables.c's. */
#include "modules.h"
#include "arch_x86_64.h"
#include "foreign_libc.h"
#include "hook_state.h"
#include "modules_elf.h"
#include "modules_permanent.h"
#include "spin.h"
#include "tables.h"
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

/* What the registry keeps of a module beside its record in the tables: written once, before the id
 * is published in a bucket (release), read without a lock. */
struct known {
    struct module_image image;
    bool permanent;
    atomic_bool gone; /* seen to be unloaded, until it is seen again */
    uint32_t next;    /* id of the next in the bucket, 0 ends */
};

enum {
    CHUNK = 256, /* modules to a chunk: few programs need a second */
    N_CHUNKS = (HEAP_MAX_MODULES + CHUNK) / CHUNK,
    N_BUCKETS = 1024,
};

static struct known first_chunk[CHUNK];
static struct known *_Atomic chunks[N_CHUNKS] = {first_chunk}; /* release */
static _Atomic uint32_t buckets[N_BUCKETS];                    /* ids; release */
static struct spin adding; /* not in a wiped page: modules_after_fork frees it */
static uint32_t last_id;   /* guarded by adding */

static char program_path[HEAP_PATH_BYTES];
static uint32_t program_path_len;
static uintptr_t vdso;
static uintptr_t program_headers; /* of the program, in memory */

void modules_init(void)
{
    if (_dl_find_object == NULL)
        hook_complain("modules", "stacks: this C library has no _dl_find_object",
                      "frame pointers are used instead; glibc 2.35 or later gives full stacks");
    program_path_len = (uint32_t)raw_own_exe(program_path, sizeof program_path);
    vdso = getauxval(AT_SYSINFO_EHDR);
    program_headers = getauxval(AT_PHDR);
    modules_permanent_init();
}

static struct known *known_of(uint32_t id)
{
    struct known *chunk = atomic_load_explicit(&chunks[id / CHUNK], memory_order_acquire);
    return chunk == NULL ? NULL : &chunk[id % CHUNK];
}

static _Atomic uint32_t *bucket_of(uintptr_t map_start)
{
    return &buckets[(map_start / ARCH_PAGE * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

static bool same_identity(const struct module_image *a, const struct module_image *b)
{
    if (a->identity.build_id_len != b->identity.build_id_len)
        return false;
    if (a->identity.build_id_len != 0)
        return memcmp(a->identity.build_id, b->identity.build_id, a->identity.build_id_len) == 0;
    return a->identity.digest == b->identity.digest;
}

/* A page of the module's own, for its ELF header, may be shorter than a page in the file: the
 * mapping is not, so ranges are compared page by page. */
static bool holds(const void *loaded, uintptr_t start, uintptr_t end)
{
    struct dl_find_object found;
    return _dl_find_object((void *)start, &found) == 0 && found.dlfo_link_map == loaded &&
           start >= (uintptr_t)found.dlfo_map_start &&
           end <= (((uintptr_t)found.dlfo_map_end + ARCH_PAGE - 1) & ~(uintptr_t)(ARCH_PAGE - 1));
}

/* The loader tells the segment of pc alone where a module has gaps between its segments (it could
 * have other mappings in them): then the ELF header is looked for where it must be. */
static uintptr_t header_of(const struct dl_find_object *found)
{
    const struct link_map *map = found->dlfo_link_map;
    bool is_program = map->l_name == NULL || map->l_name[0] == 0;
    uintptr_t header = is_program ? program_headers : map->l_addr;
    header &= ~(uintptr_t)(ARCH_PAGE - 1);
    return header == (uintptr_t)found->dlfo_map_start ? 0 : header;
}

static struct module_image image_of(const struct dl_find_object *found)
{
    struct module_image image = {.map_start = (uintptr_t)found->dlfo_map_start,
                                 .map_end = (uintptr_t)found->dlfo_map_end,
                                 .bias = found->dlfo_link_map->l_addr,
                                 .name = found->dlfo_link_map->l_name,

                                 .header_start = header_of(found),
                                 .loaded = found->dlfo_link_map,
                                 .holds = holds,
                                 .eh_frame_hdr = (uintptr_t)found->dlfo_eh_frame};
    module_image_read(&image);
    return image;
}

/* Whether what the loader has found is still the module k. The build id is compared where it was if
 * that is in the first page, which is always mapped, else everything is read again. */
static bool still(const struct known *k, const struct dl_find_object *found)
{
    const struct module_identity *id = &k->image.identity;
    if (k->image.map_start != (uintptr_t)found->dlfo_map_start ||
        k->image.map_end != (uintptr_t)found->dlfo_map_end)
        return false;
    if (k->permanent)
        return true;
    if (id->build_id_len != 0 && id->build_id_offset + id->build_id_len <= ARCH_PAGE)
        return memcmp((const uint8_t *)k->image.map_start + id->build_id_offset, id->build_id,
                      id->build_id_len) == 0;
    struct module_image image = image_of(found);
    return same_identity(&k->image, &image);
}

static uint32_t lookup(const struct dl_find_object *found)
{
    uint32_t id =
        atomic_load_explicit(bucket_of((uintptr_t)found->dlfo_map_start), memory_order_acquire);
    while (id != 0) {
        const struct known *k = known_of(id);
        if (still(k, found))
            return id;
        id = k->next;
    }
    return 0;
}

static int64_t coarse_now(void)
{
    struct timespec now; /* coarse: the vDSO always has it, so it is never a system call */
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void set_gone(uint32_t id, bool gone)
{
    struct known *k = known_of(id);
    struct heap_module *record = tables_module(id);
    if (k == NULL || atomic_exchange(&k->gone, gone) == gone || record == NULL)
        return;
    __atomic_store_n(&record->unloaded_ns, gone ? coarse_now() : 0, __ATOMIC_RELAXED);
}

/* Under adding: whoever lies where this module lies now is gone. */
static void set_overlapped_gone(uint32_t id)
{
    const struct module_image *here = &known_of(id)->image;
    for (uint32_t other = 1; other <= last_id; other++) {
        const struct known *k = known_of(other);
        if (other != id && k != NULL && k->image.map_start < here->map_end &&
            k->image.map_end > here->map_start)
            set_gone(other, true);
    }
}

static bool ensure_chunk(uint32_t id)
{
    if (known_of(id) != NULL)
        return true;
    if (hook_quiet())
        return false;
    void *chunk = raw_map_private(CHUNK * sizeof(struct known));
    if (chunk == NULL)
        return false;
    atomic_store_explicit(&chunks[id / CHUNK], chunk, memory_order_release);
    return true;
}

static void set_path(struct heap_module *record, const struct link_map *map)
{
    if (record->map_start == vdso) {
        record->path_len = sizeof "[vdso]" - 1;
        memcpy(record->path, "[vdso]", record->path_len);
    } else if (map->l_name == NULL || map->l_name[0] == 0) {
        record->path_len = program_path_len;
        memcpy(record->path, program_path, program_path_len);
    } else {
        size_t at = 0;
        /* What dlopen was given relative to the working directory is meant as of now. */
        if (map->l_name[0] != '/' && !hook_quiet() &&
            raw_syscall(SYS_getcwd, (long)record->path, HEAP_PATH_BYTES, 0, 0, 0, 0) > 0 &&
            record->path[0] == '/') {
            at = strnlen(record->path, HEAP_PATH_BYTES - 1);
            if (record->path[at - 1] != '/')
                record->path[at++] = '/';
        }
        size_t length = strnlen(map->l_name, HEAP_PATH_BYTES - at);
        memcpy(record->path + at, map->l_name, length);
        record->path_len = (uint32_t)(at + length);
    }
}

/* Under adding. */
static uint32_t add(const struct dl_find_object *found)
{
    if (last_id >= HEAP_MAX_MODULES || !ensure_chunk(last_id + 1))
        return 0;
    struct module_image image = image_of(found);
    struct heap_module record = {.valid = 1,
                                 .build_id_len = image.identity.build_id_len,
                                 .map_start = image.map_start,
                                 .map_end = image.map_end,
                                 .bias = image.bias,
                                 .text_start = image.text_start,
                                 .text_end = image.text_end,
                                 .text_offset = image.text_offset};
    memcpy(record.build_id, image.identity.build_id, sizeof record.build_id);
    set_path(&record, found->dlfo_link_map);
    uint32_t id = tables_add_module(&record);
    if (id == 0 || id > HEAP_MAX_MODULES || !ensure_chunk(id))
        return 0;

    struct known *k = known_of(id);
    _Atomic uint32_t *bucket = bucket_of(image.map_start);
    k->image = image;
    k->permanent = modules_is_permanent(image.map_start);
    k->next = atomic_load_explicit(bucket, memory_order_relaxed);
    last_id = id > last_id ? id : last_id;
    set_overlapped_gone(id);
    atomic_store_explicit(bucket, id, memory_order_release);
    return id;
}

static uint32_t lookup_or_add(const struct dl_find_object *found)
{
    uint32_t id = lookup(found);
    if (id != 0 && !atomic_load_explicit(&known_of(id)->gone, memory_order_relaxed))
        return id;
    /* An abandoned lock guards nothing half done that counts: a module is known once it is in its
     * bucket, and that is the last step. */
    if (spin_lock(&adding) == SPIN_FAILED)
        return id;
    id = lookup(found);
    if (id == 0) {
        id = add(found);
    } else if (atomic_load_explicit(&known_of(id)->gone, memory_order_relaxed)) {
        set_gone(id, false);
        set_overlapped_gone(id);
    }
    spin_unlock(&adding);
    return id;
}

bool modules_find(uintptr_t pc, struct module_view *view)
{
    struct dl_find_object found;
    if (_dl_find_object == NULL || _dl_find_object((void *)pc, &found) != 0)
        return false;
    uint32_t id = lookup_or_add(&found);
    struct module_image unregistered;
    const struct module_image *image = &unregistered;
    *view = (struct module_view){.id = id};
    if (id != 0) {
        image = &known_of(id)->image;
        view->permanent = known_of(id)->permanent;
    } else {
        unregistered = image_of(&found);
    }
    view->map_start = image->map_start;
    view->map_end = image->map_end;
    view->text_start = image->text_start;
    view->text_end = image->text_end;
    view->eh_frame_hdr = (const void *)image->eh_frame_hdr;
    view->eh_frame_hdr_end = image->eh_frame_hdr_end;
    view->eh_start = image->eh_start;
    view->eh_end = image->eh_end;
    return true;
}

bool modules_check(uint32_t id, uintptr_t pc)
{
    const struct known *k = known_of(id);
    struct dl_find_object found;
    if (k == NULL || _dl_find_object == NULL)
        return false;
    if (_dl_find_object((void *)pc, &found) != 0) {
        set_gone(id, true);
        return false;
    }
    return still(k, &found) && !atomic_load_explicit(&k->gone, memory_order_relaxed);
}

void modules_after_fork(void)
{
    spin_unlock(&adding);
}
