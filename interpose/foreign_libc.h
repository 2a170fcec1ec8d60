/* foreign_libc.h - what the hook uses that only glibc has.
 *
 * A preload is inherited, also by a program that is linked with musl. Its loader brings the library
 * in, and ends the program when a symbol is missing. So these are weak: the library can be loaded
 * there, passes every call on, and does nothing else (startup.c). Each use stands behind
 * libc_is_glibc(), or behind hook_active(), which is never true there.
 */
#ifndef APPROF_FOREIGN_LIBC_H
#define APPROF_FOREIGN_LIBC_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/single_threaded.h>

int __cxa_at_quick_exit(void (*function)(void *), void *dso);

#pragma weak _r_debug
#pragma weak _dl_find_object
#pragma weak __libc_single_threaded
#pragma weak __cxa_at_quick_exit

static inline bool libc_is_glibc(void)
{
    return &_r_debug != NULL && _dl_find_object != NULL;
}

#endif
