/* tables_source.h - bounded reading of a heap tables file, for tables_read.c and tables_live.c.
 *
 * A source is the caller's tables_io and what is known of the file's real size, which the header
 * may overstate: nothing is allocated for bytes that are not there.
 */
#ifndef APPROF_TABLES_SOURCE_H
#define APPROF_TABLES_SOURCE_H

#include "tables_reader.h"

struct tables_source {
    const struct tables_io *io;
    uint64_t size; /* readable bytes, at most what the header says */
    bool *damaged;
};

/* A run of entries in the file. */
struct tables_range {
    uint64_t offset, size;
};

/* All n bytes, or false. */
bool source_read(const struct tables_source *source, void *bytes, size_t n, uint64_t offset);

/* Finds the readable size, at most claimed. */
uint64_t source_size(const struct tables_io *io, uint64_t claimed);

/* The size that the header claims now: tables grow while they are read. True when it is more than
 * what was known, which is brought up to date. */
bool source_grown(struct tables_source *source);

/* The live samples of all stripes into out->live; counter is still a HEAP_REF. To be called before
 * the counters are read, so that every counter that a live sample names is among them. False when
 * out of memory. */
bool tables_read_live(struct tables_source *source, struct heap_snapshot *out);

#endif
