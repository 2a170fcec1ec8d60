/* tables_start.c - making a process's tables: its header, the facts about the process, and either
 * the file or private memory. */
#include "hook_state.h"
#include "raw_sys.h"
#include "tables_internal.h"
#include <string.h>
#include <sys/auxv.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t tables_now_coarse(void)
{
    if (!tables.has_vdso && hook_quiet())
        return tables.start_monotonic_ns; /* without a vDSO it would be a system call */
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

uint64_t tables_parse(const char *text, const char **end)
{
    uint64_t n = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        n = n > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10 - 1 : n * 10 + (uint64_t)(*text - '0');
    if (end)
        *end = text;
    return n;
}

static uint64_t pid_namespace(void)
{
    char link[64] = "";
    long n = raw_readlink("/proc/self/ns/pid", link, sizeof link - 1);
    const char *at = n > 0 ? memchr(link, '[', (size_t)n) : NULL; /* pid:[4026531836] */
    return at ? tables_parse(at + 1, NULL) : 0;
}

static void read_boot_id(uint8_t id[16])
{
    char text[64];
    if (raw_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text) <= 0)
        return;
    unsigned digits = 0;
    for (const char *p = text; *p && digits < 32; p++) {
        int digit = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
        if (digit < 0)
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
        digits++;
    }
}

static uint64_t make_nonce(uint32_t pid)
{
    enum { NONBLOCK = 1 };
    uint64_t nonce = 0;
    if (raw_syscall(SYS_getrandom, (long)&nonce, sizeof nonce, NONBLOCK, 0, 0, 0) != sizeof nonce)
        nonce = tables_mix((uint64_t)clock_ns(CLOCK_REALTIME) ^ (uint64_t)pid << 32);
    return nonce | 1;
}

static void fill_header(struct heap_header *h, const struct tables_config *config, uint32_t pid,
                        uint64_t nonce)
{
    h->version = HEAP_TABLES_VERSION;
    h->header_size = sizeof *h;
    h->nonce = nonce;
    h->file_size = tables.extents[0].size;
    h->pid = pid;
    h->parent_pid = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    h->uid = (uint32_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
    h->depth = config->depth;
    h->pid_namespace = pid_namespace();
    h->start_ticks = tables_start_ticks(0);
    read_boot_id(h->boot_id);
    h->start_realtime_ns = clock_ns(CLOCK_REALTIME);
    h->start_monotonic_ns = tables.start_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    h->last_sample_ns = h->start_monotonic_ns;
    h->rate = h->rates[0] = tables.rates[0] = config->rate;
    h->n_rates = 1;
    const char *exe = config->exe ? config->exe : "";
    h->exe_len = (uint32_t)strnlen(exe, HEAP_EXE_BYTES);
    memcpy(h->exe, exe, h->exe_len);
}

/* One or the other kind of memory, from nothing to a header that is complete but for its magic. */
static bool start_in(int fd, const struct tables_config *config, uint32_t pid, uint64_t nonce)
{
    tables.is_private = fd < 0;
    if (!tables_memory_start(fd))
        return false;
    struct heap_header *h = tables_at(0);
    memset(h, 0, sizeof *h);
    fill_header(h, config, pid, nonce);
    tables.header = h;
    if (tables_stacks_start())
        return true;
    tables.header = NULL;
    return false;
}

/* After a failed start_in: gives back what it took. */
static void undo(void)
{
    for (uint32_t i = 0; i < tables.n_extents; i++) {
        raw_munmap(tables.extents[i].base, tables.extents[i].size);
        for (uint64_t at = 0; at < tables.extents[i].size; at += TABLES_GRANULE)
            tables.granules[(tables.extents[i].offset + at) >> TABLES_GRANULE_BITS] = NULL;
    }
    for (uint32_t i = 0; i < tables.n_mappings; i++)
        if (tables.mappings[i].base)
            raw_munmap(tables.mappings[i].base, tables.mappings[i].size);
    tables.n_extents = tables.n_mappings = 0;
    tables.shared_bytes = tables.private_bytes = 0;
    tables.private_bump = tables.private_end = NULL;
    tables.failures = tables.skip = 0;
    memset(tables.mappings, 0, sizeof tables.mappings);
    memset(&tables.stack_index, 0, sizeof tables.stack_index);
    memset(&tables.counter_index, 0, sizeof tables.counter_index);
    memset(&tables.stacks, 0, sizeof tables.stacks);
    memset(&tables.counters, 0, sizeof tables.counters);
    memset(&tables.dropped_counters, 0, sizeof tables.dropped_counters);
}

bool tables_locks_start(void)
{
    if (!tables.locks) {
        size_t size = (sizeof *tables.locks + 4095) & ~(size_t)4095;
        struct tables_locks *locks = raw_map_private(size);
        if (!locks)
            return false;
        raw_madvise(locks, size, MADV_WIPEONFORK);
        tables.locks = locks;
    }
    memset(tables.locks, 0, sizeof *tables.locks);
    return true;
}

bool tables_start(const struct tables_config *config, uint32_t inherited_from)
{
    if (hook_quiet() || !tables_locks_start())
        return false;
    tables.memory_limit = config->memory_limit;
    tables.has_vdso = getauxval(AT_SYSINFO_EHDR) != 0;
    tables_cgroup_init();
    uint32_t pid = (uint32_t)raw_getpid();
    uint64_t nonce = make_nonce(pid);
    bool started = false;
    if (!config->directory || strcmp(config->directory, "off") != 0) {
        int fd = tables_file_create(config->directory, config->exe, pid, nonce);
        if (fd >= 0) {
            started = start_in(fd, config, pid, nonce);
            raw_close(fd);
            if (!started) {
                undo();
                tables_unlink();
            }
        }
        if (!started) {
            tables.path[0] = 0;
            if (config->directory)
                hook_complain(
                    "APPROF_TABLES", "APPROF_TABLES: no tables can be made there",
                    "it must be a directory of your own that others can't write to, with "
                    "room; private memory is used, which is lost if the process is killed");
            else
                hook_say("no room for tables in /dev/shm: in private memory");
        }
    }
    if (!started) {
        started = start_in(-1, config, pid, nonce);
        if (!started)
            undo();
    }
    if (!started)
        return false;
    tables.header->inherited_from = inherited_from;
    __atomic_store_n(&tables.locks->ours, 1, __ATOMIC_RELEASE);
    return true;
}

void tables_publish(void)
{
    __atomic_store_n(&tables.header->magic, HEAP_TABLES_MAGIC, __ATOMIC_RELEASE);
    if (!tables.is_private)
        tables_file_clean(tables.header);
}

bool tables_init(const struct tables_config *config)
{
    if (!tables_start(config, 0))
        return false;
    tables_publish();
    return true;
}
