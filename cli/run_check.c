/* run_check.c - reads a program's ELF header, interpreter and symbols before it is run. */
#include "run_check.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_SCRIPTS = 5 /* interpreters that are scripts again; the kernel allows as many */ };

#define REFUSE(program, why, what)                                      \
    (snprintf((program)->reason, sizeof(program)->reason, "%s", (why)), \
     snprintf((program)->hint, sizeof(program)->hint, "%s", (what)), false)

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* As execvp looks for it. */
static bool find_program(const char *command, struct run_program *program)
{
    size_t room = sizeof program->path;
    if (strchr(command, '/') != NULL) {
        if ((size_t)snprintf(program->path, room, "%s", command) >= room ||
            access(command, F_OK) != 0) {
            program->status = 127;
            return REFUSE(program, message_errno(errno), "give the path of a program");
        }
        if (!is_executable(command)) {
            program->status = 126;
            return REFUSE(program, "not an executable file", "chmod +x makes it one");
        }
        return true;
    }
    const char *list = getenv("PATH");
    for (const char *at = list != NULL ? list : "/bin:/usr/bin";; at++) {
        size_t n = strcspn(at, ":");
        if ((size_t)snprintf(program->path, room, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? at : ".",
                             command) < room &&
            is_executable(program->path)) {
            return true;
        }
        at += n;
        if (*at == 0) {
            break;
        }
    }
    program->status = 127;
    return REFUSE(program, "no such command along PATH", "give its path");
}

/* Its rights are not the caller's: the loader ignores what is preloaded. */
static bool has_caller_rights(int fd, const char *path, struct run_program *program)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return REFUSE(program, message_errno(errno), "is it readable?");
    }
    static const char as_owner[] = "run it as the user that it would change to, or a copy without "
                                   "the mark: cp makes one";
    if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) {
        return REFUSE(program, "is setuid: the loader ignores LD_PRELOAD for it", as_owner);
    }
    if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
        status.st_gid != getgid()) {
        return REFUSE(program, "is setgid: the loader ignores LD_PRELOAD for it", as_owner);
    }
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0) {
        return REFUSE(program, "has file capabilities: the loader ignores LD_PRELOAD for it",
                      "run a copy of it (cp drops them) with the rights it needs");
    }
    return true;
}

/* Whether a symbol table defines malloc as a function. */
static bool defines_malloc(Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
            header.sh_entsize == 0 || (data = elf_getdata(section, NULL)) == NULL) {
            continue;
        }
        size_t n = data->d_size / header.sh_entsize;
        for (size_t i = 1; i < n && i < (1u << 24); i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL || symbol.st_shndx == SHN_UNDEF ||
                GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
                GELF_ST_BIND(symbol.st_info) == STB_LOCAL) {
                continue;
            }
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name != NULL && strcmp(name, "malloc") == 0) {
                return true;
            }
        }
    }
    return false;
}

/* A sanitizer's allocator stops the program when any other library comes before its own. */
static const char *needed_sanitizer(Elf *elf)
{
    static const char *const names[][2] = {{"libasan.so", "is built with AddressSanitizer"},
                                           {"libhwasan.so", "is built with HWAddressSanitizer"},
                                           {"liblsan.so", "is built with LeakSanitizer"},
                                           {"libtsan.so", "is built with ThreadSanitizer"}};
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_DYNAMIC ||
            header.sh_entsize == 0 || (data = elf_getdata(section, NULL)) == NULL) {
            continue;
        }
        for (size_t i = 0; i < data->d_size / header.sh_entsize; i++) {
            GElf_Dyn entry;
            if (gelf_getdyn(data, (int)i, &entry) == NULL || entry.d_tag != DT_NEEDED) {
                continue;
            }
            const char *library = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
            for (size_t k = 0; library != NULL && k < sizeof names / sizeof *names; k++) {
                if (strncmp(library, names[k][0], strlen(names[k][0])) == 0) {
                    return names[k][1];
                }
            }
        }
    }
    return NULL;
}

/* What the shell takes for a text as well: no control characters at its start. */
static bool is_text(int fd)
{
    unsigned char head[256];
    ssize_t n = pread(fd, head, sizeof head, 0);
    for (ssize_t i = 0; i < n; i++) {
        if (head[i] < 7) {
            return false;
        }
    }
    return n >= 0;
}

static bool check_elf(int fd, struct run_program *program)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    if (elf == NULL || gelf_getehdr(elf, &header) == NULL) {
        elf_end(elf);
        /* A text without "#!" is run by the shell. */
        return is_text(fd) ||
               REFUSE(program, "is neither an ELF program nor a script", "is the file whole?");
    }
    bool fine = true;
    char interpreter[256] = "";
    size_t n = 0;
    if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64) {
        fine = REFUSE(program, "is for another processor than libapprof.so (x86-64)",
                      "build approf for that processor");
    }
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; fine && i < n; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_INTERP) {
            size_t length =
                segment.p_filesz < sizeof interpreter ? segment.p_filesz : sizeof interpreter - 1;
            ssize_t got = pread(fd, interpreter, length, (off_t)segment.p_offset);
            interpreter[got > 0 ? got : 0] = 0;
        }
    }
    if (fine && interpreter[0] == 0) {
        fine = REFUSE(program, "is statically linked: nothing can be preloaded into it",
                      "link it dynamically (without -static); Go programs have a heap profiler of "
                      "their own, net/http/pprof");
    }
    if (fine && strstr(interpreter, "ld-musl") != NULL) {
        fine = REFUSE(program, "is linked against musl; libapprof.so needs glibc",
                      "build the program on a glibc system");
    }
    if (fine && defines_malloc(elf)) {
        fine = REFUSE(program, "has its own malloc inside: its allocations never reach a library",
                      "link the allocator as a shared library, or leave it out");
    }
    const char *sanitizer = fine ? needed_sanitizer(elf) : NULL;
    if (sanitizer != NULL) {
        fine = REFUSE(program, sanitizer,
                      "its allocator must be the first; profile a build without -fsanitize");
    }
    elf_end(elf);
    return fine;
}

/* "#! /path argument": the path; false if it is no script. */
static bool script_interpreter(int fd, char *path, size_t room)
{
    char line[256];
    ssize_t n = pread(fd, line, sizeof line - 1, 0);
    if (n < 3 || line[0] != '#' || line[1] != '!') {
        return false;
    }
    line[n] = 0;
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = 0;
    return *start != 0 && (size_t)snprintf(path, room, "%s", start) < room;
}

bool run_check(const char *command, struct run_program *program)
{
    *program = (struct run_program){0};
    if (!find_program(command, program)) {
        return false;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s", program->path);
    for (int i = 0; i < MOST_SCRIPTS; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) {
            /* Executable but not readable: the loader does not need to read it, we can't judge. */
            return true;
        }
        bool script = script_interpreter(fd, path, sizeof path);
        bool fine = script || (has_caller_rights(fd, path, program) && check_elf(fd, program));
        close(fd);
        if (!script) {
            return fine;
        }
        if (!is_executable(path)) {
            program->status = 126;
            return REFUSE(program, "is a script whose interpreter is not there",
                          "its first line names it");
        }
    }
    return REFUSE(program, "is a script of a script of a script ...", "run the last one directly");
}
