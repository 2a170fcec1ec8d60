/* gate_moved.c - code that moved: a function that was renamed, split, or inlined elsewhere
 * allocates under another name, and nothing has grown.
 *
 * Sites are matched by name first. What is left on one side only is looked at in groups that may
 * have exchanged code, and only if a group as a whole has grown has anything grown:
 *
 *   around a function that both sides have as a frame: its own site, and all unmatched sites whose
 *   anchor, the nearest caller that is a frame on both sides, it is;
 *   around the anchor of an unmatched site, likewise.
 */
#include "gate.h"

static bool unmatched(const struct gate_site *site)
{
    return site->on[GATE_BASE] != site->on[GATE_NEW];
}

uint32_t gate_moved_group(const struct gate *gate, uint32_t site, bool by_caller, uint32_t *sites)
{
    const struct gate_site *grown = &gate->sites[site];
    uint32_t anchor = by_caller ? grown->anchor : grown->own, n = 0;
    bool lost = false;
    if (anchor == KEY_NONE || (by_caller && !unmatched(grown)) || !gate->name_on[anchor][GATE_BASE])
        return 0;
    sites[n++] = site;
    for (uint32_t s = 0; s < gate->n_sites; s++) {
        const struct gate_site *other = &gate->sites[s];
        if (s == site)
            continue;
        /* Lines of one function that are on both sides have nothing to do with each other. */
        bool head = other->own == anchor && (!gate->by_line || unmatched(other));
        if (head || (unmatched(other) && other->anchor == anchor)) {
            sites[n++] = s;
            lost = lost || other->on[GATE_BASE];
        }
    }
    return lost ? n : 0;
}
