/* tables_profile.c - from a snapshot of heap tables to a profile (see tables_reader.h).
 *
 * Counters of one stack, size class and origin are added up over the rates they were sampled at;
 * they are scaled already, one sample at a time, when they were counted (heap_tables.h).
 */
#include "tables_reader.h"

#include "id_table.h"
#include "profile_comments.h"
#include "text.h"

#include <string.h>

/* One sample of the profile. */
struct row {
    uint32_t stack;
    uint8_t size_class;
    bool inherited;
    double alloc_objects, alloc_bytes, inuse_objects, inuse_bytes;
};

enum { N_TYPES = 4, PAGE_SIZE = 4096 };

/* A stack as the profile has it. */
struct stack_list {
    const uint32_t *locations; /* NULL: not yet */
    uint32_t n;
};

struct converter {
    const struct heap_snapshot *snapshot;
    struct profile *out;
    struct arena scratch;
    struct row *rows;
    uint32_t n_rows;
    uint32_t *mapping_of;        /* by module id; [0]: frames of no module */
    struct id_table locations;   /* by HEAP_FRAME */
    struct stack_list *lists;    /* by stack */
    uint32_t *next_location;     /* where the next list goes */
    uint32_t dropped, truncated; /* locations that stand for something, or PROFILE_NONE */
    string_id bytes_key, inherited_key, true_text;
};

/* ---- rows ---- */

static uint64_t row_key(const struct snapshot_counter *counter)
{
    return (uint64_t)counter->stack << 16 | (uint64_t)counter->size_class << 8 | counter->inherited;
}

static bool make_rows(struct converter *c)
{
    const struct heap_snapshot *s = c->snapshot;
    struct id_table known;
    c->rows = arena_array(&c->scratch, s->n_counters, sizeof *c->rows);
    if (!c->rows || !id_table_init(&known, &c->scratch, 0))
        return false;
    for (uint32_t i = 0; i < s->n_counters; i++) {
        const struct snapshot_counter *counter = &s->counters[i];
        int added = id_table_add(&known, row_key(counter), c->n_rows);
        if (added < 0)
            return false;
        uint32_t index = added ? c->n_rows++ : id_table_find(&known, row_key(counter));
        struct row *row = &c->rows[index];
        row->stack = counter->stack;
        row->size_class = counter->size_class;
        row->inherited = counter->inherited;
        row->alloc_objects += counter->alloc_objects;
        row->alloc_bytes += counter->alloc_bytes;
        if (counter->freed_samples < counter->alloc_samples) { /* else exactly nothing is left */
            row->inuse_objects += counter->alloc_objects - counter->freed_objects;
            row->inuse_bytes += counter->alloc_bytes - counter->freed_bytes;
        }
    }
    return true;
}

/* What a row had allocated by an earlier snapshot comes off. Stacks are told by where they lie in
 * the tables: they are never moved. */
static uint64_t lasting_key(const struct heap_snapshot *s, uint32_t stack, uint8_t size_class,
                            bool inherited)
{
    return (uint64_t)s->stacks[stack].ref << 16 | (uint64_t)size_class << 8 | inherited;
}

static bool take_off(struct converter *c, const struct heap_snapshot *since)
{
    struct id_table rows;
    if (!since)
        return true;
    if (!id_table_init(&rows, &c->scratch, 0))
        return false;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (id_table_add(&rows,
                         lasting_key(c->snapshot, row->stack, row->size_class, row->inherited),
                         i) < 0)
            return false;
    }
    for (uint32_t i = 0; i < since->n_counters; i++) {
        const struct snapshot_counter *before = &since->counters[i];
        uint32_t index = id_table_find(
            &rows, lasting_key(since, before->stack, before->size_class, before->inherited));
        if (index == UINT32_MAX)
            continue;
        struct row *row = &c->rows[index];
        row->alloc_objects -= before->alloc_objects;
        row->alloc_bytes -= before->alloc_bytes;
        if (row->alloc_objects < 0) /* rounding of the last digit */
            row->alloc_objects = 0;
        if (row->alloc_bytes < 0)
            row->alloc_bytes = 0;
    }
    return true;
}

