/* legacy.c - tries the readers of legacy formats in turn; see legacy.h. */
#include "legacy.h"

#include "legacy_input.h"

/* Frames of the profiler and the allocator themselves, which reports leave out: pprof's lists for
 * profiles without one of their own. */
static const char heap_drop[] =
    "calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|realloc|"
    "tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|"
    "tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|"
    "tc_newarray_nothrow|malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|"
    "malloc_zone_realloc|malloc_zone_memalign|malloc_zone_free|runtime\\..*|BaseArena::.*|"
    "(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
    "MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|"
    "__builtin_(vec_)?new|__gnu_cxx::new_allocator::allocate|__libc_malloc|"
    "__malloc_alloc_template::allocate|allocate|cpp_alloc|operator new(\\[\\])?|"
    "simple_alloc::allocate";
static const char heap_keep[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";
static const char lock_drop[] =
    "RecordLockProfileData|(base::)?RecordLockProfileData.*|(base::)?SubmitMutexProfileData.*|"
    "(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
    "(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|"
    "(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|"
    "(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
    "(SpinLockHolder::)?~SpinLockHolder.*";
static const char cpu_drop[] = "ProfileData::Add|ProfileData::prof_handler|"
                               "CpuProfiler::prof_handler|__pthread_sighandler|__restore";
/* jemalloc's own, under the prefixes that it is built with. */
static const char jemalloc_drop[] =
    "(je_|_rjem_(je_)?)?(prof_.*|malloc|calloc|realloc|aligned_alloc|posix_memalign|memalign|"
    "valloc|mallocx|rallocx|do_rallocx|malloc_default|imalloc.*|fallback_impl|"
    "operator new(\\[\\])?)|operator new(\\[\\])?|newImpl.*|handleOOM.*";

enum frame_list { NO_LIST, HEAP_LIST, LOCK_LIST, CPU_LIST, JEMALLOC_LIST };

static const struct {
    enum legacy_result (*read)(struct legacy_builder *builder, struct legacy_text text);
    enum frame_list frames;
} readers[] = {
    {legacy_cpu, CPU_LIST},           {legacy_heap, HEAP_LIST},       {legacy_go_count, CPU_LIST},
    {legacy_threads, CPU_LIST},       {legacy_contention, LOCK_LIST}, {legacy_java, HEAP_LIST},
    {legacy_jemalloc, JEMALLOC_LIST}, {legacy_folded, NO_LIST},
};

static void set_frames(struct profile *p, enum frame_list frames)
{
    const char *drop = "", *keep = "";
    switch (frames) {
    case NO_LIST:
        break;
    case HEAP_LIST:
        drop = heap_drop;
        keep = heap_keep;
        break;
    case LOCK_LIST:
        drop = lock_drop;
        break;
    case CPU_LIST:
        drop = cpu_drop;
        break;
    case JEMALLOC_LIST:
        drop = jemalloc_drop;
        break;
    }
    p->drop_frames = profile_intern_text(p, drop);
    p->keep_frames = profile_intern_text(p, keep);
}

bool legacy_parse(const void *bytes, size_t n, struct profile *out, struct profile_error *error)
{
    struct legacy_text text = {bytes, (const char *)bytes + n, {bytes, 0}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (!profile_init(out, 0)) {
            return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
        }
        struct legacy_builder builder = {.profile = out, .error = error};
        enum legacy_result result = readers[i].read(&builder, text);
        legacy_builder_free(&builder);
        enum frame_list frames = readers[i].frames;
        if (result == LEGACY_DONE) {
            /* The Java agent writes both kinds. */
            if (readers[i].read == legacy_java && out->n_sample_types == 2 &&
                out->sample_types[0].type == profile_intern_text(out, "contentions")) {
                frames = LOCK_LIST;
            }
            set_frames(out, frames);
        }
        if (result == LEGACY_DONE && !out->arena.failed) {
            return true;
        }
        bool failed = out->arena.failed;
        profile_free(out);
        if (failed) {
            return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
        }
        if (result == LEGACY_WRONG) {
            return false;
        }
    }
    return profile_error_set(error, PROFILE_ERROR_UNRECOGNIZED, "unrecognized profile format");
}
