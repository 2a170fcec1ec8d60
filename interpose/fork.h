/* fork.h - a forked child becomes a process of its own at its first sampled event.
 *
 * There is no atfork handler: raw clone goes past those. A child is recognised by its wiped slots
 * (slots.h). Order of what it drops and makes: walker, modules, tables, slots; no lock of ours is
 * ever inherited held, because all of them lie in wiped pages.
 */
#ifndef APPROF_FORK_H
#define APPROF_FORK_H

#include <stdbool.h>

/* Makes the child's own tables. True once they are there; false while another thread of the child
 * is at it, or when none can be had: then allocations pass uncounted. */
bool fork_child_start(void);

#endif