/* To the nearest; sums are not negative. */
static int64_t rounded(double value)
{
    if (value >= 9.2e18)
        return INT64_MAX;
    int64_t whole = (int64_t)value;
    return value - (double)whole >= 0.5 ? whole + 1 : whole;
}

/* ---- mappings ---- */

static string_id hex_text(struct profile *out, const uint8_t *bytes, size_t n)
{
    char hex[2 * HEAP_BUILD_ID_BYTES + 1];
    struct text text;
    TEXT_ON(&text, hex);
    for (size_t i = 0; i < n; i++)
        text_format(&text, "%02x", (unsigned)bytes[i]);
    return profile_intern(out, hex, text.length);
}

static bool is_executable(const struct heap_snapshot *s, const struct heap_module *module)
{
    return s->header->exe_len && module->path_len == s->header->exe_len &&
           memcmp(module->path, s->header->exe, module->path_len) == 0;
}

static bool add_module(struct converter *c, uint32_t id)
{
    const struct heap_module *module = &c->snapshot->modules[id - 1];
    struct profile *out = c->out;
    struct profile_mapping mapping = {
        .id = (uint64_t)out->n_mappings + 1,
        .start = module->text_start,
        .limit = module->text_end,
        .offset = module->text_offset,
        .filename = profile_intern(out, module->path, module->path_len),
        .build_id = hex_text(out, module->build_id, module->build_id_len)};
    return (c->mapping_of[id] = profile_add_mapping(out, &mapping)) != PROFILE_NONE;
}

/* One mapping for all frames of no module (JIT code, mostly). Its name begins with a bracket so
 * that pprof does not go and look for a file. */
static bool add_anonymous(struct converter *c, uint64_t low, uint64_t high)
{
    struct profile_mapping mapping = {.id = (uint64_t)c->out->n_mappings + 1,
                                      .start = low & ~(uint64_t)(PAGE_SIZE - 1),
                                      .limit = (high | (PAGE_SIZE - 1)) + 1,
                                      .filename = profile_intern_text(c->out, "[anon:jit]")};
    return (c->mapping_of[0] = profile_add_mapping(c->out, &mapping)) != PROFILE_NONE;
}

/* The executable must be the first: it names the profile. Where no stack shows it, it stands there
 * for its name alone. */
static bool add_executable(struct converter *c, const bool *used)
{
    const struct heap_snapshot *s = c->snapshot;
    for (uint32_t id = 1; id <= s->n_modules; id++)
        if (used[id] && is_executable(s, &s->modules[id - 1]))
            return add_module(c, id);
    if (!s->header->exe_len)
        return true;
    struct profile_mapping mapping = {
        .id = 1, .filename = profile_intern(c->out, s->header->exe, s->header->exe_len)};
    return profile_add_mapping(c->out, &mapping) != PROFILE_NONE;
}

static bool add_mappings(struct converter *c)
{
    const struct heap_snapshot *s = c->snapshot;
    bool *used = arena_array(&c->scratch, (size_t)s->n_modules + 1, sizeof *used);
    c->mapping_of = arena_array(&c->scratch, (size_t)s->n_modules + 1, sizeof *c->mapping_of);
    if (!used || !c->mapping_of)
        return false;
    memset(c->mapping_of, 0xff, ((size_t)s->n_modules + 1) * sizeof *c->mapping_of);
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < s->n_stacks; i++)
        for (uint32_t k = 0; k < s->stacks[i].n_frames; k++) {
            uint64_t frame = s->stacks[i].frames[k], pc = HEAP_FRAME_PC(frame);
            used[HEAP_FRAME_MODULE(frame)] = true;
            if (!HEAP_FRAME_MODULE(frame) && pc) {
                low = pc - 1 < low ? pc - 1 : low;
                high = pc - 1 > high ? pc - 1 : high;
            }
        }
    if (!add_executable(c, used))
        return false;
    for (uint32_t id = 1; id <= s->n_modules; id++)
        if (used[id] && c->mapping_of[id] == PROFILE_NONE && !add_module(c, id))
            return false;
    return low > high || add_anonymous(c, low, high);
}

/* ---- locations ---- */

