/* legacy_heap.c - heap profiles as text: tcmalloc's and old Go's ("heap profile: ... @ heap_v2/N"),
 * growth and fragmentation, and jemalloc's own dumps ("heap_v2/N"). */
#include "legacy_input.h"

#include <string.h>

/* The types, and whether what was allocated is shown beside what is in use. */
static void heap_types(struct profile *p, bool has_alloc)
{
    p->period_type.type = profile_intern_text(p, "space");
    p->period_type.unit = profile_intern_text(p, "bytes");
    if (has_alloc) {
        profile_add_sample_type(p, "alloc_objects", "count");
        profile_add_sample_type(p, "alloc_space", "bytes");
        profile_add_sample_type(p, "inuse_objects", "count");
        profile_add_sample_type(p, "inuse_space", "bytes");
    } else {
        profile_add_sample_type(p, "objects", "count");
        profile_add_sample_type(p, "space", "bytes");
    }
}

/* figures: count and size in use, count and size allocated. NULL, or what is wrong. */
static const char *heap_values(const struct span figures[4], int64_t rate, bool scaled,
                               bool has_alloc, int64_t values[4], int64_t *bytes)
{
    *bytes = 0;
    for (int pair = has_alloc ? 0 : 1; pair < 2; pair++) {
        const struct span *from = pair == 0 ? figures + 2 : figures;
        int64_t count, size;
        if (!span_number(from[0], 10, &count) || !span_number(from[1], 10, &size)) {
            return "malformed sample";
        }
        if (count == 0 && size != 0) {
            return "bytes without a count";
        }
        if (count != 0) {
            *bytes = count == -1 ? (int64_t)(0 - (uint64_t)size) : size / count;
            if (scaled) {
                legacy_unsample(&count, &size, rate);
            }
        }
        *values++ = count;
        *values++ = size;
    }
    return NULL;
}

static bool differs(struct span allocated, struct span in_use)
{
    bool same = allocated.n == in_use.n && memcmp(allocated.bytes, in_use.bytes, in_use.n) == 0;
    return !same && !span_is(allocated, "0");
}

/* The first line. False when it is none of a heap profile. */
static bool heap_header(struct span line, int64_t *period, bool *scaled, bool *has_alloc)
{
    const char *at = memmem(line.bytes, line.n, "heap profile:", 13);
    if (!at) {
        return false;
    }
    struct span rest = {at + 13, line.n - (size_t)(at + 13 - line.bytes)}, figures[4];
    take_spaces(&rest);
    const char *figures_at = rest.bytes;
    if (!take_heap_figures(&rest, false, figures) || figures[0].bytes != figures_at) {
        return false;
    }
    take_spaces(&rest);
    if (!take_text(&rest, "@")) {
        return false;
    }
    take_spaces(&rest);
    *period = 1;
    *scaled = *has_alloc = false;
    if (span_starts(rest, "growth") || span_starts(rest, "fragmentation")) {
        return true;
    }
    *has_alloc = differs(figures[2], figures[0]) || differs(figures[3], figures[1]);
    size_t n = 0;
    while (n < rest.n && (rest.bytes[n] == '_' || (rest.bytes[n] >= 'a' && rest.bytes[n] <= 'z') ||
                          (rest.bytes[n] >= '0' && rest.bytes[n] <= '9'))) {
        n++;
    }
    struct span name = {rest.bytes, n}, digits;
    rest = (struct span){rest.bytes + n, rest.n - n};
    if (span_is(name, "heapprofile")) {
        return true;
    }
    *scaled = true;
    *period = 0;
    if (take_text(&rest, "/") && take_digits(&rest, false, &digits) &&
        !span_number(digits, 10, period)) {
        return false;
    }
    if (span_is(name, "heap")) {
        *period /= 2;
        return true;
    }
    return span_is(name, "heap_v2") || span_is(name, "heapz_v2");
}

enum legacy_result legacy_heap(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    bool scaled, has_alloc;
    if (!legacy_next(&text) || !heap_header(text.line, &p->period, &scaled, &has_alloc)) {
        return LEGACY_OTHER;
    }
    heap_types(p, has_alloc);
    while (legacy_next(&text)) {
        struct span line = span_trim(text.line), figures[4];
        if (span_comment(line)) {
            continue;
        }
        if (legacy_maps_begin(line)) {
            break;
        }
        struct span rest = line;
        if (!take_heap_figures(&rest, true, figures) || !take_text(&rest, " @")) {
            return legacy_wrong(builder, "not the figures of a sample", line);
        }
        struct legacy_stack *stack = legacy_add_stack(builder);
        const char *wrong =
            heap_values(figures, p->period, scaled, has_alloc, stack->values, &stack->bytes);
        if (wrong) {
            return legacy_wrong(builder, wrong, line);
        }
        stack->has_bytes = true;
        size_t n = 0;
        while (n < rest.n && strchr(" x0123456789abcdef", rest.bytes[n]) && rest.bytes[n]) {
            n++;
        }
        rest.n = n;
        if (!legacy_add_addresses(builder, rest)) {
            return legacy_wrong(builder, "an address is too large", line);
        }
    }
    legacy_adjust(builder, LEGACY_ADJUST_ALL);
    legacy_build(builder);
    legacy_find_maps(&text, p);
    return LEGACY_DONE;
}

/* jemalloc: "heap_v2/RATE", then per stack a line "@ ADDRESSES" and lines "THREAD: FIGURES", of
 * which "t*" is the sum of the others. Before the first stack: the sums of everything. Figures are
 * as sampled; jemalloc arranges them so that this estimate is unbiased (opt.prof_unbias). */
enum legacy_result legacy_jemalloc(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    if (!legacy_next(&text)) {
        return LEGACY_OTHER;
    }
    struct span first = span_trim(text.line);
    if (!take_text(&first, "heap_v2/") || !span_number(first, 10, &p->period) || p->period <= 0) {
        return LEGACY_OTHER;
    }
    bool has_alloc = false, has_types = false, pending = false;
    struct span stack = {0};
    while (legacy_next(&text)) {
        struct span line = span_trim(text.line), figures[4];
        if (span_comment(line)) {
            continue;
        }
        if (legacy_maps_begin(line)) {
            break;
        }
        struct span rest = line;
        if (line.bytes[0] == '@') {
            stack = line;
            pending = true;
            continue;
        }
        if (!take_text(&rest, "t*:")) {
            if (line.bytes[0] != 't') {
                return legacy_wrong(builder, "not a line of a jemalloc heap dump", line);
            }
            continue;
        }
        if (!take_heap_figures(&rest, false, figures)) {
            return legacy_wrong(builder, "not the figures of a stack", line);
        }
        if (!has_types) {
            has_types = true;
            has_alloc = !span_is(figures[2], "0") || !span_is(figures[3], "0");
            heap_types(p, has_alloc);
        }
        if (!pending) {
            continue;
        }
        pending = false;
        struct legacy_stack *added = legacy_add_stack(builder);
        const char *wrong =
            heap_values(figures, p->period, true, has_alloc, added->values, &added->bytes);
        if (wrong) {
            return legacy_wrong(builder, wrong, line);
        }
        added->has_bytes = true;
        if (!legacy_add_addresses(builder, stack)) {
            return legacy_wrong(builder, "an address is too large", stack);
        }
    }
    if (!has_types) {
        heap_types(p, false);
    }
    legacy_adjust(builder, LEGACY_ADJUST_ALL);
    legacy_build(builder);
    legacy_find_maps(&text, p);
    return LEGACY_DONE;
}
