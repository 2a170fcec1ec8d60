/* tables_live.c - reading the live samples, whose stripes change under the reader (see
 * tables_source.h; heap_tables.h has the protocol).
 */
#include "tables_source.h"

#include "id_table.h"

#include <string.h>

enum {
    TRIES = 64, /* to find a stripe at rest; a writer is inside for nanoseconds, so that even in a
                   busy process a few are enough, unless it died there ... */
    QUICK_TRIES = 8, /* ... or has lost its processor meanwhile: from then on it is given time */
};

struct live_list {
    uint32_t n, room;
    uint64_t most; /* entries that the file can hold at all */
};

static uint64_t stripe_offset(uint32_t stripe)
{
    return offsetof(struct heap_header, stripes) + stripe * sizeof(struct heap_stripe);
}

static bool sound(const struct tables_source *source, const struct heap_stripe *stripe)
{
    uint64_t bytes = (uint64_t)stripe->capacity * sizeof(struct heap_live);
    return (stripe->capacity & (stripe->capacity - 1)) == 0 && stripe->offset % 8 == 0 &&
           stripe->offset <= source->size && bytes <= source->size - stripe->offset;
}

/* Appends the entries of one stripe. Those of a stripe that was changing may be there twice: moved
 * from one slot to another while it was read. */
static bool append(struct heap_snapshot *out, struct live_list *list, const struct heap_live *slots,
                   uint32_t n, bool torn, struct arena *scratch)
{
    struct id_table seen;
    if (torn && !id_table_init(&seen, scratch, 0))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!slots[i].address || !slots[i].counter)
            continue;
        if (torn) {
            int added = id_table_add(&seen, slots[i].address, 0);
            if (added < 0)
                return false;
            if (!added)
                continue;
        }
        if (list->n >= list->most) {
            out->damaged = true;
            return true;
        }
        if (list->n == list->room) {
            uint64_t room = list->room ? 2 * (uint64_t)list->room : 1024;
            if (room > UINT32_MAX)
                room = UINT32_MAX;
            if (room == list->room)
                return true;
            void *grown = arena_grow(&out->arena, out->live, list->room * sizeof *out->live,
                                     room * sizeof *out->live);
            if (!grown)
                return false;
            out->live = grown;
            list->room = (uint32_t)room;
        }
        out->live[list->n++] = slots[i];
    }
    return true;
}

static bool read_seq(const struct tables_source *source, uint32_t index, uint32_t *seq)
{
    return source_read(source, seq, sizeof *seq,
                       stripe_offset(index) + offsetof(struct heap_stripe, seq));
}

/* Reads one stripe into *slots; false when there is nothing to be had of it. seq has reads of its
 * own on both sides: one read copies its bytes in no particular order, so a seq among them says
 * nothing about its neighbours. */
static bool read_stripe(struct tables_source *source, uint32_t index, struct byte_buffer *slots,
                        struct heap_stripe *stripe, bool *torn)
{
    bool any = false, rested = false;
    *torn = false;
    for (int i = 0; i < TRIES; i++) {
        struct heap_stripe found;
        uint32_t before, after;
        if (!read_seq(source, index, &before) ||
            !source_read(source, &found, sizeof found, stripe_offset(index)))
            break;
        if (i >= QUICK_TRIES && before % 2 != 0 && source->io->pause)
            source->io->pause(source->io->ctx);
        bool good = sound(source, &found);
        if (good) {
            size_t bytes = (size_t)found.capacity * sizeof(struct heap_live);
            slots->length = 0;
            if (!byte_buffer_reserve(slots, bytes) ||
                !source_read(source, slots->bytes, bytes, found.offset))
                break;
        }
        if (!read_seq(source, index, &after))
            break;
        bool rests = before % 2 == 0 && before == after;
        if (!good) {
            /* At rest this is damage, unless it has moved to where the file has grown meanwhile;
             * while it moves, the next look will tell. */
            if (rests && !source_grown(source))
                break;
            continue;
        }
        any = true;
        rested |= before % 2 == 0;
        *stripe = found;
        *torn = !rests;
        if (rests)
            return true;
    }
    if (!any || !rested)
        *source->damaged = true;
    return any;
}

bool tables_read_live(struct tables_source *source, struct heap_snapshot *out)
{
    struct arena scratch, torn_scratch;
    arena_init(&scratch, out->arena.limit);
    struct byte_buffer slots = {.arena = &scratch};
    struct live_list list = {.most = source->size / sizeof(struct heap_live)};
    bool good = true;
    for (uint32_t i = 0; good && i < HEAP_LIVE_STRIPES; i++) {
        struct heap_stripe stripe = {0};
        bool torn;
        if (!read_stripe(source, i, &slots, &stripe, &torn))
            continue;
        arena_init(&torn_scratch, out->arena.limit);
        good = append(out, &list, (const struct heap_live *)slots.bytes, stripe.capacity, torn,
                      &torn_scratch);
        arena_free(&torn_scratch);
    }
    good = good && !scratch.failed;
    out->n_live = list.n;
    arena_free(&scratch);
    return good;
}
