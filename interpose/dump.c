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

bool dump_profile(bool exact, struct profile *profile, struct profile_error *error)
{
    struct heap_header *header = tables_header();
    uint64_t total = slots_total();
    if (exact) /* readers of the tables see the same figure */
        __atomic_store_n(&header->total_bytes, total, __ATOMIC_RELAXED);
    struct tables_io io = tables_own_io();
    struct heap_snapshot snapshot;
    if (!heap_snapshot_read(&io, 0, &snapshot, error))
        return false;
    struct snapshot_profile_options options = {
        .default_sample_type = "alloc_space",
        .exact_total_bytes = total,
        .exact = exact,
    };
    bool ok = heap_snapshot_to_profile(&snapshot, &options, profile, error);
    heap_snapshot_free(&snapshot);
    if (ok)
        elf_names_apply(profile);
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
