/* tables_reader.h - from heap tables to a profile.
 *
 * The same code serves the dump inside the target (reading its own mappings), approf reading a live
 * process's file, and approf reading what a killed one left. The tables are untrusted; see
 * heap_tables.h for the rules of reading. No malloc, no stdio, no locks: all memory is the arena's.
 * Not thread-safe per snapshot.
 */
#ifndef APPROF_TABLES_READER_H
#define APPROF_TABLES_READER_H

#include "heap_tables.h"
#include "profile.h"
#include "profile_codec.h"

/* Where the bytes come from: like pread, short reads allowed, -1 on error. */
struct tables_io {
    int64_t (*read_at)(void *ctx, void *bytes, size_t n, uint64_t offset);
    /* Lets some milliseconds pass: a writer that is in the middle of a change is off its processor.
     * NULL: it is not waited for. */
    void (*pause)(void *ctx);
    void *ctx;
};

struct snapshot_stack {
    uint32_t ref;
    uint16_t n_frames, flags;
    const uint64_t *frames; /* HEAP_FRAME, leaf first */
};

struct snapshot_counter {
    uint32_t stack; /* index into stacks[] */
    uint8_t size_class;
    bool inherited;
    uint64_t rate;
    uint64_t alloc_samples, freed_samples;
    double alloc_objects, alloc_bytes, alloc_w2;
    double freed_objects, freed_bytes, freed_w2;
};

/* A consistent copy: 0 <= freed <= alloc in every counter, every index in range. */
struct heap_snapshot {
    struct arena arena;
    struct heap_header *header; /* validated copy; its regions and stripes are no longer needed */
    struct heap_module *modules;
    uint32_t
        n_modules; /* module id m is modules[m - 1]; one that was half written has valid == 0 */
    struct snapshot_stack *stacks;
    uint32_t n_stacks;
    struct snapshot_counter *counters;
    uint32_t n_counters;
    struct heap_live *live; /* only when asked for; counter is an index into counters[] */
    uint32_t n_live;
    int64_t taken_monotonic_ns, taken_realtime_ns;
    bool damaged; /* parts were out of range or half written and were left out */
};

enum { SNAPSHOT_LIVE = 1 };

/* flags: SNAPSHOT_LIVE. On success *out is to be freed with heap_snapshot_free. */
bool heap_snapshot_read(const struct tables_io *io, unsigned flags, struct heap_snapshot *out,
                        struct profile_error *error);
void heap_snapshot_free(struct heap_snapshot *snapshot);

struct snapshot_profile_options {
    const char *default_sample_type; /* "alloc_space" for the file written at exit; NULL for none */
    uint64_t exact_total_bytes; /* folded total of requested bytes, 0 if only the header's lower
                                   bound is known */
    bool exact;                 /* exact_total_bytes really is exact (clean exit) */
    const char *command_line;   /* comment, or NULL */
    const struct heap_snapshot *since; /* an earlier one of the same tables, or NULL: what had been
                                          allocated by then is taken off alloc_* (in use stays) */
};

/* The four sample types of Go's heap profile, scaled and rounded; label `bytes`; label `inherited`;
 * mappings in order of modules with the executable first; locations without lines. */
bool heap_snapshot_to_profile(const struct heap_snapshot *snapshot,
                              const struct snapshot_profile_options *options, struct profile *out,
                              struct profile_error *error);

#endif
