/* startup.c - the constructor: from a loaded library to counted allocations.
 *
 * The library is linked with -z initfirst, so that this runs before the constructors of the
 * program's own libraries and their allocations are seen too, and so that the exit handler that is
 * registered here runs after all others. Nothing here is done when the kernel says that the process
 * has more rights than its caller (AT_SECURE).
 */
#include "startup.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "finish.h"
#include "foreign_libc.h"
#include "hook_state.h"
#include "hooks.h"
#include "options.h"
#include "overhead.h"
#include "raw_sys.h"
#include "resolve.h"
#include "sanitizer.h"
#include "slots.h"
#include "watch.h"

extern char **environ;
struct startup startup;

const char *startup_exe_name(void)
{
    const char *slash = strrchr(startup.exe, '/');
    return slash != NULL ? slash + 1 : startup.exe;
}

static void find_exe(void)
{
    size_t n = raw_own_exe(startup.exe, sizeof startup.exe - 1);
    startup.exe[n] = '\0';
    static const char deleted[] = " (deleted)";
    size_t tail = sizeof deleted - 1;
    if (n > tail && strcmp(startup.exe + n - tail, deleted) == 0)
        startup.exe[n - tail] = '\0';
}

static void find_library(void)
{
    Dl_info info;
    if (dladdr((void *)startup_exe_name, &info) == 0 || info.dli_fname == NULL)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t n = slash != NULL ? (size_t)(slash - info.dli_fname) : 0;
    if (n == 0 || n >= sizeof startup.library_directory)
        return;
    memcpy(startup.library_directory, info.dli_fname, n);
    startup.library_directory[n] = '\0';
}

/* The file is written when the process ends, perhaps from another directory. */
static void make_out_absolute(void)
{
    struct hook_options *o = &hook_options;
    if (o->out[0] == '/')
        return;
    char directory[OPTION_TEXT_SIZE];
    long n = raw_syscall(SYS_getcwd, (long)directory, sizeof directory, 0, 0, 0, 0);
    size_t length = strlen(o->out);
    if (n <= 1 || directory[0] != '/' || (size_t)n + 1 + length >= sizeof o->out)
        return; /* unreachable or too long: tried as it is */
    /* A directory's own percent signs are not the pattern's. */
    char whole[OPTION_TEXT_SIZE];
    size_t used = 0;
    for (const char *c = directory; *c != '\0' && used + 2 < sizeof whole; c++) {
        if (*c == '%')
            whole[used++] = '%';
        whole[used++] = *c;
    }
    if (used + 1 + length >= sizeof whole)
        return;
    if (whole[used - 1] != '/')
        whole[used++] = '/';
    memcpy(whole + used, o->out, length + 1);
    memcpy(o->out, whole, used + length + 1);
}

/* Whether this process is to be profiled at all. */
static bool wanted(void)
{
    if (getauxval(AT_SECURE) != 0)
        return false;
    options_read(startup.environment);
    find_exe();
    if (!options_glob(hook_options.only, startup_exe_name()))
        return false;
    if (!resolve_is_first()) {
        hook_complain("order", "libapprof.so: preloaded behind another allocator, sees nothing",
                      "put libapprof.so first in LD_PRELOAD, or start with: approf run");
        return false;
    }
    return true;
}

static bool begin(void)
{
    struct hook_options *o = &hook_options;
    find_library();
    make_out_absolute();
    startup.tables = (struct tables_config){
        .directory = o->tables[0] != '\0' ? o->tables : NULL,
        .memory_limit = o->memory,
        .rate = o->rate,
        .depth = o->depth,
        .exe = startup.exe,
    };
    if (!slots_init(o->seed) || !tables_init(&startup.tables)) {
        hook_say("no memory for tables: not profiled");
        return false;
    }
    unwind_init(o->unwind);
    overhead_ceiling = o->overhead;
    return true;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    if (hook_active() || startup.environment != NULL)
        return;
    if (!libc_is_glibc()) { /* nor does its loader hand a constructor any arguments */
        resolve_all();
        resolve_forward_all();
        return;
    }
    startup.environment = environment != NULL ? environment : environ;
    resolve_all();
    watch_init();
    if (sanitizer_allocates(startup.environment) || !wanted() || !begin()) {
        resolve_forward_all();
        return;
    }
    finish_init();
    __atomic_store_n(&hook_is_active, true, __ATOMIC_RELEASE);
}
