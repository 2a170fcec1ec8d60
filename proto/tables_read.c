/* tables_read.c - a consistent copy of heap tables (see tables_reader.h, heap_tables.h).
 *
 * The order of reading is what makes it consistent while the process runs on. An entry is published
 * after what it refers to, so what refers is read first: live samples, then counters (their freed
 * side), then the header again, which by now names every region that those refer to, then stacks
 * and modules, and last the counters' allocated side.
 */
#include "tables_source.h"

#include "id_table.h"

#include <string.h>
#include <time.h>

enum {
    CHUNK_COUNTERS = 256, /* read at once */
    HIGHEST_CLASS = 251,  /* heap_size_class(UINT64_MAX) */
};

#define LARGEST_SUM 4.6e18 /* below 2^62: differences and roundings stay in 64 bits */

struct reader {
    struct heap_snapshot *out;
    struct tables_source source;
    struct arena scratch;
    struct tables_range ranges[HEAP_MAX_REGIONS]; /* of the kind asked for, ascending */
    uint32_t n_ranges;
    uint32_t *counter_refs; /* HEAP_REF by index in out->counters, ascending */
    struct heap_counter chunk[CHUNK_COUNTERS];
};

static bool damaged(struct reader *r)
{
    r->out->damaged = true;
    return false;
}

/* ---- header ---- */

static bool check_header(struct heap_header *header, struct profile_error *error)
{
    if (header->magic != HEAP_TABLES_MAGIC)
        return profile_error_set(error, PROFILE_ERROR_TABLES,
                                 header->magic ? "not heap tables" : "heap tables without content");
    if (header->version != HEAP_TABLES_VERSION || header->header_size != sizeof *header)
        return profile_error_set(error, PROFILE_ERROR_TABLES,
                                 "heap tables of version %u, this approf reads version %u",
                                 header->version, HEAP_TABLES_VERSION);
    return true;
}

/* Brings counts of a header that is otherwise fine into their ranges. */
static void clamp_header(struct reader *r, struct heap_header *header)
{
    if (header->n_regions > HEAP_MAX_REGIONS) {
        header->n_regions = HEAP_MAX_REGIONS;
        damaged(r);
    }
    if (header->n_rates > HEAP_MAX_RATES) {
        header->n_rates = HEAP_MAX_RATES;
        damaged(r);
    }
    if (header->n_modules > HEAP_MAX_MODULES) {
        header->n_modules = HEAP_MAX_MODULES;
        damaged(r);
    }
    if (header->exe_len > HEAP_EXE_BYTES) {
        header->exe_len = 0;
        damaged(r);
    }
    header->exe_len = (uint32_t)strnlen(header->exe, header->exe_len);
}

static bool read_header(struct reader *r, struct profile_error *error)
{
    struct heap_header *header = r->out->header;
    struct tables_source whole = r->source;
    whole.size = sizeof *header;
    /* The counts first, then what they count: one read copies in no particular order. */
    size_t counts = offsetof(struct heap_header, regions);
    if (!source_read(&whole, header, counts, 0) ||
        !source_read(&whole, (char *)header + counts, sizeof *header - counts, counts))
        return profile_error_set(error, PROFILE_ERROR_TABLES, "heap tables are cut off");
    /* Once more, after the regions: the file has grown before one lies in its new part. */
    source_read(&whole, &header->file_size, sizeof header->file_size,
                offsetof(struct heap_header, file_size));
    if (!check_header(header, error))
        return false;
    clamp_header(r, header);
    /* References reach 32 GiB; what lies behind can't be meant. */
    uint64_t claimed = header->file_size, reach = HEAP_OFFSET((uint64_t)UINT32_MAX) + 8;
    if (claimed > reach || claimed < sizeof *header) {
        claimed = claimed > reach ? reach : sizeof *header;
        damaged(r);
    }
    r->source.size = source_size(r->source.io, claimed);
    if (r->source.size < claimed)
        damaged(r);
    return true;
}

/* ---- regions ---- */

/* Collects the regions of a kind, by offset, cut to what can be read. Overlapping ones are left
 * out: they would let a small file ask for much memory. */
