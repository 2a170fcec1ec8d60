/* web_order.h - the samples of a profile in the order of their stacks, read from the root down:
 * those that share callers lie together, so that the tree of calls comes out of one walk, without
 * looking anything up.
 */
#ifndef APPROF_WEB_ORDER_H
#define APPROF_WEB_ORDER_H

#include "frames.h"

/* All samples' numbers; free() it. Locations count by their frames, not by their addresses. */
uint32_t *web_order(const struct profile *profile, const struct frame_table *lines);

#endif
