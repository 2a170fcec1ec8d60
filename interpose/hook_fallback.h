/* hook_fallback.h - stand-ins for functions that nothing in the process defines (hooks.def).
 *
 * Same contracts as the functions that they stand in for. Thread-safe as the allocator is.
 */
#ifndef APPROF_HOOK_FALLBACK_H
#define APPROF_HOOK_FALLBACK_H

#include <stddef.h>

/* From then on they are made of the functions that find names, where it finds them, rather than of
 * ours. Before there are threads. */
void fallback_onto(void *(*find)(const char *symbol));

void *fallback_reallocarray(void *p, size_t n, size_t size);
void fallback_cfree(void *p);
void fallback_free_sized(void *p, size_t size);
void fallback_free_aligned_sized(void *p, size_t align, size_t size);

void *fallback_new(size_t size);
void *fallback_new_nothrow(size_t size, const void *t);
void *fallback_new_aligned(size_t size, size_t a);
void *fallback_new_aligned_nothrow(size_t size, size_t a, const void *t);
void fallback_delete_nothrow(void *p, const void *t);
void fallback_delete_aligned_nothrow(void *p, size_t a, const void *t);

void *fallback_mallocx(size_t size, int flags);
void *fallback_rallocx(void *p, size_t size, int flags);
size_t fallback_xallocx(void *p, size_t size, size_t extra, int flags);
void fallback_dallocx(void *p, int flags);
void fallback_sdallocx(void *p, size_t size, int flags);

#endif
