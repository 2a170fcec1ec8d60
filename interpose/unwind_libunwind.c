/* unwind_libunwind.c - libunwind as a walker (APPROF_UNWIND=libunwind), and as the one to ask when
 * our CFI reader refuses a rule (APPROF_UNWIND=approf+libunwind).
 *
 * Used through its remote interface, so that every read of memory is ours and checked, and nothing
 * of its local state (pipes, per-thread caches, dl_iterate_phdr) comes into play. It is opened in
 * the constructor with RTLD_LOCAL, and only when it was asked for: opening it makes the loader
 * allocate from the target's heap. It takes locks of its own and masks signals around them, so it
 * isn't used in a forked child nor once hook_quiet(); then our own walker does the work.
 */
#include "arch_x86_64.h"
#include "hook_state.h"
#include "modules.h"
#include "unwind_backend.h"
#include <dlfcn.h>
#include <libunwind.h>
#include <stdatomic.h>

static struct {
    unw_addr_space_t space;
    __typeof__(&unw_create_addr_space) create_addr_space;
    __typeof__(&unw_set_caching_policy) set_caching_policy;
    __typeof__(&unw_init_remote) init_remote;
    __typeof__(&unw_step) step;
    __typeof__(&unw_get_reg) get_reg;
    __typeof__(&unw_is_signal_frame) is_signal_frame;
    int (*search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *,
                               int, void *);
} lib; /* written once, by the constructor */

static atomic_bool usable;

/* libunwind's search wants the table behind .eh_frame_hdr's header, which is of fixed size in the
 * only form that linkers write: four bytes of encodings, two numbers of four. */
enum { HEADER_BYTES = 12, TABLE_ENTRY_BYTES = 8 };

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need,
                          void *arg)
{
    static const uint8_t usual[4] = {1, 0x1b, 0x03, 0x3b};
    struct module_view module;
    uint32_t count;
    if (!modules_find(ip, &module) || module.eh_frame_hdr == NULL ||
        module.eh_frame_hdr_end - (uintptr_t)module.eh_frame_hdr < HEADER_BYTES ||
        memcmp(module.eh_frame_hdr, usual, sizeof usual) != 0)
        return -UNW_ENOINFO;
    memcpy(&count, (const uint8_t *)module.eh_frame_hdr + 8, sizeof count);
    if (count > (module.eh_frame_hdr_end - (uintptr_t)module.eh_frame_hdr - HEADER_BYTES) /
                    TABLE_ENTRY_BYTES)
        return -UNW_ENOINFO;
    unw_dyn_info_t table = {.format = UNW_INFO_FORMAT_REMOTE_TABLE,
                            .start_ip = module.map_start,
                            .end_ip = module.map_end};
    table.u.rti.segbase = (unw_word_t)module.eh_frame_hdr;
    table.u.rti.table_data = (unw_word_t)module.eh_frame_hdr + HEADER_BYTES;
    table.u.rti.table_len = (unw_word_t)count * TABLE_ENTRY_BYTES / sizeof(unw_word_t);
    return lib.search_unwind_table(space, ip, &table, info, need, arg);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
    (void)space, (void)info, (void)arg; /* libunwind frees what its search allocated */
}

static int no_dynamic_info(unw_addr_space_t space, unw_word_t *address, void *arg)
{
    (void)space, (void)address, (void)arg;
    return -UNW_ENOINFO;
}

static bool inside(uintptr_t address, uintptr_t start, uintptr_t end)
{
    return address >= start && address < end && end - address >= sizeof(unw_word_t);
}

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
                      void *arg)
{
    struct walk *walk = arg;
    struct module_view module;
    (void)space;
    if (write)
        return -UNW_EINVAL;
    if (address % ARCH_WORD == 0 && bounds_hold(&walk->region, address)) {
        memcpy(value, (const void *)address, sizeof *value);
        return 0;
    }
    if (!modules_find(address, &module))
        return -UNW_EINVAL;
    /* Elsewhere in a module it looks for the address of a personality routine, which isn't used. */
    *value = 0;
    if (inside(address, module.text_start, module.text_end) ||
        inside(address, module.eh_start, module.eh_end) ||
        inside(address, (uintptr_t)module.eh_frame_hdr, module.eh_frame_hdr_end))
        memcpy(value, (const void *)address, sizeof *value);
    return 0;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write,
                      void *arg)
{
    const struct walk *walk = arg;
    (void)space;
    if (write)
        return -UNW_EREADONLYREG;
    switch (reg) {
    case UNW_X86_64_RIP:
        *value = walk->pc - 1; /* inside the instruction, whichever way it was left */
        return 0;
    case UNW_X86_64_RSP:
        *value = walk->sp;
        return 0;
    case UNW_X86_64_RBP:
        *value = walk->fp;
        return 0;
    default:
        return -UNW_EBADREG;
    }
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write,
                        void *arg)
{
    (void)space, (void)reg, (void)value, (void)write, (void)arg;
    return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
    (void)space, (void)cursor, (void)arg;
    return -UNW_EINVAL;
}

static int no_proc_name(unw_addr_space_t space, unw_word_t address, char *buffer, size_t size,
                        unw_word_t *offset, void *arg)
{
    (void)space, (void)address, (void)buffer, (void)size, (void)offset, (void)arg;
    return -UNW_ENOINFO;
}

/* The names carry libunwind's prefix for this processor, as its header makes them. */
#define NAME_OF(function) NAME_TEXT(function)
#define NAME_TEXT(name)   #name