static uint32_t location_of(struct converter *c, uint64_t frame)
{
    uint32_t index = id_table_find(&c->locations, frame);
    if (index != UINT32_MAX)
        return index;
    uint64_t pc = HEAP_FRAME_PC(frame);
    struct profile_location location = {.id = (uint64_t)c->out->n_locations + 1,
                                        .address = pc ? pc - 1 : 0, /* within the call */
                                        .mapping = c->mapping_of[HEAP_FRAME_MODULE(frame)]};
    index = profile_add_location(c->out, &location, NULL, 0);
    if (index != PROFILE_NONE && id_table_add(&c->locations, frame, index) < 0)
        return PROFILE_NONE;
    return index;
}

/* A location that is a name and no place. */
static uint32_t named_location(struct converter *c, uint32_t *known, const char *name)
{
    if (*known != PROFILE_NONE)
        return *known;
    struct profile *out = c->out;
    string_id id = profile_intern_text(out, name);
    struct profile_function function = {
        .id = (uint64_t)out->n_functions + 1, .name = id, .system_name = id};
    struct profile_line line = {.function = profile_add_function(out, &function)};
    struct profile_location location = {.id = (uint64_t)out->n_locations + 1,
                                        .mapping = PROFILE_NONE};
    if (id == PROFILE_NONE || line.function == PROFILE_NONE)
        return PROFILE_NONE;
    return *known = profile_add_location(out, &location, &line, 1);
}

/* A stack's locations, found once for all its rows. */
static const uint32_t *list_locations(struct converter *c, uint32_t index, uint32_t *n)
{
    const struct snapshot_stack *stack = &c->snapshot->stacks[index];
    struct stack_list *list = &c->lists[index];
    if (!list->locations) {
        uint32_t *locations = c->next_location;
        uint32_t count = 0;
        for (uint32_t i = 0; i < stack->n_frames; i++)
            locations[count++] = location_of(c, stack->frames[i]);
        if (stack->flags & HEAP_STACK_DROPPED)
            locations[count++] = named_location(c, &c->dropped, "[stacks dropped]");
        else if (stack->flags & (HEAP_STACK_TRUNCATED | HEAP_STACK_DEEP))
            locations[count++] = named_location(c, &c->truncated, "[truncated]");
        for (uint32_t i = 0; i < count; i++)
            if (locations[i] == PROFILE_NONE)
                return NULL;
        *list = (struct stack_list){.locations = locations, .n = count};
        c->next_location += count;
    }
    *n = list->n;
    return list->locations;
}

/* ---- samples ---- */

static bool add_row(struct converter *c, const struct row *row)
{
    int64_t values[N_TYPES] = {0, 0, rounded(row->inuse_objects), rounded(row->inuse_bytes)};
    if (!row->inherited) { /* what was live before a fork was not allocated by this process */
        values[0] = rounded(row->alloc_objects);
        values[1] = rounded(row->alloc_bytes);
    }
    if (!values[0] && !values[1] && !values[2] && !values[3])
        return true;
    struct profile_label labels[2];
    uint32_t n_labels = 0;
    uint64_t size = heap_size_class_floor(row->size_class);
    if (size) /* a number 0 without a unit is no label */
        labels[n_labels++] = (struct profile_label){.key = c->bytes_key, .num = (int64_t)size};
    if (row->inherited)
        labels[n_labels++] = (struct profile_label){.key = c->inherited_key, .str = c->true_text};
    uint32_t n;
    const uint32_t *locations = list_locations(c, row->stack, &n);
    return locations &&
           profile_add_sample(c->out, locations, n, values, labels, n_labels) != PROFILE_NONE;
}

/* Room for everything, so that nothing has to grow. */
static bool make_room(struct converter *c)
{
    const struct heap_snapshot *s = c->snapshot;
    uint64_t in_stacks = 0, in_samples = 0;
    for (uint32_t i = 0; i < s->n_stacks; i++)
        in_stacks += (uint64_t)s->stacks[i].n_frames + 1;
    for (uint32_t i = 0; i < c->n_rows; i++)
        in_samples += (uint64_t)s->stacks[c->rows[i].stack].n_frames + 1;
    c->lists = arena_array(&c->scratch, s->n_stacks, sizeof *c->lists);
    c->next_location = arena_array(&c->scratch, in_stacks, sizeof *c->next_location);
    return c->lists && c->next_location && in_samples < PROFILE_NONE &&
           c->n_rows < PROFILE_NONE / 2 &&
           profile_reserve_samples(c->out, c->n_rows, (uint32_t)in_samples, 2 * c->n_rows) &&
           id_table_init(&c->locations, &c->scratch, 0);
}

