/* heap_tables.h - layout of the heap tables, the file format that a profiled process keeps in
 * shared memory and that every reader (its own dump at exit, approf, another machine) understands.
 *
 * One process writes, any number of processes read, and no lock stands between them. Everything is
 * addressed by file offset, never by pointer. Integers are little-endian, in native alignment.
 *
 * Units: sizes and offsets in bytes; times in nanoseconds unless a name says seconds; objects and
 * bytes in counters are estimates ("weighted") unless a name says samples.
 *
 * Reading: use pread, never a mapping (a file that shrinks would kill the reader). Treat every
 * value as untrusted: check offsets against the file's size, counts against their region,
 * references against HEAP_STACK_CHECK. A region's entry is valid once its own check field is set;
 * entries are append-only, except those of the live stripes. Read a counter's freed side before its
 * allocated side (in practice: read the region twice, freed from the first copy, allocated from the
 * second), so that 0 <= in use <= allocated always holds.
 *
 * Writing: memory order is named at each field. "release" means that all that the value speaks of
 * was stored before it. Nothing here is ever shrunk or moved but the live stripes (see there).
 */
#ifndef APPROF_HEAP_TABLES_H
#define APPROF_HEAP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#define HEAP_TABLES_MAGIC   UINT64_C(0x3148464f52505041) /* "APPROFH1" as little-endian bytes */
#define HEAP_TABLES_VERSION 3u

enum {
    HEAP_LIVE_STRIPES = 256, /* power of two */
    HEAP_MAX_REGIONS = 1024,
    HEAP_MAX_RATES = 64,
    HEAP_MAX_MODULES = 65535, /* ids are 1..65535; 0 is "no module known" */
    HEAP_MAX_DEPTH = 1024,
    HEAP_EXE_BYTES = 1024,
    HEAP_PATH_BYTES = 384,
    HEAP_BUILD_ID_BYTES = 32,
};

/* A frame of a stack: the module's id in the upper 16 bits, a return address in the lower 48. A
 * frame that was interrupted by a signal rather than left by a call stores its pc plus one, so that
 * "address less one lies in the instruction" holds for every frame alike. */
#define HEAP_FRAME(module, pc) \
    ((uint64_t)(module) << 48 | ((uint64_t)(pc)&UINT64_C(0xffffffffffff)))
#define HEAP_FRAME_MODULE(f) ((uint32_t)((f) >> 48))
#define HEAP_FRAME_PC(f)     ((f)&UINT64_C(0xffffffffffff))

/* A reference to a stack or a counter is its file offset divided by 8; 0 is none. */
#define HEAP_REF(offset) ((uint32_t)((offset) >> 3))
#define HEAP_OFFSET(ref) ((uint64_t)(ref) << 3)

enum heap_region_kind {
    HEAP_REGION_NONE = 0,
    HEAP_REGION_MODULES = 1,  /* array of struct heap_module; ids run on across regions */
    HEAP_REGION_STACKS = 2,   /* struct heap_stack, variable length, back to back */
    HEAP_REGION_COUNTERS = 3, /* array of struct heap_counter */
};

/* One piece of the file that only grows. offset, size and kind are stored before n_regions is
 * released; used is the number of bytes handed out so far (a reader may look up to used, and each
 * entry there still has to pass its own check, since it may be half written). */
struct heap_region {
    uint32_t kind;
    uint32_t reserved;
    uint64_t offset;
    uint64_t size;
    uint64_t used; /* atomic, relaxed */
};

/* One stripe of the table of live samples: an open-addressed array of capacity slots (a power of
 * two, or 0) at offset. seq is even when the stripe is at rest and odd while it is being changed; a
 * reader takes seq (acquire), reads, and starts again if seq moved, as in any seqlock. The array
 * moves when it grows: offset and capacity are guarded by seq too. Who reads the file instead of
 * mapping it reads seq by itself: within one read(2) the bytes are copied in no stated order. */
struct heap_stripe {
    uint32_t seq; /* atomic */
    uint32_t capacity;
    uint64_t offset;
    uint32_t count;
    uint32_t reserved;
};

