/* resolve.h - which functions lie beneath ours.
 *
 * Each function is the one that the program would have reached without us: the next definition in
 * the loader's order. All pointers start out
 * as resolvers, so that a call before any constructor works; looking symbols up may itself allocate
 * (dlsym's error state), which a static arena serves meanwhile.
 */
#ifndef APPROF_RESOLVE_H
#define APPROF_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

/* The next definition after ours, as RTLD_NEXT would have it; NULL when there is none. Behind
 * another allocator, too: what reaches us there is that allocator's own RTLD_NEXT, or a function
 * that it does not have. In a constructor. */
void *resolve_next(const char *symbol);

/* Looks everything up; true when that has been done. False while it is under way: the caller makes
 * do with the arena, without waiting (two threads can't wait for each other's loader lock). */
bool resolve_all(void);

/* Makes every function but malloc and free a mere jump to the next one: nothing is to be counted
 * in this process. */
void resolve_forward_all(void);

/* False when another definition of malloc comes before ours: we see nothing then. */
bool resolve_is_first(void);

/* Whether code at address belongs to the object that defines the malloc beneath. */
bool resolve_in_allocator(uintptr_t address);

/* The same, or to us: an allocator that ends in a jump to another function of its own family leaves
 * our frame as its caller. */
bool resolve_is_beneath(uintptr_t address);

#endif