static bool add_samples(struct converter *c)
{
    if (!make_room(c))
        return false;
    c->dropped = c->truncated = PROFILE_NONE;
    c->bytes_key = profile_intern_text(c->out, "bytes");
    c->inherited_key = profile_intern_text(c->out, "inherited");
    c->true_text = profile_intern_text(c->out, "true");
    for (uint32_t i = 0; i < c->n_rows; i++)
        if (!add_row(c, &c->rows[i]))
            return false;
    return true;
}

/* ---- what the profile is about ---- */

/* Since start, by the clock that does not jump; by the other one in tables from before a reboot. */
static int64_t duration(const struct heap_snapshot *s)
{
    int64_t ns;
    if (!__builtin_sub_overflow(s->taken_monotonic_ns, s->header->start_monotonic_ns, &ns) &&
        ns >= 0)
        return ns;
    if (!__builtin_sub_overflow(s->taken_realtime_ns, s->header->start_realtime_ns, &ns) && ns >= 0)
        return ns;
    return 0;
}

static struct profile_facts facts_of(const struct heap_snapshot *s,
                                     const struct snapshot_profile_options *options)
{
    const struct heap_header *h = s->header;
    int64_t peak;
    struct profile_facts facts = {
        .rate = h->rate,
        .samples = h->samples,
        .threads = h->threads,
        .total_bytes = options->exact_total_bytes ? options->exact_total_bytes : h->total_bytes,
        .exact = options->exact,
        .live_bytes = (int64_t)h->live_bytes > 0 ? h->live_bytes : 0,
        .peak_bytes = h->peak_bytes,
        .lost_stacks = h->lost_stacks,
        .lost_live = h->lost_live,
        .lost_samples = h->lost_samples,
        .lost_reentrant = h->lost_reentrant,
        .frees_unseen = h->frees_unseen,
        .truncated_stacks = h->truncated_stacks,
        .resident_bytes = h->resident_bytes,
        .damaged = s->damaged,
        .pid = h->pid,
    };
    if (!__builtin_sub_overflow(h->peak_monotonic_ns, h->start_monotonic_ns, &peak) && peak > 0)
        facts.peak_ns = (uint64_t)peak;
    struct text version;
    TEXT_ON(&version, facts.version);
    text_format(&version, "%s", APPROF_VERSION);
    return facts;
}

__attribute__((format(printf, 2, 3))) static bool add_sentence(struct converter *c,
                                                               const char *format, ...)
{
    char bytes[200];
    struct text text;
    TEXT_ON(&text, bytes);
    va_list args;
    va_start(args, format);
    text_vformat(&text, format, args);
    va_end(args);
    return profile_add_comment(c->out, bytes) != PROFILE_NONE;
}

/* How much of the process's memory malloc's view explains, since a profile that is far below the
 * resident size puzzles people: freed memory that the allocator keeps, and what never came through
 * malloc, are no part of it. */
static bool add_share(struct converter *c, const struct profile_facts *f)
{
    if (f->resident_bytes == 0)
        return true;
    uint64_t most = f->peak_bytes > f->live_bytes ? f->peak_bytes : f->live_bytes;
    uint64_t share = f->live_bytes / (f->resident_bytes / 100 + 1);
    if (!add_sentence(c, "# seen: %lu bytes live of %lu bytes resident (%lu%%)", f->live_bytes,
                      f->resident_bytes, share < 100 ? share : 100))
        return false;
    /* A small program's stacks and data are a few megabytes in any case. */
    if (f->resident_bytes < (UINT64_C(32) << 20) || most > f->resident_bytes / 20)
        return true;
    return add_sentence(
        c, "# seen: almost none, because this process takes its memory from elsewhere: "
           "an allocator of its own, arenas, or mmap");
}