/* A live sample. address 0 is a free slot. counter refers to the struct heap_counter that holds its
 * stack, size class and rate. */
struct heap_live {
    uint64_t address;
    uint64_t size;    /* as requested */
    uint32_t counter; /* HEAP_REF */
    uint32_t time_s;  /* whole seconds since start_monotonic_ns */
};

/* A module (executable, shared library, vDSO) that was seen in a stack. valid is released last. */
struct heap_module {
    uint32_t valid;        /* atomic; 1 when the rest is complete */
    uint32_t build_id_len; /* 0..HEAP_BUILD_ID_BYTES */
    uint64_t map_start;    /* lowest address of the load image ... */
    uint64_t map_end;      /* ... and one past the highest */
    uint64_t bias;         /* runtime address minus ELF virtual address */
    uint64_t text_start;   /* first executable segment, page-aligned down ... */
    uint64_t text_end;     /* ... to the end of the last one */
    uint64_t text_offset;  /* file offset of text_start */
    int64_t unloaded_ns;   /* atomic; 0, or CLOCK_MONOTONIC when it was first seen to be gone */
    uint32_t flags;
    uint32_t path_len;
    uint8_t build_id[HEAP_BUILD_ID_BYTES];
    char path[HEAP_PATH_BYTES]; /* not necessarily terminated; path_len says how long */
    uint8_t reserved[24];
};

enum heap_stack_flags {
    HEAP_STACK_TRUNCATED = 1, /* the walk ended before the outermost frame */
    HEAP_STACK_DEEP = 2,      /* more frames than APPROF_DEPTH */
    HEAP_STACK_DROPPED = 4,   /* stands for all stacks that found no room; has no frames */
};

/* A distinct stack, leaf first: frames[0] is the caller of malloc. Entries are 8-aligned. check is
 * released last and is HEAP_STACK_CHECK(n_frames, flags). */
struct heap_stack {
    uint32_t check; /* atomic */
    uint16_t n_frames;
    uint16_t flags;
    uint64_t frames[];
};
#define HEAP_STACK_CHECK(n, flags) \
    (UINT32_C(0x5ac50000) ^ ((uint32_t)(flags) << 12) ^ (uint32_t)(n))

enum heap_counter_flags {
    HEAP_COUNTER_VALID = 1, /* released last, once */
    HEAP_COUNTER_INHERITED =
        2, /* was live before fork: in use, but not allocated by this process */
};

/* What one stack allocated in one size class at one rate. Each sample of size s at rate R stands
 * for w = 1/p objects and s/p bytes with p = 1 - exp(-s/R) (w = 1 when R is 1). Doubles are stored
 * as their bit patterns and added to by compare-and-swap. In a counter whose rate is 1 only
 * *_samples and
 * *_bytes are maintained: objects and Σw² equal samples there. Integer sums are exact up to 2^53.
 */
struct heap_counter {
    uint32_t stack; /* HEAP_REF of its struct heap_stack */
    uint8_t size_class;
    uint8_t rate;  /* index into heap_header.rates */
    uint8_t flags; /* atomic */
    uint8_t reserved;
    uint64_t freed_samples; /* all eight: atomic, relaxed; freed never runs ahead of allocated */
    uint64_t freed_objects; /* double, Σw */
    uint64_t freed_bytes;   /* double, Σws */
    uint64_t freed_w2;      /* double, Σw² */
    uint64_t alloc_samples;
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
    uint64_t alloc_w2;
};

enum heap_process_state {
    HEAP_RUNNING = 0,
    HEAP_EXITED = 1, /* reached its exit; total_bytes is exact. The file is about to become a
                        profile and to go */
    HEAP_QUIET = 2,  /* a seccomp filter came: no system calls from here on, tables still counted */
    HEAP_LEFT = 3,   /* reached its exit while other threads went on allocating: as HEAP_EXITED, but
                        total_bytes stays a lower bound */
};

struct heap_header {
    uint64_t magic; /* released last when the file is made */
    uint32_t version;
    uint32_t header_size; /* sizeof(struct heap_header) */
    uint64_t nonce;       /* also in the file's name */
    uint64_t file_size;   /* atomic; bytes reserved so far */

