/* tables_source.c - bounded reading of a heap tables file (see tables_source.h). */
#include "tables_source.h"

static bool read_exactly(const struct tables_io *io, void *bytes, size_t n, uint64_t offset)
{
    uint8_t *at = bytes;
    while (n) {
        int64_t got = io->read_at(io->ctx, at, n, offset);
        if (got <= 0 || (uint64_t)got > n)
            return false;
        at += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

bool source_read(const struct tables_source *source, void *bytes, size_t n, uint64_t offset)
{
    if (offset > source->size || n > source->size - offset)
        return false;
    return read_exactly(source->io, bytes, n, offset);
}

uint64_t source_size(const struct tables_io *io, uint64_t claimed)
{
    uint8_t byte;
    if (claimed == 0 || read_exactly(io, &byte, 1, claimed - 1))
        return claimed;
    uint64_t good = 0, bad = claimed - 1; /* bytes below good can be read, the one at bad can't */
    while (good < bad) {
        uint64_t middle = good + (bad - good) / 2;
        if (read_exactly(io, &byte, 1, middle))
            good = middle + 1;
        else
            bad = middle;
    }
    return good;
}

bool source_grown(struct tables_source *source)
{
    uint64_t claimed, reach = HEAP_OFFSET((uint64_t)UINT32_MAX) + 8;
    if (!read_exactly(source->io, &claimed, sizeof claimed,
                      offsetof(struct heap_header, file_size)) ||
        claimed <= source->size)
        return false;
    uint64_t size = source_size(source->io, claimed < reach ? claimed : reach);
    bool grown = size > source->size;
    if (grown)
        source->size = size;
    return grown;
}