static void find_ranges(struct reader *r, enum heap_region_kind kind)
{
    const struct heap_header *header = r->out->header;
    r->n_ranges = 0;
    for (uint32_t i = 0; i < header->n_regions; i++) {
        struct heap_region region = header->regions[i];
        if (region.kind != (uint32_t)kind)
            continue;
        if (region.offset % 8 || region.offset < sizeof *header || region.offset > r->source.size) {
            damaged(r);
            continue;
        }
        /* The writer hands out a piece before it finds that the region is full. */
        uint64_t used = region.used < region.size ? region.used : region.size;
        if (used > r->source.size - region.offset) {
            used = r->source.size - region.offset;
            damaged(r);
        }
        uint32_t at = r->n_ranges;
        while (at && r->ranges[at - 1].offset > region.offset)
            at--;
        if ((at && r->ranges[at - 1].offset + r->ranges[at - 1].size > region.offset) ||
            (at < r->n_ranges && region.offset + used > r->ranges[at].offset)) {
            damaged(r);
            continue;
        }
        memmove(&r->ranges[at + 1], &r->ranges[at], (r->n_ranges - at) * sizeof r->ranges[0]);
        r->ranges[at] = (struct tables_range){.offset = region.offset, .size = used};
        r->n_ranges++;
    }
}

/* ---- counters ---- */

/* The bits of a sum; nonsense becomes 0. */
static double sum_of(struct reader *r, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value >= 0 && value <= LARGEST_SUM)
        return value;
    damaged(r);
    return 0;
}

/* First pass: the freed side. rate is still the index: the header that was read may be older than
 * the rate. */
static void take_freed(struct reader *r, const struct heap_counter *entry, uint64_t offset)
{
    struct heap_snapshot *out = r->out;
    if (!(entry->flags & HEAP_COUNTER_VALID))
        return;
    if (entry->size_class > HIGHEST_CLASS || !entry->stack) {
        damaged(r);
        return;
    }
    r->counter_refs[out->n_counters] = HEAP_REF(offset);
    out->counters[out->n_counters++] =
        (struct snapshot_counter){.stack = entry->stack,
                                  .size_class = entry->size_class,
                                  .inherited = entry->flags & HEAP_COUNTER_INHERITED,
                                  .rate = entry->rate,
                                  .freed_samples = entry->freed_samples,
                                  .freed_objects = sum_of(r, entry->freed_objects),
                                  .freed_bytes = sum_of(r, entry->freed_bytes),
                                  .freed_w2 = sum_of(r, entry->freed_w2)};
}

static double at_most(double value, double most)
{
    return value < most ? value : most;
}

/* Second pass: the allocated side, and freed <= allocated where sums of doubles differ in their
 * last bits. */
static void take_alloc(struct reader *r, const struct heap_counter *entry,
                       struct snapshot_counter *counter)
{
    counter->alloc_samples = entry->alloc_samples;
    counter->alloc_bytes = sum_of(r, entry->alloc_bytes);
    if (counter->freed_samples > counter->alloc_samples) {
        counter->freed_samples = counter->alloc_samples;
        damaged(r);
    }
    if (counter->rate == 1) {
        counter->alloc_objects = counter->alloc_w2 = (double)counter->alloc_samples;
        counter->freed_objects = counter->freed_w2 = (double)counter->freed_samples;
    } else {
        counter->alloc_objects = sum_of(r, entry->alloc_objects);
        counter->alloc_w2 = sum_of(r, entry->alloc_w2);
    }
    counter->freed_objects = at_most(counter->freed_objects, counter->alloc_objects);
    counter->freed_bytes = at_most(counter->freed_bytes, counter->alloc_bytes);
    counter->freed_w2 = at_most(counter->freed_w2, counter->alloc_w2);
}

/* Room for every counter that the ranges can hold. */
static bool counters_init(struct reader *r)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->n_ranges; i++)
        most += r->ranges[i].size / sizeof(struct heap_counter);
    if (most >= UINT32_MAX)
        return false;
    r->out->counters = arena_array(&r->out->arena, most, sizeof *r->out->counters);
    r->counter_refs = arena_array(&r->scratch, most, sizeof *r->counter_refs);
    return r->out->counters && r->counter_refs;
}

/* Walks over the counters of all ranges; pass 1 collects, pass 2 completes those collected. */
static void walk_counters(struct reader *r, int pass)
{
    struct heap_counter *chunk = r->chunk;
    uint32_t next = 0;
    for (uint32_t i = 0; i < r->n_ranges; i++) {
        uint64_t offset = r->ranges[i].offset;
        uint64_t left = r->ranges[i].size / sizeof *chunk;
        while (left) {
            size_t n = left < CHUNK_COUNTERS ? left : CHUNK_COUNTERS;
            if (!source_read(&r->source, chunk, n * sizeof *chunk, offset)) {
                damaged(r); /* the file has become shorter since */
                break;
            }
            for (size_t k = 0; k < n; k++) {
                uint64_t at = offset + k * sizeof *chunk;
                if (pass == 1)
                    take_freed(r, &chunk[k], at);
                else if (next < r->out->n_counters && r->counter_refs[next] == HEAP_REF(at))
                    take_alloc(r, &chunk[k], &r->out->counters[next++]);
            }
            offset += n * sizeof *chunk;
            left -= n;
        }
    }
    if (pass == 2)
        r->out->n_counters = next; /* all, unless the file was cut off in between */
}

