/* sanitizer.h - programs that are built with -fsanitize=address, leak, thread or memory.
 *
 * A sanitizer's runtime brings an allocator of its own, and its reports are made of what that sees
 * of each call. Counted over it, AddressSanitizer's and LeakSanitizer's stacks had frames of ours
 * in them and one leak became two, and ThreadSanitizer, which intercepts the C library's functions
 * for us as well, reported races between the hook's own lock-free tables in a program that has
 * none. So such a process is not profiled: every function is a mere jump to the runtime's, and
 * nothing is said, since what a sanitizer prints is often compared. `approf run` refuses these
 * programs in words. -fsanitize=undefined alone brings no allocator and is profiled as any program
 * is.
 *
 * AddressSanitizer's shared runtime ends a program when another library comes before it. It looks
 * once, at its own start; sanitizer_start has it start at a moment at which we are not to be seen,
 * so that its judgement is the same as without us. (The option that turns the check off can't be
 * set from here: a program's own __asan_default_options comes before ours, and ASAN_OPTIONS is read
 * from what the kernel has.)
 */
#ifndef APPROF_SANITIZER_H
#define APPROF_SANITIZER_H

#include <stdbool.h>

/* Must come before anything of ours calls a function that a runtime intercepts (strcmp is one), and
 * while there is one thread: in resolve_all. Does nothing without AddressSanitizer. */
void sanitizer_start(void);

/* Whether a sanitizer's allocator is the program's; if so that is said where APPROF_VERBOSE asks
 * for it. To be called in a constructor before anything else is: ThreadSanitizer's static runtime
 * has not started yet, and crashes in the functions that it intercepts. */
bool sanitizer_allocates(char **environment);

#endif
