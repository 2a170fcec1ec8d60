/* watch_syscall.S - syscall(2), watched for seccomp, prctl and exit_group; everything else is a jump with all registers
 * and the stack as they came, so that vfork and clone made through it return as they must. */
#if defined(__x86_64__)
#include <sys/syscall.h>

    .text
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    cmpq $SYS_seccomp, %rdi
    je 1f
    cmpq $SYS_prctl, %rdi
    je 1f
    cmpq $SYS_exit_group, %rdi
    je 1f
    jmp *watch_real_syscall(%rip)
1:  jmp watch_syscall_slow
    .cfi_endproc
    .size syscall, . - syscall
#endif
    .section .note.GNU-stack, "", @progbits
