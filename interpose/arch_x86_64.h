/* arch_x86_64.h - all that the stack walker knows of the processor and of its ABI. Another
 * architecture is another file with the same names; nothing else in the walker names a register,
 * an instruction byte or a system call number.
 *
 * Sources: System V ABI for AMD64 (DWARF register numbers, frame layout), Linux's rt_sigframe.
 * Everything here is signal- and thread-safe and leaves errno alone.
 */
#ifndef APPROF_ARCH_X86_64_H
#define APPROF_ARCH_X86_64_H

#ifndef __x86_64__
#error "no architecture file for this processor"
#endif

#include "raw_sys.h"
#include <string.h>
#include <elf.h>
#include <ucontext.h>

enum {
    ARCH_DWARF_FP = 6,   /* rbp */
    ARCH_DWARF_SP = 7,   /* rsp */
    ARCH_DWARF_RA = 16,  /* the column of the return address */
    ARCH_RA_OFFSET = -8, /* the return address lies at CFA + this */
    ARCH_WORD = 8,
    ARCH_PAGE = 4096,
    ARCH_FRAME_RECORD = 16, /* saved frame pointer, return address */
    ARCH_RED_ZONE = 128, /* below the stack pointer, spared by signals: an epilogue's CFI points at
                            registers that it has popped already */
};

/* User addresses end here (47 bits; with five-level paging only those who ask for more get it). */
#define ARCH_USER_END UINT64_C(0x800000000000)

/* The relocation of a pointer to a symbol that is looked up by name. */
enum { ARCH_RELOCATION_GLOBAL = R_X86_64_GLOB_DAT };

static inline uintptr_t arch_thread_pointer(void)
{
    uintptr_t tp;
    __asm__("mov %%fs:0, %0" : "=r"(tp));
    return tp;
}

/* Whether 8 bytes at address can be read. The kernel copies the signal set before it looks at what
 * is to be done with it, and what is asked for here does not exist: EFAULT or EINVAL, no effect. */
static inline bool arch_probe_readable(uintptr_t address)
{
    enum { NO_SUCH_HOW = 0x7fff };
    return raw_sigprocmask(NO_SUCH_HOW, (const uint64_t *)address, NULL) == -EINVAL;
}

/* Whether the code at pc is the trampoline through which a signal handler returns: "mov $15, %rax;
 * syscall", in either encoding. pc must lie in readable text. */
enum { ARCH_SIGRETURN_BYTES = 9 };
static inline bool arch_is_sigreturn(const uint8_t *pc)
{
    static const uint8_t long_form[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    static const uint8_t short_form[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
    return memcmp(pc, long_form, sizeof long_form) == 0 ||
           memcmp(pc, short_form, sizeof short_form) == 0;
}

/* A signal frame: when the handler has returned, the stack pointer points at the ucontext. */
enum { ARCH_SIGNAL_PC = offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]) };

/* Where in the ucontext the interrupted value of a register lies, by DWARF number (below
 * ARCH_DWARF_RA). */
static inline size_t arch_signal_register(unsigned reg)
{
    static const uint8_t order[ARCH_DWARF_RA] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return offsetof(ucontext_t, uc_mcontext.gregs) + order[reg] * sizeof(greg_t);
}

#endif