static bool init(void)
{
    static unw_accessors_t accessors = {
        .find_proc_info = find_proc_info,
        .put_unwind_info = put_unwind_info,
        .get_dyn_info_list_addr = no_dynamic_info,
        .access_mem = access_mem,
        .access_reg = access_reg,
        .access_fpreg = access_fpreg,
        .resume = no_resume,
        .get_proc_name = no_proc_name,
    };
    void *handle = dlopen("libunwind-x86_64.so.8", RTLD_LOCAL | RTLD_NOW);
    if (handle == NULL)
        return false;
    lib.create_addr_space = dlsym(handle, NAME_OF(unw_create_addr_space));
    lib.set_caching_policy = dlsym(handle, NAME_OF(unw_set_caching_policy));
    lib.init_remote = dlsym(handle, NAME_OF(unw_init_remote));
    lib.step = dlsym(handle, NAME_OF(unw_step));
    lib.get_reg = dlsym(handle, NAME_OF(unw_get_reg));
    lib.is_signal_frame = dlsym(handle, NAME_OF(unw_is_signal_frame));
    lib.search_unwind_table = dlsym(handle, NAME_OF(UNW_OBJ(dwarf_search_unwind_table)));
    if (lib.create_addr_space == NULL || lib.set_caching_policy == NULL ||
        lib.init_remote == NULL || lib.step == NULL || lib.get_reg == NULL ||
        lib.is_signal_frame == NULL || lib.search_unwind_table == NULL)
        return false;
    lib.space = lib.create_addr_space(&accessors, 0);
    if (lib.space == NULL)
        return false;
    lib.set_caching_policy(lib.space, UNW_CACHE_NONE); /* it doesn't notice dlclose */
    atomic_store(&usable, true);
    return true;
}

static bool is_usable(void)
{
    return atomic_load_explicit(&usable, memory_order_relaxed) && !hook_quiet();
}

static enum walk_step registers_of(unw_cursor_t *cursor, struct walk *walk)
{
    unw_word_t pc, sp, fp;
    /* True of the frame that the last step came to, if it came from a signal frame. */
    bool interrupted = lib.is_signal_frame(cursor) > 0;
    if (lib.get_reg(cursor, UNW_REG_IP, &pc) != 0 || lib.get_reg(cursor, UNW_REG_SP, &sp) != 0)
        return WALK_LOST;
    if (lib.get_reg(cursor, UNW_X86_64_RBP, &fp) != 0)
        fp = 0;
    if (pc == 0)
        return WALK_END;
    if (pc >= ARCH_USER_END - 1 || sp >= ARCH_USER_END)
        return WALK_LOST;
    if (interrupted) {
        pc++;
        if (sp - walk->region.low >= walk->region.high - walk->region.low)
            bounds_enter(&walk->region, walk->slot, sp, false);
    } else if (sp <= walk->sp) {
        return WALK_LOST;
    }
    walk->pc = pc;
    walk->sp = sp;
    walk->fp = fp;
    return WALK_NEXT;
}

/* Each step starts a cursor of its own from the three registers that the walker follows: slow, but
 * what libunwind believes of a frame never outlives it. */
enum walk_step unwind_libunwind_step(struct walk *walk)
{
    unw_cursor_t cursor;
    if (!is_usable() || lib.init_remote(&cursor, lib.space, walk) != 0)
        return WALK_LOST;
    int stepped = lib.step(&cursor);
    if (stepped == 0)
        return WALK_END;
    return stepped < 0 ? WALK_LOST : registers_of(&cursor, walk);
}

static void capture(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                    struct unwind_stack *stack)
{
    if (!is_usable()) {
        unwind_approf.capture(start, slot, max, stack);
        return;
    }
    struct walk walk;
    walk_begin(&walk, start, slot);
    struct walk first = walk; /* what the cursor reads registers from must not move */
    unw_cursor_t cursor;
    enum walk_step step = WALK_NEXT;
    uint64_t hash = 0;
    uint32_t n = 0;
    bool begun = lib.init_remote(&cursor, lib.space, &first) == 0;
    while (n < max) {
        struct module_view module;
        uint32_t id = modules_find(walk.pc - 1, &module) ? module.id : 0;
        stack->room[n] = HEAP_FRAME(id, walk.pc);
        hash = unwind_hash_add(hash, stack->room[n++]);
        step = WALK_LOST;
        if (!begun)
            break;
        int stepped = lib.step(&cursor);
        walk.region = first.region;
        step = stepped == 0 ? WALK_END : stepped < 0 ? WALK_LOST : registers_of(&cursor, &walk);
        first.region = walk.region;
        if (step != WALK_NEXT)
            break;
    }
    stack->n_frames = n;
    stack->frames = stack->room;
    stack->place = NULL;
    stack->flags = step == WALK_NEXT   ? HEAP_STACK_DEEP
                   : step == WALK_LOST ? HEAP_STACK_TRUNCATED
                                       : 0;
    stack->hash = unwind_hash_end(hash, n);
}

static void after_fork(void)
{
    atomic_store(&usable, false); /* its locks may be held by threads that the child doesn't have */
}

const struct unwind_backend unwind_libunwind = {
    .name = "libunwind",
    .init = init,
    .capture = capture,
    .after_fork = after_fork,
};

static void capture_approf(const struct unwind_start *start, struct thread_slot *slot, uint32_t max,
                           struct unwind_stack *stack)
{
    unwind_approf.capture(start, slot, max, stack);
}

const struct unwind_backend unwind_both = {
    .name = "approf+libunwind",
    .init = init,
    .capture = capture_approf,
    .after_fork = after_fork,
};
