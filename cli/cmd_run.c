/* cmd_run.c - approf run [options] -- PROGRAM ARGUMENTS...: runs a program under libapprof.so and
 * writes what each of its processes allocated, however they ended.
 *
 * The tables of a run lie in a folder of their own, so that all of its processes are found. Tables
 * of processes that outlive the program are left to them.
 */
#include "commands.h"
#include "live_watch.h"
#include "memory.h"
#include "memory_limit.h"
#include "run_check.h"
#include "run_child.h"
#include "run_collect.h"
#include "run_library.h"
#include "run_view.h"
#include "serve.h"
#include "serve_access.h"
#include "tables_dir.h"
#include "units.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TABLES_AT_ONCE = 8, /* dead tables of children are converted meanwhile when there are as many */
    LINGER_STEPS = 20,  /* 100 ms each: children that are just ending */
    MOST_VARIABLES = 12
};

struct run {
    char directory[PATH_MAX]; /* of this run's tables; "" when tables are off */
    char *preload;
    char pattern[PATH_MAX];
    char self[PATH_MAX];
    struct run_collect collect;
    struct run_view view;
    struct server *server;
    char *token;
    struct run_variable environment[MOST_VARIABLES];
    size_t n_environment;
    struct memory_limit before, after; /* our own at start, the command's at its end */
    char depth[24], own_pid[24];
};

/* A directory that is ours alone: 0700, no link. */
static bool own_directory(const char *path)
{
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 022) == 0;
}

