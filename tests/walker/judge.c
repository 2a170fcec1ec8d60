/* library: link=walker cflags=-fPIC,-O2,-fno-omit-frame-pointer,-fvisibility=hidden */
/* judge.c - preloaded into real programs: walks at every Nth allocation with our walker and with
 * libunwind, and counts where they say the same.
 *
 * JUDGE_OUT    file to which the outcome is appended (required, otherwise nothing is judged)
 * JUDGE_EVERY  judge each Nth allocation (default 1)
 * JUDGE_LIMIT  no more than so many stacks (default all)
 * JUDGE_WITH   what APPROF_UNWIND would be: judge another backend
 *
 * libunwind is used through its local interface, on its own account of where the stack lies and
 * which modules there are; it is opened with RTLD_LOCAL, so that it meets no other symbol. It takes
 * the loader's lock: the programs that are judged must be ones that stand that.
 *
 * Lines written: "stacks N agree N frames N", and for each difference "differ KIND WHERE", WHERE
 * being module:symbol of the last frame that both have. KIND: `short`, ours ends before libunwind's
 * does; `long`, the other way round; `frame`, the next frames differ; `memory`, ours differs from
 * itself when it may not use what it remembers of the last walk. */
#include "unwind_memory.h"
#include "walker_stubs.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libunwind.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

enum { MOST = 200, SHOWN = 20 };

static struct {
    int (*getcontext)(unw_context_t *);
    __typeof__(&unw_init_local) init_local;
    __typeof__(&unw_step) step;
    __typeof__(&unw_get_reg) get_reg;
    __typeof__(&unw_is_signal_frame) is_signal_frame;
} lib;

static const char *out;
static unsigned long every = 1, limit = ~0ul;
static atomic_ulong allocations, judged, agreed, frames_seen, differences;
static atomic_bool ready;
static __thread bool inside;
static __thread struct thread_slot slot;

static void append(const char *line)
{
    int fd = open(out, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) {
        if (write(fd, line, strlen(line)) < 0)
            abort();
        close(fd);
    }
}

static const char *where(uint64_t pc, char *buffer, size_t size)
{
    Dl_info info;
    if (dladdr((void *)(pc - 1), &info) == 0 || info.dli_fname == NULL) {
        snprintf(buffer, size, "[nowhere]");
        return buffer;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(buffer, size, "%s:%s", slash != NULL ? slash + 1 : info.dli_fname,
             info.dli_sname != NULL ? info.dli_sname : "?");
    return buffer;
}

static void describe(const char *kind, const struct unwind_stack *ours, const uint64_t *theirs,
                     uint32_t n_theirs, uint32_t same)
{
    char name[256], line[640];
    uint64_t last = same > 0 ? HEAP_FRAME_PC(ours->frames[same - 1]) : 0;
    snprintf(line, sizeof line, "differ %s %s\n", kind, where(last, name, sizeof name));
    append(line);
    if (atomic_fetch_add(&differences, 1) >= SHOWN)
        return;
    for (uint32_t i = same > 2 ? same - 2 : 0; i < same + 6; i++) {
        char mine[256] = "-", other[256] = "-";
        uint64_t a = i < ours->n_frames ? HEAP_FRAME_PC(ours->frames[i]) : 0;
        uint64_t b = i < n_theirs ? theirs[i] : 0;
        if (a != 0)
            where(a, mine, sizeof mine);
        if (b != 0)
            where(b, other, sizeof other);
        snprintf(line, sizeof line, "#  %3u  %012lx %-40s  %012lx %s\n", i, a, mine, b, other);
        append(line);
    }
    snprintf(line, sizeof line, "#  ours %u frames, flags %u; libunwind's %u\n", ours->n_frames,
             ours->flags, n_theirs);
    append(line);
}

/* libunwind's frames from the one of start on. Interrupted ones plus one, as ours: that is what its
 * mark says once it has stepped there from a signal frame. */
static uint32_t walk_with_libunwind(const struct unwind_start *start, uint64_t *frames)
{
    unw_context_t context;
    unw_cursor_t cursor;
    uint32_t n = 0;
    bool found = false;
    lib.getcontext(&context);
    if (lib.init_local(&cursor, &context) != 0)
        return 0;
    for (;;) {
        unw_word_t ip;
        if (lib.step(&cursor) <= 0 || lib.get_reg(&cursor, UNW_REG_IP, &ip) != 0 || ip == 0)
            return n;
        found = found || ip == start->pc;
        if (found && n < MOST)
            frames[n++] = ip + (lib.is_signal_frame(&cursor) > 0);
        if (n == MOST)
            return n;
    }
}

static __attribute__((noinline)) void judge(const struct unwind_start *start)
{
    static __thread struct unwind_stack ours, recalled, anew;
    static __thread struct walk_memory memory;
    static __thread uint64_t theirs[MOST];
    int saved = errno;
    inside = true;
    slot.memory = NULL;
    unwind_capture(start, &slot, MOST, &ours);
    unwind_capture(start, &slot, WALK_MEMORY, &anew);
    slot.memory = &memory; /* of this thread's last walk: most are short cuts */
    memory.losses = memory.skip = 0;
    unwind_capture(start, &slot, WALK_MEMORY, &recalled);
    uint32_t n = walk_with_libunwind(start, theirs), same = 0;
    while (same < n && same < ours.n_frames && HEAP_FRAME_PC(ours.frames[same]) == theirs[same])
        same++;
    atomic_fetch_add(&judged, 1);
    atomic_fetch_add(&frames_seen, ours.n_frames);
    if (anew.n_frames != recalled.n_frames || anew.flags != recalled.flags ||
        anew.hash != recalled.hash ||
        memcmp(anew.frames, recalled.frames, anew.n_frames * sizeof anew.frames[0]) != 0)
        describe("memory", &recalled, theirs, n, same);
    else if (same == n && same == ours.n_frames)
        atomic_fetch_add(&agreed, 1);
    else
        describe(same == ours.n_frames ? "short"
                 : same == n           ? "long"
                                       : "frame",
                 &ours, theirs, n, same);
    inside = false;
    errno = saved;
}

static bool wanted(void)
{
    return atomic_load_explicit(&ready, memory_order_acquire) && !inside &&
           atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) % every == 0 &&
           atomic_load_explicit(&judged, memory_order_relaxed) < limit;
}

