/* gate_moved.c - code that moved: a function that was renamed, split, or inlined elsewhere
 * allocates under another name, and nothing has grown.
 *
 * Sites are matched by name first. What is left on one side only is looked at under its anchor, the
 * nearest caller that is a frame on both sides: the anchor's own site and all unmatched sites under
 * it are one group, and only if the group as a whole has grown has anything grown.
 */
#include "gate.h"

#include <string.h>

static bool unmatched(const struct gate_site *site)
{
    return site->on[GATE_BASE] != site->on[GATE_NEW];
}

/* The name id of a site's own function, KEY_NONE when the site is a line. */
static uint32_t own_name(const struct gate *gate, const struct gate_site *site)
{
    uint64_t hash = hash_bytes(hash_seed(), site->name, strlen(site->name));
    struct key_cursor at = key_table_at(&gate->name_index, hash);
    uint32_t id;
    while ((id = key_table_next(&gate->name_index, &at)) != KEY_NONE)
        if (strcmp(gate->names[id], site->name) == 0)
            return id;
    return KEY_NONE;
}

uint32_t gate_moved_group(const struct gate *gate, uint32_t site, uint32_t *sites, uint32_t room)
{
    const struct gate_site *grown = &gate->sites[site];
    uint32_t anchor = unmatched(grown) ? grown->anchor : own_name(gate, grown), n = 0;
    bool lost = false;
    if (anchor == KEY_NONE)
        return 0;
    /* A matched site may be its anchor's callee as well as its own group's head. */
    sites[n++] = site;
    for (uint32_t s = 0; s < gate->n_sites && n < room; s++) {
        const struct gate_site *other = &gate->sites[s];
        if (s == site)
            continue;
        bool head = own_name(gate, other) == anchor;
        if (head || (unmatched(other) && other->anchor == anchor)) {
            sites[n++] = s;
            lost = lost || other->on[GATE_BASE];
        }
    }
    return lost ? n : 0;
}