/* ---- stacks ---- */

/* The bytes of a range, copied. */
struct copied_range {
    struct tables_range range;
    uint8_t *bytes;
};

static bool take_stack(struct reader *r, const struct copied_range *ranges, uint32_t ref,
                       struct snapshot_stack *stack)
{
    uint64_t offset = HEAP_OFFSET((uint64_t)ref);
    uint32_t low = 0, high = r->n_ranges;
    while (low < high) { /* the last range that starts at or before offset */
        uint32_t middle = low + (high - low) / 2;
        if (ranges[middle].range.offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct copied_range *in = &ranges[low - 1];
    uint64_t at = offset - in->range.offset;
    if (at >= in->range.size || in->range.size - at < sizeof(struct heap_stack))
        return false;
    struct heap_stack *entry = (struct heap_stack *)(in->bytes + at);
    if (entry->check != HEAP_STACK_CHECK(entry->n_frames, entry->flags) ||
        entry->n_frames > HEAP_MAX_DEPTH ||
        (in->range.size - at - sizeof *entry) / sizeof(uint64_t) < entry->n_frames)
        return false;
    *stack = (struct snapshot_stack){
        .ref = ref, .n_frames = entry->n_frames, .flags = entry->flags, .frames = entry->frames};
    return true;
}

static bool resolve_rate(const struct heap_header *header, struct snapshot_counter *counter)
{
    if (counter->rate >= header->n_rates)
        return false;
    counter->rate = header->rates[counter->rate];
    return counter->rate >= 1;
}

/* Replaces the counters' references by indices and their rates' indices by rates, dropping counters
 * without. */
static bool resolve_counters(struct reader *r, const struct copied_range *ranges)
{
    struct heap_snapshot *out = r->out;
    struct id_table known;
    out->stacks = arena_array(&out->arena, out->n_counters, sizeof *out->stacks);
    if (!out->stacks || !id_table_init(&known, &r->scratch, 0))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n_counters; i++) {
        uint32_t ref = out->counters[i].stack;
        uint32_t index = id_table_find(&known, ref);
        if (!resolve_rate(out->header, &out->counters[i])) {
            damaged(r);
            continue;
        }
        if (index == UINT32_MAX) {
            if (!take_stack(r, ranges, ref, &out->stacks[out->n_stacks])) {
                damaged(r);
                continue;
            }
            index = out->n_stacks++;
            if (id_table_add(&known, ref, index) < 0)
                return false;
        }
        out->counters[kept] = out->counters[i];
        out->counters[kept].stack = index;
        r->counter_refs[kept++] = r->counter_refs[i];
    }
    out->n_counters = kept;
    return true;
}

static bool read_stacks(struct reader *r)
{
    find_ranges(r, HEAP_REGION_STACKS);
    struct copied_range *ranges = arena_array(&r->scratch, r->n_ranges, sizeof *ranges);
    if (!ranges)
        return false;
    for (uint32_t i = 0; i < r->n_ranges; i++) {
        ranges[i].range = r->ranges[i];
        ranges[i].bytes = arena_alloc(&r->out->arena, r->ranges[i].size);
        if (!ranges[i].bytes)
            return false;
        if (!source_read(&r->source, ranges[i].bytes, r->ranges[i].size, r->ranges[i].offset)) {
            ranges[i].range.size = 0;
            damaged(r);
        }
    }
    return resolve_counters(r, ranges);
}

/* ---- modules ---- */

static void check_module(struct reader *r, struct heap_module *module)
{
    if (!module->valid)
        return;
    if (module->valid != 1 || module->build_id_len > HEAP_BUILD_ID_BYTES ||
        module->path_len > HEAP_PATH_BYTES || module->map_start >= module->map_end ||
        module->text_start > module->text_end) {
        module->valid = 0;
        damaged(r);
        return;
    }
    module->path_len = (uint32_t)strnlen(module->path, module->path_len);
}

static bool read_modules(struct reader *r)
{
    struct heap_snapshot *out = r->out;
    find_ranges(r, HEAP_REGION_MODULES);
    uint64_t room = 0, want = out->header->n_modules;
    for (uint32_t i = 0; i < r->n_ranges; i++)
        room += r->ranges[i].size / sizeof(struct heap_module);
    if (want > room) {
        want = room;
        damaged(r);
    }
    out->modules = arena_array(&out->arena, want, sizeof *out->modules);
    if (!out->modules)
        return false;
    /* Ids run on in the order in which the regions were made, which is the header's. */
    const struct heap_header *header = out->header;
    for (uint32_t i = 0; i < header->n_regions && out->n_modules < want; i++) {
        const struct heap_region *region = &header->regions[i];
        for (uint32_t k = 0; k < r->n_ranges; k++) {
            if (region->kind != HEAP_REGION_MODULES || region->offset != r->ranges[k].offset)
                continue;
            uint64_t n = r->ranges[k].size / sizeof(struct heap_module);
            if (n > want - out->n_modules)
                n = want - out->n_modules;
            struct heap_module *first = out->modules + out->n_modules;
            if (!source_read(&r->source, first, n * sizeof *first, region->offset)) {
                damaged(r);
                memset(first, 0, n * sizeof *first);
            }
            for (uint64_t m = 0; m < n; m++)
                check_module(r, &first[m]);
            out->n_modules += (uint32_t)n;
            break;
        }
    }
    return true;
}

/* Frames whose module is not known become frames of no module. */
static void check_frames(struct reader *r)
{
    struct heap_snapshot *out = r->out;
    for (uint32_t i = 0; i < out->n_stacks; i++) {
        uint64_t *frames = (uint64_t *)out->stacks[i].frames; /* our own copy */
        for (uint32_t k = 0; k < out->stacks[i].n_frames; k++) {
            uint32_t module = HEAP_FRAME_MODULE(frames[k]);
            if (module && (module > out->n_modules || !out->modules[module - 1].valid)) {
                frames[k] = HEAP_FRAME_PC(frames[k]);
                damaged(r);
            }
        }
    }
}

/* ---- live samples ---- */

static uint32_t counter_index(const struct reader *r, uint32_t ref)
{
    uint32_t low = 0, high = r->out->n_counters;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->counter_refs[middle] < ref)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->out->n_counters && r->counter_refs[low] == ref ? low : UINT32_MAX;
}