static __attribute__((noinline)) void *malloc_judged(size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    judge(&start);
    return __libc_malloc(size);
}

static __attribute__((noinline)) void *calloc_judged(size_t n, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    judge(&start);
    return __libc_calloc(n, size);
}

static __attribute__((noinline)) void *realloc_judged(void *old, size_t size)
{
    struct unwind_start start = UNWIND_START_HERE();
    judge(&start);
    return __libc_realloc(old, size);
}

EXPORT void *malloc(size_t size)
{
    return wanted() ? malloc_judged(size) : __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return wanted() ? calloc_judged(n, size) : __libc_calloc(n, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return wanted() ? realloc_judged(old, size) : __libc_realloc(old, size);
}

static unsigned long number(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

static __attribute__((constructor)) void begin(void)
{
    out = getenv("JUDGE_OUT");
    void *handle = dlopen("libunwind.so.8", RTLD_LOCAL | RTLD_NOW);
    if (out == NULL || handle == NULL)
        return;
    lib.getcontext = dlsym(handle, "_Ux86_64_getcontext");
    lib.init_local = dlsym(handle, "_ULx86_64_init_local");
    lib.step = dlsym(handle, "_ULx86_64_step");
    lib.get_reg = dlsym(handle, "_ULx86_64_get_reg");
    lib.is_signal_frame = dlsym(handle, "_ULx86_64_is_signal_frame");
    every = number("JUDGE_EVERY", 1);
    limit = number("JUDGE_LIMIT", limit);
    if (!unwind_init(getenv("JUDGE_WITH"))) {
        append("no such backend\n");
        return;
    }
    atomic_store(&ready, lib.getcontext != NULL && lib.init_local != NULL && lib.step != NULL &&
                             lib.get_reg != NULL && lib.is_signal_frame != NULL);
}

static __attribute__((destructor)) void end(void)
{
    char line[256];
    if (!atomic_exchange(&ready, false))
        return;
    snprintf(line, sizeof line, "stacks %lu agree %lu frames %lu\n", judged, agreed, frames_seen);
    append(line);
}
