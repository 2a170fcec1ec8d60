/* late_new.h - operator new and delete of a C++ library that came with dlopen, outside the global
 * scope.
 *
 * Since we export these operators, a plugin's references are bound to us. Without us each would
 * have been bound in the plugin's own scope; so who calls decides, in every call: two plugins may
 * have two C++ libraries, or an operator of their own. Answers are remembered per caller, and
 * believed while the caller and the function are still those that they were.
 *
 * Any thread, signal handlers too. No lock, in particular not the loader's; errno is kept.
 */
#ifndef APPROF_LATE_NEW_H
#define APPROF_LATE_NEW_H

#include <stdint.h>

/* The function called symbol for the code at caller (a return address), or NULL. index: a number of
 * symbol's own. */
void *late_new_find(unsigned index, const char *symbol, uintptr_t caller);

#endif