static void resolve_live(struct reader *r)
{
    struct heap_snapshot *out = r->out;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n_live; i++) {
        uint32_t index = counter_index(r, out->live[i].counter);
        if (index == UINT32_MAX) {
            damaged(r);
            continue;
        }
        out->live[kept] = out->live[i];
        out->live[kept++].counter = index;
    }
    out->n_live = kept;
}

/* ---- all of it ---- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool read_all(struct reader *r, unsigned flags, struct profile_error *error)
{
    struct heap_snapshot *out = r->out;
    if (!read_header(r, error))
        return false;
    /* Twice the file: stacks and live samples are copied, counters grow a little, arrays double. */
    uint64_t limit = 4 * r->source.size + ((uint64_t)64 << 20);
    out->arena.limit = r->scratch.limit = limit;
    bool good = !(flags & SNAPSHOT_LIVE) || tables_read_live(&r->source, out);
    struct tables_range *counters = NULL;
    uint32_t n = 0;
    if (good) {
        find_ranges(r, HEAP_REGION_COUNTERS);
        n = r->n_ranges;
        counters = arena_array(&r->scratch, n, sizeof *counters);
        good = counters && counters_init(r);
    }
    if (good) {
        walk_counters(r, 1);
        memcpy(counters, r->ranges, n * sizeof *counters);
        if (!read_header(r, error))
            return false;
        good = read_stacks(r) && read_modules(r);
    }
    if (good) {
        memcpy(r->ranges, counters, n * sizeof *counters);
        r->n_ranges = n;
        walk_counters(r, 2);
    }
    if (!good)
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    check_frames(r);
    resolve_live(r);
    out->taken_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    out->taken_realtime_ns = clock_ns(CLOCK_REALTIME);
    return true;
}

bool heap_snapshot_read(const struct tables_io *io, unsigned flags, struct heap_snapshot *out,
                        struct profile_error *error)
{
    *out = (struct heap_snapshot){0};
    arena_init(&out->arena, 0);
    struct arena scratch;
    arena_init(&scratch, 0);
    out->header = arena_alloc(&out->arena, sizeof *out->header);
    /* In the arena, since a signal stack may be small. */
    struct reader *r = arena_alloc(&scratch, sizeof *r);
    bool good = false;
    if (!out->header || !r) {
        profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    } else {
        r->out = out;
        r->source = (struct tables_source){.io = io, .damaged = &out->damaged};
        arena_init(&r->scratch, 0);
        good = read_all(r, flags, error);
        arena_free(&r->scratch);
    }
    arena_free(&scratch);
    if (!good)
        heap_snapshot_free(out);
    return good;
}

void heap_snapshot_free(struct heap_snapshot *snapshot)
{
    arena_free(&snapshot->arena);
    *snapshot = (struct heap_snapshot){0};
}
