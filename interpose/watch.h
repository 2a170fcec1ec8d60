/* watch.h - the functions that are watched rather than counted: _exit, _Exit (they bypass the exit
 * handlers), prctl and syscall (through which a program installs a seccomp filter). Each forwards
 * exactly, errno included.
 */
#ifndef APPROF_WATCH_H
#define APPROF_WATCH_H

/* Looks up the next definitions; before it, the kernel is asked directly. Also for a process that
 * is not profiled: another library's own _exit may lie beneath. */
void watch_init(void);

#endif