    uint32_t pid; /* as the process sees itself */
    uint32_t parent_pid;
    uint32_t uid;
    uint32_t depth;         /* APPROF_DEPTH */
    uint64_t pid_namespace; /* inode of /proc/self/ns/pid, 0 if unknown */
    uint64_t start_ticks;   /* field 22 of /proc/self/stat: pid reuse is told by it */
    uint8_t boot_id[16];
    int64_t start_realtime_ns;
    int64_t start_monotonic_ns;
    uint64_t rate;    /* the current one; also rates[n_rates - 1] */
    uint32_t n_rates; /* atomic, release */
    uint32_t state;   /* enum heap_process_state, atomic */
    uint64_t rates[HEAP_MAX_RATES];
    uint32_t exe_len;
    uint32_t inherited_from; /* pid of the process this one was forked from, or 0 */
    char exe[HEAP_EXE_BYTES];

    /* Private memory that the process had in RAM, from all sources, when it reached its exit; 0
     * while it runs (readers ask /proc) and after a death without one. Relaxed, before state. */
    uint64_t resident_bytes;

    /* Totals: atomic, relaxed. Those that every sample adds to share a cache line with what it asks
     * on the way: threads hand it to each other once for all of them. */
    uint64_t total_bytes; /* requested since start, up to each thread's last draw: a lower bound,
                             short by less than one gap per thread; exact in state HEAP_EXITED */
    uint64_t live_bytes;  /* estimate, signed arithmetic modulo 2^64 */
    uint64_t peak_bytes;  /* largest live_bytes so far ... */
    int64_t peak_monotonic_ns; /* ... and when */
    int64_t last_sample_ns; /* CLOCK_MONOTONIC, coarse, of the newest sampled allocation, and at the
                               exit: the process was there until then at least */
    uint64_t samples;
    uint64_t
        threads; /* thread slots ever made: the doubt of total_bytes is their number times rate */

    /* Losses: atomic, relaxed. All 0 in a healthy run. */
    uint64_t lost_stacks;      /* samples counted under the dropped stack */
    uint64_t lost_live;        /* samples counted as allocated but not followed until freed */
    uint64_t lost_samples;     /* draws that could not be counted at all */
    uint64_t lost_reentrant;   /* allocations from a signal handler inside the hook, unsampled */
    uint64_t frees_unseen;     /* an address came back live although its free was never seen */
    uint64_t truncated_stacks; /* samples whose walk ended early */

    uint32_t n_regions; /* atomic, release */
    uint32_t n_modules; /* atomic, release */
    struct heap_region regions[HEAP_MAX_REGIONS];
    struct heap_stripe stripes[HEAP_LIVE_STRIPES];
};

static inline int heap_has_exited(const struct heap_header *header)
{
    return header->state == HEAP_EXITED || header->state == HEAP_LEFT;
}

/* Size classes: exact up to 7 bytes, then four to each doubling. */
static inline unsigned heap_size_class(uint64_t size)
{
    if (size < 4)
        return (unsigned)size;
    unsigned e = 63u - (unsigned)__builtin_clzll(size);
    return 4 * (e - 2) + ((unsigned)(size >> (e - 2)) & 3) + 4;
}

/* The smallest size of a class: what a profile's label `bytes` says. */
static inline uint64_t heap_size_class_floor(unsigned size_class)
{
    if (size_class < 8)
        return size_class;
    unsigned e = (size_class - 4) / 4 + 2;
    return (uint64_t)(4 + (size_class - 4) % 4) << (e - 2);
}

_Static_assert(sizeof(struct heap_region) == 32, "layout");
_Static_assert(sizeof(struct heap_stripe) == 24, "layout");
_Static_assert(sizeof(struct heap_live) == 24, "layout");
_Static_assert(sizeof(struct heap_module) == 512, "layout");
_Static_assert(sizeof(struct heap_stack) == 8, "layout");
_Static_assert(sizeof(struct heap_counter) == 72, "layout");
_Static_assert(offsetof(struct heap_header, regions) % 8 == 0, "layout");
_Static_assert(offsetof(struct heap_header, total_bytes) % 64 == 0, "layout");

#endif
