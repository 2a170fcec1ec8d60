/* dump.c - see dump.h. */
#include "dump.h"

#include <string.h>
#include <sys/utsname.h>

#include "elf_names.h"
#include "line.h"
#include "raw_sys.h"
#include "slots.h"
#include "startup.h"
#include "tables_reader.h"

static bool read_own(struct heap_snapshot *snapshot, struct profile_error *error)
{
    struct tables_io io = tables_own_io();
    return heap_snapshot_read(&io, 0, snapshot, error);
}

static bool convert(struct heap_snapshot *snapshot, const struct snapshot_profile_options *options,
                    struct profile *profile, struct profile_error *error)
{
    bool ok = heap_snapshot_to_profile(snapshot, options, profile, error);
    heap_snapshot_free(snapshot);
    if (ok)
        elf_names_apply(profile);
    return ok;
}

bool dump_profile(struct profile *profile, struct profile_error *error)
{
    struct snapshot_profile_options options = {.default_sample_type = "alloc_space"};
    struct heap_snapshot snapshot;
    uint64_t total;
    bool at_rest = slots_rest(&total);
    if (!read_own(&snapshot, error))
        return false;
    if (at_rest && slots_rested(total)) {
        options.exact = true;
        options.exact_total_bytes = total;
        /* Readers of the tables see the same figure. */
        __atomic_store_n(&tables_header()->total_bytes, total, __ATOMIC_RELAXED);
    }
    return convert(&snapshot, &options, profile, error);
}

/* ---- since a reset ---- */

static struct {
    int lock; /* held by one call of approf.h at a time; never in an allocation */
    bool set;
    uint64_t nonce; /* whose tables: a forked child begins without */
    uint64_t total;
    struct heap_snapshot at;
} reset;

static void lock_reset(void)
{
    while (__atomic_exchange_n(&reset.lock, 1, __ATOMIC_ACQUIRE))
        raw_yield();
    if (reset.set && reset.nonce != tables_header()->nonce) {
        heap_snapshot_free(&reset.at);
        reset.set = false;
    }
}

static void unlock_reset(void)
{
    __atomic_store_n(&reset.lock, 0, __ATOMIC_RELEASE);
}

bool dump_profile_since_reset(struct profile *profile, struct profile_error *error)
{
    lock_reset();
    struct snapshot_profile_options options = {
        .default_sample_type = "alloc_space",
        .exact_total_bytes = slots_total() - (reset.set ? reset.total : 0),
        .since = reset.set ? &reset.at : NULL,
    };
    struct heap_snapshot snapshot;
    bool ok = read_own(&snapshot, error) && convert(&snapshot, &options, profile, error);
    unlock_reset();
    return ok;
}

bool dump_reset(struct profile_error *error)
{
    struct heap_snapshot now;
    uint64_t total = slots_total();
    lock_reset();
    bool ok = read_own(&now, error);
    if (ok) {
        if (reset.set)
            heap_snapshot_free(&reset.at);
        reset.at = now;
        reset.total = total;
        reset.nonce = tables_header()->nonce;
        reset.set = true;
    }
    unlock_reset();
    return ok;
}

static const char *host_name(struct utsname *names)
{
    if (raw_syscall(SYS_uname, (long)names, 0, 0, 0, 0, 0) != 0)
        strcpy(names->nodename, "localhost");
    for (char *c = names->nodename; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    return names->nodename;
}

bool dump_path(const char *pattern, char *path, size_t room)
{
    size_t used = 0;
    for (const char *c = pattern; *c != '\0'; c++) {
        struct line piece = {0};
        struct utsname names;
        struct timespec now;
        const char *text = piece.bytes;
        char which = *c == '%' ? *++c : '\0';
        switch (which) {
        case 'e':
            text = startup_exe_name();
            break;
        case 'p':
            line_number(&piece, (uint64_t)raw_getpid());
            break;
        case 'h':
            text = host_name(&names);
            break;
        case 't':
            raw_syscall(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0, 0, 0, 0);
            line_number(&piece, (uint64_t)now.tv_sec);
            break;
        case '%':
            text = "%";
            break;
        default: /* no pattern of ours: as it stands */
            if (*c == '\0' || which != '\0') {
                c -= *c == '\0';
                piece.bytes[piece.length++] = '%';
                if (*c == '%')
                    break;
            }
            piece.bytes[piece.length++] = *c;
            piece.bytes[piece.length] = '\0';
        }
        size_t n = strlen(text);
        if (n >= room - used)
            return false;
        memcpy(path + used, text, n);
        used += n;
    }
    path[used] = '\0';
    return used > 0;
}
