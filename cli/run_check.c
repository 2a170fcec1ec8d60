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

typedef bool symbol_test(const char *name, const GElf_Sym *symbol, const void **found);

/* Whether a symbol in any symbol table passes the test. */
static bool any_symbol(Elf *elf, symbol_test *test, const void **found)
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
            if (gelf_getsym(data, (int)i, &symbol) == NULL) {
                continue;
            }
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name != NULL && test(name, &symbol, found)) {
                return true;
            }
        }
    }
    return false;
}

static bool defines_malloc(const char *name, const GElf_Sym *symbol, const void **found)
{
    (void)found;
    return symbol->st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
           GELF_ST_BIND(symbol->st_info) != STB_LOCAL && strcmp(name, "malloc") == 0;
}

/* What sanitizers with an allocator of their own leave in a program: a shared runtime that it
 * needs, gcc's or clang's, or the runtime itself inside, which has its start function. The hook
 * passes all calls on in such a process (interpose/sanitizer.h). */
static const struct {
    const char *gcc_runtime, *clang_runtime, *start, *reason;
} sanitizers[] = {
    {"libasan.so", "libclang_rt.asan", "__asan_init", "is built with AddressSanitizer"},
    {"libhwasan.so", "libclang_rt.hwasan", "__hwasan_init", "is built with HWAddressSanitizer"},
    {"liblsan.so", "libclang_rt.lsan", "__lsan_init", "is built with LeakSanitizer"},
    {"libtsan.so", "libclang_rt.tsan", "__tsan_init", "is built with ThreadSanitizer"},
    {"libmsan.so", "libclang_rt.msan", "__msan_init", "is built with MemorySanitizer"},
};
enum { N_SANITIZERS = sizeof sanitizers / sizeof *sanitizers };

static bool names_sanitizer(const char *name, const GElf_Sym *symbol, const void **found)
{
    /* A program may ask weakly, to see whether it has one. */
    if (strncmp(name, "__", 2) != 0 ||
        (symbol->st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol->st_info) == STB_WEAK)) {
        return false;
    }
    for (size_t i = 0; i < N_SANITIZERS; i++) {
        if (strcmp(name, sanitizers[i].start) == 0) {
            *found = sanitizers[i].reason;
            return true;
        }
    }
    return false;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *needed_sanitizer(Elf *elf)
{
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
            for (size_t k = 0; library != NULL && k < N_SANITIZERS; k++) {
                if (starts_with(library, sanitizers[k].gcc_runtime) ||
                    starts_with(library, sanitizers[k].clang_runtime)) {
                    return sanitizers[k].reason;
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
    const void *sanitizer = fine ? needed_sanitizer(elf) : NULL;
    if (fine && (sanitizer != NULL || any_symbol(elf, names_sanitizer, &sanitizer))) {
        fine = REFUSE(program, (const char *)sanitizer,
                      "its reports need to see each call as it was made; profile a build without "
                      "-fsanitize (undefined alone is fine)");
    }
    if (fine && any_symbol(elf, defines_malloc, NULL)) {
        fine = REFUSE(program, "has its own malloc inside: its allocations never reach a library",
                      "link the allocator as a shared library, or leave it out");
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
