/* test: link=proto quick */
/* write_file.c - profiles as files: complete or not at all, never through a link, never over
 * another file unless that is asked for, nothing left behind.
 */
#include "proto_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct profile p;
static struct profile_error error;

static int files_here(void)
{
    DIR *dir = opendir(".");
    int n = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static bool is_ours(const char *path)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    struct profile again;
    bool good = file_read(path, 1 << 20, &bytes, &error) &&
                profile_decode(bytes.bytes, bytes.length, &again, &error);
    if (good) {
        good = !profile_difference(&p, &again);
        profile_free(&again);
    }
    arena_free(&arena);
    return good;
}

static void names(void)
{
    char path[64];
    CHECK(profile_write_file(&p, "a.pb.gz", false, path, sizeof path, &error), "%s", error.text);
    CHECK(strcmp(path, "a.pb.gz") == 0 && is_ours("a.pb.gz"), "%s", path);
    struct stat status;
    CHECK(stat("a.pb.gz", &status) == 0 && (status.st_mode & 07777) == 0600, "mode");
    CHECK(profile_write_file(&p, "a.pb.gz", false, path, sizeof path, &error), "%s", error.text);
    CHECK(strcmp(path, "a.pb.gz.2") == 0 && is_ours("a.pb.gz.2"), "%s", path);
    CHECK(profile_write_file(&p, "./a.pb.gz", false, path, sizeof path, &error), "%s", error.text);
    CHECK(strcmp(path, "./a.pb.gz.3") == 0, "%s", path);
    CHECK(profile_write_file(&p, "a.pb.gz", true, path, 5, &error), "%s", error.text);
    CHECK(strcmp(path, "a.pb") == 0, "%s", path); /* cut off to its room */
    CHECK(files_here() == 3, "%d files", files_here());
}

static void links(void)
{
    char path[64];
    int before = files_here();
    CHECK(symlink("/nonexistent/elsewhere", "link") == 0 && symlink("a.pb.gz", "link2") == 0, " ");
    CHECK(profile_write_file(&p, "link", false, path, sizeof path, &error), "%s", error.text);
    CHECK(strcmp(path, "link.2") == 0, "%s", path);
    CHECK(profile_write_file(&p, "link2", true, path, sizeof path, &error), "%s", error.text);
    struct stat status;
    CHECK(lstat("link2", &status) == 0 && S_ISREG(status.st_mode), "written through a link");
    CHECK(files_here() == before + 3, "%d files", files_here());
}

static void faults(void)
{
    int before = files_here();
    CHECK(!profile_write_file(&p, "no/such/folder", false, NULL, 0, &error), "written");
    CHECK(strcmp(error.text, "no/such/folder: no such file or directory") == 0, "%s", error.text);
    CHECK(mkdir("folder", 0700) == 0 && mkdir("folder/full", 0700) == 0, " ");
    CHECK(!profile_write_file(&p, "folder", true, NULL, 0, &error), "written over a folder");
    CHECK(strstr(error.text, "folder: "), "%s", error.text);
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    CHECK(!profile_write_file(&p, longest, false, NULL, 0, &error), "written");
    longest[300] = 0;
    CHECK(!profile_write_file(&p, longest, true, NULL, 0, NULL), "written");
    CHECK(files_here() == before + 1, "%d files", files_here());
    struct byte_buffer bytes = {.arena = &p.arena};
    CHECK(!file_read("folder", 100, &bytes, &error) && !strcmp(error.text, "is a directory"), "%s",
          error.text);
    CHECK(!file_read("a.pb.gz", 10, &bytes, &error) && error.kind == PROFILE_ERROR_TOO_LARGE, "%s",
          error.text);
}

/* A limit on file sizes is an error, not a signal that ends the process, and the signal is taken
 * back. */
static void size_limit(void)
{
    int before = files_here();
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {20, 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        bool refused = !profile_write_file(&p, "big.pb.gz", false, NULL, 0, &error);
        sigset_t pending;
        sigpending(&pending);
        _exit(refused && strstr(error.text, "big.pb.gz: file too large") &&
                      !sigismember(&pending, SIGXFSZ)
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
    CHECK(files_here() == before, "%d files", files_here());
}

static void pipe_input(void)
{
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "some bytes", 10) != 10)
        abort();
    close(ends[1]);
    int saved = dup(0);
    dup2(ends[0], 0);
    struct byte_buffer bytes = {.arena = &p.arena};
    CHECK(file_read("-", 100, &bytes, &error) && bytes.length == 10, "%s", error.text);
    CHECK(memcmp(bytes.bytes, "some bytes", 10) == 0, " ");
    dup2(saved, 0);
    close(saved);
    close(ends[0]);
}

int main(void)
{
    char folder[] = "write-file-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    test_profile(&p, 7);
    names();
    links();
    faults();
    size_limit();
    pipe_input();
    profile_free(&p);
    if (chdir("..") != 0)
        return 1;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return check_failures || system(command) ? 1 : 0;
}
