/* api.c - what approf.h promises, on this side. */
#include "approf.h"

#include <errno.h>
#include <limits.h>

#include "dump.h"
#include "hook_state.h"
#include "hooks.h"
#include "options.h"
#include "raw_sys.h"
#include "slots.h"

static bool absent(void)
{
    /* A forked child that has not allocated yet begins here. */
    return !hook_active() || (slots_forked() && slots_acquire() == NULL);
}

static bool make(struct profile *profile, struct profile_error *error)
{
    return !hook_quiet() && dump_profile_since_reset(profile, error);
}

HOOK_EXPORT int approf_heap_write(const char *path)
{
    struct profile_error error;
    struct profile profile;
    if (absent())
        return APPROF_ABSENT;
    if (path == NULL)
        return -EINVAL;
    int saved = errno;
    if (!make(&profile, &error))
        return -ENOMEM;
    bool ok = profile_write_file(&profile, path, true, NULL, 0, &error);
    profile_free(&profile);
    errno = saved;
    return ok ? 0 : -EIO;
}

HOOK_EXPORT int approf_heap_write_fd(int fd)
{
    struct profile_error error;
    struct profile profile;
    if (absent())
        return APPROF_ABSENT;
    if (!make(&profile, &error))
        return -ENOMEM;
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer plain = {.arena = &arena}, packed = {.arena = &arena};
    int result = -ENOMEM;
    if (profile_encode(&profile, &plain) && gzip_deflate(plain.bytes, plain.length, 6, &packed)) {
        size_t done = 0;
        result = 0;
        while (done < packed.length && result == 0) {
            long n = raw_syscall(SYS_write, fd, (long)(packed.bytes + done),
                                 (long)(packed.length - done), 0, 0, 0);
            if (n > 0)
                done += (size_t)n;
            else if (n != -EINTR)
                result = n == 0 ? -EIO : (int)n;
        }
    }
    arena_free(&arena);
    profile_free(&profile);
    return result;
}

HOOK_EXPORT int approf_heap_set_rate(uint64_t bytes)
{
    if (absent())
        return APPROF_ABSENT;
    if (bytes > OPTION_RATE_MAX)
        return -EINVAL;
    return slots_set_rate(bytes) ? 0 : -ENOSPC;
}

HOOK_EXPORT int approf_heap_stop(void)
{
    if (absent())
        return APPROF_ABSENT;
    slots_set_rate(0);
    return 0;
}

HOOK_EXPORT int approf_heap_start(void)
{
    if (absent())
        return APPROF_ABSENT;
    uint64_t rate = tables_header()->rate;
    return slots_set_rate(rate != 0 ? rate : OPTION_RATE_DEFAULT) ? 0 : -ENOSPC;
}

HOOK_EXPORT int approf_heap_reset(void)
{
    struct profile_error error;
    if (absent())
        return APPROF_ABSENT;
    return !hook_quiet() && dump_reset(&error) ? 0 : -ENOMEM;
}
