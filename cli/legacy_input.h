/* legacy_input.h - what the readers of legacy formats share: lines, numbers, stacks of addresses,
 * memory maps.
 *
 * A reader collects stacks in a legacy_builder; legacy_build makes locations and samples of them,
 * legacy_read_maps finds the binaries. Input is untrusted: every reader walks it once, and what is
 * collected is bounded by a multiple of its size. Not thread-safe. Which formats there are and what
 * is done to addresses follows google/pprof's profile/legacy_profile.go and
 * legacy_java_profile.go.
 */
#ifndef APPROF_LEGACY_INPUT_H
#define APPROF_LEGACY_INPUT_H

#include "profile_codec.h"

/* ---- text ---- */

struct span {
    const char *bytes;
    size_t n;
};

struct legacy_text {
    const char *at, *end;
    struct span line; /* the current one, without its end; empty before the first and at the end */
};

/* The next line. False at the end. */
bool legacy_next(struct legacy_text *text);
struct span span_trim(struct span span);
bool span_starts(struct span span, const char *prefix);
bool span_is(struct span span, const char *text);
bool span_has(struct span span, const char *text);
bool span_blank(struct span span);   /* nothing but spaces */
bool span_comment(struct span span); /* blank, or the first sign is '#' */

/* ---- pieces of a line: each moves the beginning of *at and is false when there is no such piece
 * ---- */

bool take_text(struct span *at, const char *text);
bool take_spaces(struct span *at); /* any number of blanks, none too: always true */
bool take_digits(struct span *at, bool may_be_negative, struct span *digits);

/* A whole span as a number; base 0 knows 0x and 0. False when it does not fit. */
bool span_number(struct span span, int base, int64_t *value);

/* "COUNT: SIZE [COUNT: SIZE]": four spans; *at is what follows. Found anywhere in the line. */
bool take_heap_figures(struct span *at, bool may_be_negative, struct span figures[4]);

/* ---- stacks ---- */

enum legacy_result {
    LEGACY_DONE,
    LEGACY_OTHER, /* not this format: another reader may try */
    LEGACY_WRONG, /* this format, but damaged; *error says how */
};

struct legacy_stack {
    size_t first; /* into addresses[] */
    uint32_t n;
    bool has_bytes;
    int64_t values[4];
    int64_t bytes; /* the label */
};

struct legacy_builder {
    struct profile *profile;
    struct profile_error *error;
    uint64_t *addresses;
    size_t n_addresses, addresses_room;
    struct legacy_stack *stacks;
    size_t n_stacks, stacks_room;
};

void legacy_builder_free(struct legacy_builder *builder);

/* A stack without addresses yet, the last one from now on. Valid until the next is added. */
struct legacy_stack *legacy_add_stack(struct legacy_builder *builder);
/* To the last stack, leaf first. */
void legacy_add_address(struct legacy_builder *builder, uint64_t address);
/* Every 0x... of the text. False when one is too large. */
bool legacy_add_addresses(struct legacy_builder *builder, struct span text);

/* Which frames are return addresses, and so get one subtracted. */
enum legacy_adjust { LEGACY_ADJUST_NONE, LEGACY_ADJUST_CALLERS, LEGACY_ADJUST_ALL };
void legacy_adjust(struct legacy_builder *builder, enum legacy_adjust adjust);

/* The leaf comes from the signal and from the stack: it is taken out where it is there twice. */
void legacy_drop_second_leaf(struct legacy_builder *builder);

/* Samples and locations from the stacks; the sample types must be there. */
void legacy_build(struct legacy_builder *builder);

/* An estimate of what was allocated from what was sampled (pprof's: each side scaled by the
 * reciprocal of the probability that a sample of this mean size was taken). */
void legacy_unsample(int64_t *count, int64_t *size, int64_t rate);

/* LEGACY_WRONG with that text. */
enum legacy_result legacy_wrong(struct legacy_builder *builder, const char *what, struct span line);

/* ---- memory maps ---- */

bool legacy_maps_begin(struct span line);
/* The rest of the text is a memory map: its executable parts become mappings, and every location
 * gets its own, an invented one if need be. */
void legacy_read_maps(struct legacy_text *text, struct profile *profile);
/* The same, after skipping to the map's heading (the current line may be it). */
void legacy_find_maps(struct legacy_text *text, struct profile *profile);
/* Only the second half: no map. */
void legacy_place_locations(struct profile *profile);

/* ---- the readers ---- */

enum legacy_result legacy_cpu(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_heap(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_go_count(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_threads(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_contention(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_java(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_jemalloc(struct legacy_builder *builder, struct legacy_text text);
enum legacy_result legacy_folded(struct legacy_builder *builder, struct legacy_text text);

/* The symbols behind the samples of a Java profile: lines, and no addresses any more. */
bool legacy_java_locations(struct legacy_builder *builder, struct legacy_text text);

#endif
