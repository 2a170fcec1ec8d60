/* test: link=tables time=120 quick */
/* dead_tables.c - which files a process that makes tables removes: those of dead processes of the
 * same exe but for the three newest: with its own four remain of a crash loop. Never one that is
 * mapped, another exe's, another namespace's, or something that only looks like one. And what
 * directories are refused. */
#include "tables_world.h"
#include <dirent.h>
#include <signal.h>

static struct tables_config config;

/* The files in the directory whose names begin so. */
static unsigned count(const char *prefix)
{
    DIR *dir = opendir(world_directory);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    closedir(dir);
    return n;
}

/* A process with tables that dies at once (and is reaped), or that waits to be killed. */
static pid_t start(const char *exe, bool die, char path[512])
{
    int fds[2], status;
    if (pipe(fds) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        config.exe = exe;
        bool ok = tables_init(&config) && !tables_are_private();
        const char *text = ok ? tables_path() : "none";
        if (write(fds[1], text, strlen(text) + 1) < 0)
            _exit(2);
        if (die)
            raise(SIGKILL);
        pause();
        _exit(0);
    }
    close(fds[1]);
    path[0] = 0;
    if (read(fds[0], path, 511) <= 0 || path[0] != '/')
        CHECK(false, "no tables for %s", exe);
    close(fds[0]);
    if (die)
        waitpid(pid, &status, 0);
    return pid;
}

static void end(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

/* Overwrites one field of a file's header. */
static void forge(const char *path, size_t offset, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, bytes, n, (off_t)offset) == (ssize_t)n, "forge %s", path);
    close(fd);
}
#define FORGE(path, field, value) \
    forge(path, offsetof(struct heap_header, field), &(value), sizeof(value))

static void copy_of(const char *path, const char *name)
{
    char command[1200];
    snprintf(command, sizeof command, "cp '%s' '%s/%s'", path, world_directory, name);
    CHECK(system(command) == 0, "%s", command);
}

static void crash_loop(void)
{
    char path[512], last[4][512];
    for (int i = 0; i < 50; i++)
        start("/bin/looper", true, i < 46 ? path : last[i - 46]);
    CHECK(count("looper.") == 4, "%u files after a crash loop", count("looper."));
    for (int i = 0; i < 4; i++)
        CHECK(access(last[i], F_OK) == 0, "one of the newest is gone");
}

static void spared(void)
{
    char live[512], other[512], foreign[512], path[512], older[512];
    pid_t alive = start("/bin/victim", false, live);
    start("/bin/victim2", true, other);
    start("/bin/victim", true, foreign);
    uint64_t namespace = 12345;
    FORGE(foreign, pid_namespace, namespace);
    copy_of(live, "victim.heap");
    copy_of(live, "victim.12x.ab.heap");
    copy_of(live, "victim.1.ab.heapx");
    start("/bin/victim", true, older);
    uint8_t boot[16] = "an earlier boot";
    int64_t long_ago = 1;
    FORGE(older, boot_id, boot);
    FORGE(older, start_realtime_ns, long_ago);
    for (int i = 0; i < 10; i++)
        start("/bin/victim", true, path);
    CHECK(access(live, F_OK) == 0, "a live process's tables were removed");
    CHECK(access(other, F_OK) == 0, "another exe's tables were removed");
    CHECK(access(foreign, F_OK) == 0, "tables of another pid namespace were removed");
    CHECK(access(older, F_OK) != 0, "tables of an earlier boot were kept");
    CHECK(count("victim.heap") == 1 && count("victim.12x") == 1 && count("victim.1.") == 1,
          "files that only look like tables");
    CHECK(count("victim.") == 4 + 1 + 1 + 3, "%u files", count("victim."));
    end(alive);
    /* The pid is in use again, by a process that is another: the same one with other ticks. */
    pid_t again = start("/bin/victim", false, live);
    copy_of(live, "victim.77.77.heap");
    snprintf(path, sizeof path, "%s/victim.77.77.heap", world_directory);
    uint64_t ticks = 1;
    int64_t old = 2;
    FORGE(path, start_ticks, ticks);
    FORGE(path, start_realtime_ns, old);
    start("/bin/victim", true, other);
    CHECK(access(path, F_OK) != 0, "tables of a reused pid were kept");
    CHECK(access(live, F_OK) == 0, "a live process's tables were removed");
    end(again);
}

/* The tables must be private: the directory is not ours alone. */
static void refused(const char *what)
{
    pid_t pid = fork();
    if (pid == 0) {
        int complaints = world_complaints;
        bool ok = tables_init(&config) && tables_are_private() && tables_path()[0] == 0;
        _exit(ok && world_complaints == complaints + 1 ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    CHECK(status == 0, "%s was used", what);
}

static void directories(void)
{
    char path[512], target[512];
    config.directory = path;
    snprintf(path, sizeof path, "%s/open", world_directory);
    mkdir(path, 0700);
    chmod(path, 0720);
    refused("a directory that the group may write");
    chmod(path, 0702);
    refused("a directory that anybody may write");
    snprintf(path, sizeof path, "%s/link", world_directory);
    snprintf(target, sizeof target, "%s/real", world_directory);
    mkdir(target, 0700);
    CHECK(symlink(target, path) == 0, "symlink");
    refused("a link");
    snprintf(path, sizeof path, "%s/file", world_directory);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    refused("a file");
    snprintf(path, sizeof path, "%s/missing/twice", world_directory);
    refused("a directory that isn't there");
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "%s/other", world_directory);
        mkdir(path, 0700);
        CHECK(chown(path, 12345, 12345) == 0, "chown");
        refused("another user's directory");
    }
    CHECK(rmdir(target) == 0, "something was made behind a link");
}

int main(void)
{
    world_make_directory();
    config = world_config(1);
    crash_loop();
    spared();
    directories();
    return world_end();
}