static bool make_directory(struct run *run)
{
    char base[PATH_MAX];
    const char *chosen = getenv("APPROF_TABLES");
    uint64_t nonce = 0;
    if (chosen != NULL && strcmp(chosen, "off") == 0) {
        return true;
    }
    if (getrandom(&nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce) {
        nonce = (uint64_t)time(NULL);
    }
    const char *temporary = getenv("TMPDIR");
    for (int attempt = 0; attempt < 2; attempt++) {
        /* Where shared memory can't be had a file on disk will do. */
        bool fits =
            attempt == 0
                ? tables_dir_default(base, sizeof base)
                : (size_t)snprintf(base, sizeof base, "%s/approf-%u",
                                   temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                                   (unsigned)geteuid()) < sizeof base;
        if (fits && own_directory(base) &&
            (size_t)snprintf(run->directory, sizeof run->directory, "%s/run.%d.%08llx", base,
                             (int)getpid(),
                             (unsigned long long)(nonce & 0xffffffff)) < sizeof run->directory &&
            mkdir(run->directory, 0700) == 0) {
            return true;
        }
    }
    run->directory[0] = 0;
    message_error("run: no place for the tables: %s", message_errno(errno));
    message_hint("APPROF_TABLES names a directory of yours");
    return false;
}

static bool is_bytes(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 19 &&
           (text[n] == 0 || (strchr("kKmMgG", text[n]) != NULL && text[n + 1] == 0));
}

static void set(struct run *run, const char *name, const char *value)
{
    run->environment[run->n_environment++] = (struct run_variable){.name = name, .value = value};
}

/* The environment of the program. */
static bool prepare(struct run *run, const struct cli_options *options)
{
    char library[PATH_MAX];
    if (!run_library_find(library, sizeof library) ||
        !run_program_self(run->self, sizeof run->self)) {
        message_error("run: libapprof.so is not where it belongs");
        message_hint("it lies beside approf, in ../lib/approf or in ../lib; make install puts it "
                     "there");
        return false;
    }
    if (*options->rate != 0 && !is_bytes(options->rate)) {
        message_error("run: -rate: '%s' is no number of bytes", options->rate);
        message_hint("for example 1, 4096, 64k or 1M");
        return false;
    }
    if (!make_directory(run)) {
        return false;
    }
    run->preload = run_preload_value(library, run->directory[0] != 0 ? run->directory : NULL,
                                     getenv("LD_PRELOAD"));
    if (run->preload == NULL) {
        message_error("run: %s: a path with a space or a colon can't be preloaded", library);
        message_hint("install approf in another directory");
        return false;
    }
    set(run, "LD_PRELOAD", run->preload);
    set(run, "APPROF_HELPER", run->self);
    set(run, "APPROF_OUT", run->pattern);
    if (run->directory[0] != 0) {
        set(run, "APPROF_TABLES", run->directory);
        snprintf(run->own_pid, sizeof run->own_pid, "%d", (int)getpid());
        set(run, "APPROF_UNDER_RUN", run->own_pid);
    }
    if (*options->rate != 0) {
        set(run, "APPROF_RATE", options->rate);
    }
    if (options->depth > 0) {
        snprintf(run->depth, sizeof run->depth, "%lld", (long long)options->depth);
        set(run, "APPROF_DEPTH", run->depth);
    }
    if (*options->only != 0) {
        set(run, "APPROF_ONLY", options->only);
    }
    return true;
}

/* The pattern, absolute: the program may change its directory. */
static bool set_pattern(struct run *run, const struct cli_options *options)
{
    const char *pattern = *options->output != 0 ? options->output : getenv("APPROF_OUT");
    run->collect.pattern_given = pattern != NULL && *pattern != 0;
    if (!run->collect.pattern_given) {
        pattern = "approf.%e.%p.pb.gz";
    }
    char *directory = *pattern != '/' ? getcwd(NULL, 0) : NULL;
    size_t used = 0, room = sizeof run->pattern;
    for (const char *c = directory; c != NULL && *c != 0 && used + 3 < room; c++) {
        run->pattern[used++] = *c;
        if (*c == '%') {
            run->pattern[used++] = '%';
        }
    }
    if (directory != NULL && used > 1) {
        run->pattern[used++] = '/';
    }
    free(directory);
    if (used + strlen(pattern) >= room) {
        message_error("run: -output: the name is too long");
        return false;
    }
    strcpy(run->pattern + used, pattern);
    run->collect.pattern = run->pattern;
    return true;
}

static void tick(void *ctx)
{
    struct run *run = ctx;
    if (run->directory[0] == 0) {
        return;
    }
    struct tables_list list;
    size_t dead = 0;
    tables_dir_scan(run->directory, &list);
    for (size_t i = 0; i < list.n; i++) {
        dead += !list.entries[i].alive;
    }
    tables_list_free(&list);
    if (dead >= TABLES_AT_ONCE) {
        run_collect(&run->collect);
    }
}

static void note_limit(void *ctx, pid_t pid)
{
    struct run *run = ctx;
    memory_limit_find("", (uint32_t)pid, &run->after);
    if (run->after.kills == 0) { /* version 1 has zombies in the root: most often it's our group */
        memory_limit_find("", (uint32_t)getpid(), &run->after);
    }
}

static void note_end(void *ctx, pid_t pid, int status)
{
    struct run *run = ctx;
    if (run_view_reaped(&run->view, pid)) {
        message_note("approf: the view is closed, the program goes on%s%s",
                     run->view.output[0] != 0 ? "; its output: " : "", run->view.output);
    } else if (run->directory[0] != 0) {
        tables_end_note(run->directory, (uint32_t)pid, status);
    }
}

static void await_view(void *ctx)
{
    const struct run *run = ctx;
    run_view_await_stop(&run->view);
}

static const char *bytes_text(char *out, size_t room, uint64_t bytes)
{
    return unit_label(out, room, bytes <= INT64_MAX ? (int64_t)bytes : INT64_MAX, "bytes", "auto");
}

/* The shortest way to write a path from here. */
static const char *short_path(const char *path)
{
    char *directory = getcwd(NULL, 0);
    size_t n = directory != NULL ? strlen(directory) : 0;
    bool below = n > 1 && strncmp(path, directory, n) == 0 && path[n] == '/';
    free(directory);
    return below ? path + n + 1 : path;
}

/* Why SIGKILL came, as far as it can be known: somebody was killed for memory in the command's
 * group, since we started if it is our own group, too. */
static void limit_text(const struct run *run, char *text, size_t room)
{
    const struct memory_limit *before = &run->before, *after = &run->after;
    char limit[UNIT_TEXT_ROOM + 16], bytes[UNIT_TEXT_ROOM];
    bool ours = strcmp(before->group, after->group) == 0;
    if (after->kills <= (ours ? before->kills : 0)) {
        return;
    }
    snprintf(limit, sizeof limit, " (limit %s)", bytes_text(bytes, sizeof bytes, after->bytes));
    snprintf(text, room, "; the kernel has killed for want of memory in its control group%s",
             after->bytes > 0 ? limit : "");
}

static void summarize(const struct run *run, const struct run_outcome *outcome)
{
    const struct run_collect *collect = &run->collect;
    const struct run_process *largest = &collect->largest;
    char total[UNIT_TEXT_ROOM], live[UNIT_TEXT_ROOM], peak[UNIT_TEXT_ROOM], how[256] = "";
    if (WIFSIGNALED(outcome->status)) {
        const char *name = sigabbrev_np(WTERMSIG(outcome->status));
        int n = snprintf(how, sizeof how, ", ended by SIG%s", name != NULL ? name : "NAL");
        if (WTERMSIG(outcome->status) == SIGKILL) {
            limit_text(run, how + n, sizeof how - (size_t)n);
        }
    }
    if (collect->n_processes == 0 && collect->n_running == 0) {
        if (run->directory[0] != 0) {
            message_note("approf: nothing was profiled%s", how);
            message_hint("did the program start as it was given? APPROF_VERBOSE=1 makes the hook "
                         "say what it does");
        }
        return;
    }
    bytes_text(total, sizeof total, largest->total_bytes);
    /* Estimates of few samples can exceed an exact total; what they can't mean is not shown. */
    uint64_t most = largest->exact && !largest->inherited ? largest->total_bytes : UINT64_MAX;
    bytes_text(live, sizeof live, largest->live_bytes < most ? largest->live_bytes : most);
    bytes_text(peak, sizeof peak, largest->peak_bytes < most ? largest->peak_bytes : most);
    const char *about = largest->rate == 1 ? "" : "about ";
    if (collect->n_processes > 0) {
        char others[UNIT_TEXT_ROOM + 64] = "";
        if (collect->n_processes > 1) {
            char sum[UNIT_TEXT_ROOM];
            snprintf(others, sizeof others, "; %u processes, %s together", collect->n_processes,
                     bytes_text(sum, sizeof sum, collect->total_bytes));
        }
        message_note("approf: %s (%u): %s%s allocated, %s%s live at the end, %s%s at its peak%s%s",
                     largest->exe, largest->pid, largest->exact ? "" : "at least ", total, about,
                     live, about, peak, others, how);
    }
    if (collect->n_running > 0) {
        message_note("approf: %u process%s still running; approf ps lists them, approf top PID "
                     "reads one",
                     collect->n_running, collect->n_running == 1 ? " is" : "es are");
    }
    if (largest->profile[0] != 0) {
        message_note("next:   approf top '%s'", short_path(largest->profile));
    } else if (collect->n_processes > 0 && collect->n_failed == 0) {
        message_note("approf: too little was allocated for a sample: no profile was written");
        message_hint("-rate 1 records every allocation");
    }
}

static int refuse(const char *command, const struct run_program *program)
{
    message_error("%s: %s", command, program->reason);
    message_hint("%s", program->hint);
    return program->status != 0 ? program->status : STATUS_BAD_USAGE;
}

/* Waits a little for children that are just ending, then converts what there is. */
static void collect_all(struct run *run, const struct run_request *request,
                        struct run_outcome *outcome)
{
    for (int i = 0; i < LINGER_STEPS; i++) {
        struct tables_list list;
        bool ending = false;
        run_reap(request, outcome);
        tables_dir_scan(run->directory, &list);
        for (size_t k = 0; k < list.n; k++) {
            ending |= list.entries[k].alive && list.entries[k].exited;
        }
        tables_list_free(&list);
        if (!ending) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    }
    run_collect(&run->collect);
}

static void remove_directory(const struct run *run)
{
    if (run->directory[0] == 0 || run->collect.n_running > 0 || run->collect.n_failed > 0) {
        return;
    }
    char *link = memory_print("%s/libapprof.so", run->directory);
    unlink(link);
    free(link);
    rmdir(run->directory);
}

/* The endpoints and the live view, as far as they are wanted. False after an error message. */
static bool start_watching(struct run *run, const struct cli_options *options, const char *command)
{
    int64_t interval_ns;
    if (run->directory[0] == 0 && (options->live || *options->http != 0)) {
        message_error("run: -live and -http need tables, and APPROF_TABLES is off");
        message_hint("leave APPROF_TABLES out");
        return false;
    }
    if (options->live) {
        /* The view first: it is a fork, the server has threads. */
        if (!live_watch_interval(options->refresh, &interval_ns) ||
            !run_view_open(&run->view, command) ||
            !run_view_start(&run->view, run->directory, options->source_path, interval_ns)) {
            return false;
        }
    }
    if (*options->http == 0) {
        return true;
    }
    run->token = serve_token_read(options->token);
    if (run->token == NULL) {
        return false;
    }
    run->server = server_start(&(struct serve_options){.address = options->http,
                                                       .processes = "all",
                                                       .directory = run->directory,
                                                       .token = run->token,
                                                       .hosts = options->host_names});
    if (run->server == NULL) {
        return false;
    }
    message_note("approf: serving at %s/debug/pprof/", server_url(run->server));
    server_warn(run->server);
    return true;
}

static void stop_watching(struct run *run, bool quiet)
{
    run_view_close(&run->view, quiet);
    if (run->server != NULL) {
        server_stop(run->server);
    }
    free(run->token);
}

int cmd_run(struct invocation *invocation)
{
    static struct run run; /* large */
    static struct run_program program;
    struct run_outcome outcome;
    const struct cli_options *options = &invocation->options;
    if (invocation->n_arguments == 0) {
        message_error("run: which program?");
        message_hint("approf run -- ./server --port 6379");
        return STATUS_BAD_USAGE;
    }
    const char *command = invocation->arguments[0];
    if (!run_check(command, &program)) {
        return refuse(command, &program);
    }
    struct rlimit open_files;
    bool has_limit = getrlimit(RLIMIT_NOFILE, &open_files) == 0;
    run.view = (struct run_view){.streams = {-1, -1, -1}};
    if (!set_pattern(&run, options) || !prepare(&run, options) ||
        !start_watching(&run, options, command)) {
        stop_watching(&run, true);
        remove_directory(&run);
        return STATUS_BAD_USAGE;
    }
    memory_limit_find("", (uint32_t)getpid(), &run.before);
    struct symbolize_options quiet = {.quiet = true};
    run.collect.directory = run.directory;
    run.collect.symbolizer = symbolizer_open(&quiet);
    struct run_request request = {.path = program.path,
                                  .arguments = invocation->arguments,
                                  .environment = run.environment,
                                  .n_environment = run.n_environment,
                                  .streams = run.view.streams,
                                  .open_files = has_limit ? &open_files : NULL,
                                  .tick = tick,
                                  .ending = note_limit,
                                  .ended = note_end,
                                  .stopping = options->live ? await_view : NULL,
                                  .ctx = &run};
    if (run.collect.symbolizer == NULL || !run_child(&request, &outcome)) {
        stop_watching(&run, true);
        remove_directory(&run);
        message_error("%s: %s", command, message_errno(outcome.error));
        return outcome.error == ENOENT ? 127 : 126;
    }
    stop_watching(&run, options->quiet);
    if (run.directory[0] != 0) {
        collect_all(&run, &request, &outcome);
    }
    symbolizer_close(run.collect.symbolizer);
    if (!options->quiet) {
        summarize(&run, &outcome);
    }
    remove_directory(&run);
    free(run.preload);
    run_end_like(outcome.status);
}