static bool add_comments(struct converter *c, const struct snapshot_profile_options *options)
{
    struct profile_facts f = facts_of(c->snapshot, options);
    uint64_t doubt;
    if (__builtin_mul_overflow(f.threads, f.rate, &doubt))
        doubt = UINT64_MAX;
    bool good = profile_facts_add(c->out, &f);
    if (f.exact)
        good = good && add_sentence(c, "# allocated: %lu bytes, exactly", f.total_bytes);
    else
        good = good && add_sentence(c, "# allocated: at least %lu bytes", f.total_bytes) &&
               add_sentence(c, "# allocated: at most %lu bytes more than that", doubt);
    good = good && add_sentence(c, "# peak: %lu bytes live", f.peak_bytes);
    good = good && add_share(c, &f);
#define LOSS(count, sentence) \
    if (f.count)              \
    good = good && add_sentence(c, sentence, f.count)
    LOSS(truncated_stacks, "# stacks that end early: %lu samples");
    LOSS(lost_stacks, "# loss: %lu samples without a stack, no room was left for it");
    LOSS(lost_live, "# loss: %lu samples not followed until freed, inuse figures leave them out");
    LOSS(lost_samples, "# loss: %lu samples not counted");
    LOSS(lost_reentrant, "# loss: %lu allocations by signal handlers inside the hook");
    LOSS(frees_unseen, "# frees that approf did not see: %lu");
    if (f.damaged)
        good = good && add_sentence(c, "# loss: parts of the tables were damaged");
#undef LOSS
    if (good && options->command_line) {
        static const char prefix[] = "# command: ";
        size_t n = strlen(options->command_line), room;
        char *text;
        if (__builtin_add_overflow(n, sizeof prefix, &room) ||
            !(text = arena_alloc(&c->scratch, room)))
            return false;
        memcpy(text, prefix, sizeof prefix - 1);
        memcpy(text + sizeof prefix - 1, options->command_line, n + 1);
        good = profile_add_comment(c->out, text) != PROFILE_NONE;
    }
    return good;
}

/* Frames that only pass an allocation on: readers take them and what is below them off a stack, so
 * that a row or a line is the code that asked (pprof-spec 2.5; before they are demangled, too).
 */
static const char allocating_frames[] =
    "operator new(\\[\\])?|_Zn[wa].*|malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|"
    "posix_memalign|valloc|pvalloc|__gnu_cxx::new_allocator.*|std::__new_allocator.*|"
    "std::allocator(_traits)?(<.*>)?::allocate.*";

static bool add_header(struct converter *c, const struct snapshot_profile_options *options)
{
    struct profile *out = c->out;
    const struct heap_snapshot *s = c->snapshot;
    profile_add_sample_type(out, "alloc_objects", "count");
    profile_add_sample_type(out, "alloc_space", "bytes");
    profile_add_sample_type(out, "inuse_objects", "count");
    profile_add_sample_type(out, "inuse_space", "bytes");
    out->period_type.type = profile_intern_text(out, "space");
    out->period_type.unit = profile_intern_text(out, "bytes");
    out->period = s->header->rate <= INT64_MAX ? (int64_t)s->header->rate : INT64_MAX;
    out->time_nanos = s->taken_realtime_ns;
    out->duration_nanos = duration(s);
    out->drop_frames = profile_intern_text(out, allocating_frames);
    if (options->default_sample_type)
        out->default_sample_type = profile_intern_text(out, options->default_sample_type);
    return !out->arena.failed;
}

bool heap_snapshot_to_profile(const struct heap_snapshot *snapshot,
                              const struct snapshot_profile_options *options, struct profile *out,
                              struct profile_error *error)
{
    if (!profile_init(out, 0))
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    struct converter c = {.snapshot = snapshot, .out = out};
    arena_init(&c.scratch, 0);
    bool good = add_header(&c, options) && make_rows(&c) && take_off(&c, options->since) &&
                add_mappings(&c) && add_samples(&c) && add_comments(&c, options) &&
                !out->arena.failed;
    arena_free(&c.scratch);
    if (good)
        return true;
    profile_free(out);
    return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
}
