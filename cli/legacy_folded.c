/* legacy_folded.c - folded stacks, as flame graph tools pass them on: "root;caller;leaf COUNT". */
#include "legacy_input.h"

#include "id_table.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* The count behind the last space. False when the line is none of these. */
static bool split(struct span line, struct span *stack, int64_t *count)
{
    const char *space = memrchr(line.bytes, ' ', line.n);
    if (!space) {
        return false;
    }
    size_t n = (size_t)(space - line.bytes);
    *stack = span_trim((struct span){line.bytes, n});
    struct span number = {space + 1, line.n - n - 1}, digits, rest = number;
    return stack->n > 0 && take_digits(&rest, true, &digits) && rest.n == 0 &&
           span_number(number, 10, count);
}

/* Every line must be one, and there must be a stack of more than one frame: prose may well end with
 * a number. */
static bool is_folded(struct legacy_text text)
{
    bool deep = false;
    while (legacy_next(&text)) {
        struct span line = span_trim(text.line), stack;
        int64_t count;
        if (line.n == 0 || (line.bytes[0] == '#' && !deep)) {
            continue;
        }
        if (memchr(line.bytes, '\0', line.n) || !split(line, &stack, &count)) {
            return false;
        }
        deep = deep || memchr(stack.bytes, ';', stack.n);
    }
    return deep;
}

/* The location of a frame: one for each name. */
static uint32_t frame_location(struct profile *p, struct span name, struct id_table *known)
{
    string_id id = profile_intern(p, name.bytes, name.n);
    uint32_t location = id_table_find(known, id);
    if (location != UINT32_MAX || p->arena.failed) {
        return location;
    }
    struct profile_function function = {
        .id = p->n_functions + UINT64_C(1), .name = id, .system_name = id};
    struct profile_line line = {profile_add_function(p, &function), 0, 0};
    struct profile_location added = {.id = p->n_locations + UINT64_C(1), .mapping = PROFILE_NONE};
    location = profile_add_location(p, &added, &line, 1);
    if (id_table_add(known, id, location) < 0) {
        p->arena.failed = true;
    }
    return location;
}

enum legacy_result legacy_folded(struct legacy_builder *builder, struct legacy_text text)
{
    struct profile *p = builder->profile;
    if (!is_folded(text)) {
        return LEGACY_OTHER;
    }
    profile_add_sample_type(p, "samples", "count");
    p->period_type = p->sample_types[0];
    p->period = 1;
    struct arena scratch;
    arena_init(&scratch, 0);
    struct id_table known;
    if (!id_table_init(&known, &scratch, 0)) {
        p->arena.failed = true;
    }
    uint32_t *frames = NULL;
    size_t room = 0;
    while (!p->arena.failed && legacy_next(&text)) {
        struct span line = span_trim(text.line), stack;
        int64_t count;
        if (line.n == 0 || !split(line, &stack, &count)) {
            continue;
        }
        size_t n = 0;
        while (stack.n) { /* from the leaf, which is the last, to the root */
            const char *semicolon = memrchr(stack.bytes, ';', stack.n);
            const char *name = semicolon ? semicolon + 1 : stack.bytes;
            struct span frame = {name, stack.n - (size_t)(name - stack.bytes)};
            stack.n = semicolon ? (size_t)(semicolon - stack.bytes) : 0;
            if (frame.n == 0) {
                continue;
            }
            MEMORY_ROOM(frames, n, room);
            frames[n++] = frame_location(p, frame, &known);
        }
        if (!p->arena.failed && n < UINT32_MAX) {
            profile_add_sample(p, frames, (uint32_t)n, &count, NULL, 0);
        }
    }
    free(frames);
    arena_free(&scratch);
    return LEGACY_DONE;
}
