/* gate_run.c - see gate_run.h. */
#include "gate_run.h"

#include "cli_options.h"
#include "memory.h"
#include "merge.h"
#include "message.h"
#include "profile_comments.h"
#include "run_library.h"
#include "source_load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROCESSES = 4096 };

static bool run(const char *command, const char *rate, const char *directory, int *status)
{
    char self[4096];
    if (!run_program_self(self, sizeof self)) {
        message_error("gate: approf can't find itself to run the command");
        return false;
    }
    char *output = memory_print("%s/%%e.%%p.pb.gz", directory);
    pid_t child = fork();
    if (child == 0) {
        setenv("APPROF_OUT", output, 1);
        dup2(STDERR_FILENO, STDOUT_FILENO); /* the report is what stands on standard output */
        execl(self, self, "run", "-quiet", "-rate", rate, "--", "/bin/sh", "-c", command,
              (char *)NULL);
        _exit(127);
    }
    free(output);
    int ended = 0;
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return true;
    *status = STATUS_NO_VERDICT;
    if (child > 0 && WIFSIGNALED(ended))
        message_error("gate: the command was ended by signal %d", WTERMSIG(ended));
    else
        message_error("gate: the command ended with status %d",
                      child > 0 ? WEXITSTATUS(ended) : 127);
    message_hint("what fails measures nothing; mend '%s' first", command);
    return false;
}

struct found {
    struct profile profile;
    double bytes;
    bool shell;
};

static double allocated(const struct profile *p)
{
    struct profile_facts facts;
    return profile_facts_read(p, &facts) ? (double)facts.total_bytes : 0;
}

static bool is_shell(const char *name)
{
    static const char *const shells[] = {"sh.", "dash.", "bash.", "busybox."};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strncmp(name, shells[i], strlen(shells[i])) == 0)
            return true;
    return false;
}

/* NAME.PID.pb.gz */
static bool is_of_program(const char *file, const char *program)
{
    size_t n = strlen(program);
    if (n == 0)
        return true;
    if (strncmp(file, program, n) != 0 || file[n] != '.')
        return false;
    const char *pid = file + n + 1;
    size_t digits = strspn(pid, "0123456789");
    return digits > 0 && strcmp(pid + digits, ".pb.gz") == 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->shell != y->shell)
        return x->shell - y->shell;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* All profiles of the directory as one, the program that allocated most first. The shell counts
 * only where it is alone. */
static bool collect(const char *directory, const char *program, struct profile *out)
{
    DIR *dir = opendir(directory);
    struct found *found = NULL;
    size_t n = 0, room = 0, others = 0;
    struct cli_options options;
    struct profile_error error = {0};
    options_defaults(&options);
    for (struct dirent *entry; dir && n < MOST_PROCESSES && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = memory_print("%s/%s", directory, entry->d_name);
        MEMORY_ROOM(found, n, room);
        if (!is_of_program(entry->d_name, program))
            others++;
        else if (source_load_one(path, &options, &found[n].profile, &error)) {
            found[n].bytes = allocated(&found[n].profile);
            found[n].shell = is_shell(entry->d_name);
            n++;
        } else {
            message_error("%s: %s", entry->d_name, error.text);
        }
        unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    if (n)
        qsort(found, n, sizeof *found, by_bytes);
    size_t used = 0;
    while (used < n && !found[used].shell)
        used++;
    used = used ? used : n;
    bool fine = used > 0;
    struct profile **list = memory_array(n + 1, sizeof(struct profile *));
    for (size_t i = 0; i < used; i++)
        list[i] = &found[i].profile;
    if (fine && !merge_profiles(list, used, 0, out, &error)) {
        message_error("gate: the command's processes can't be added up: %s", error.text);
        fine = false;
    }
    for (size_t i = 0; i < n; i++)
        profile_free(&found[i].profile);
    free(list);
    free(found);
    if (n == 0 && others > 0)
        message_error("gate: none of the command's %zu processes is %s", others, program);
    return fine;
}

bool gate_run_command(const char *command, const char *rate, const char *program,
                      struct profile *out, int *status)
{
    const char *temporary = getenv("TMPDIR");
    char *directory =
        memory_print("%s/approf-gate-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    *status = STATUS_BAD_USAGE;
    if (!mkdtemp(directory)) {
        message_error("%s: %s", directory, message_errno(errno));
        message_hint("TMPDIR names a directory that can be written to");
        free(directory);
        return false;
    }
    bool fine = run(command, rate, directory, status);
    if (fine && !collect(directory, program, out)) {
        *status = STATUS_NO_VERDICT;
        message_error("gate: the command left no profile");
        message_hint("it allocates nothing, or can't be profiled: try approf run -- sh -c '%s'",
                     command);
        fine = false;
    }
    if (!fine) {
        DIR *dir = opendir(directory);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            unlinkat(dirfd(dir), entry->d_name, 0);
        if (dir)
            closedir(dir);
    }
    rmdir(directory);
    free(directory);
    return fine;
}

const char *gate_toolchain(const char *path, char *text, size_t room)
{
    text[0] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE) {
        if (fd >= 0)
            close(fd);
        return text;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t names;
    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
            Elf64_Shdr *header = elf64_getshdr(section);
            const char *name = header ? elf_strptr(elf, names, header->sh_name) : NULL;
            Elf_Data *data;
            if (!name || strcmp(name, ".comment") != 0 || header->sh_size > 65536 ||
                !(data = elf_rawdata(section, NULL)) || !data->d_buf)
                continue;
            size_t n = strnlen(data->d_buf, data->d_size);
            n = n < room - 1 ? n : room - 1;
            memcpy(text, data->d_buf, n);
            text[n] = 0;
            for (size_t i = 0; i < n; i++)
                if ((unsigned char)text[i] < 0x20)
                    text[i] = ' ';
            break;
        }
    }
    elf_end(elf);
    close(fd);
    return text;
}
