/* profile.h - a pprof profile in memory, as every stage of approf passes it on.
 *
 * Flat arrays and indices instead of the message's ids and pointers: decode resolves and validates
 * all ids once (pprof's rules), everything after that may index without checks. All memory belongs
 * to the profile's arena and goes with profile_free. Strings are indices into strings[]; index 0 is
 * "". Nothing here is thread-safe; distinct profiles are independent.
 *
 * Meaning is profile.proto's: a sample's locations are leaf first; in a location with several
 * lines, lines[0] is the innermost inlined callee and the last one the function that contains the
 * code; an address lies inside the call instruction.
 */
#ifndef APPROF_PROFILE_H
#define APPROF_PROFILE_H

#include "arena.h"

#define PROFILE_NONE UINT32_MAX /* "no mapping", "no function" */

typedef uint32_t string_id;

struct profile_string {
    const char *bytes; /* NUL-terminated for convenience; may hold NULs inside */
    uint32_t length;
};

struct profile_value_type {
    string_id type, unit;
};

/* Numeric when str is 0. */
struct profile_label {
    string_id key, str, num_unit;
    int64_t num;
};

struct profile_sample {
    uint32_t first_location, n_locations; /* into sample_locations[] */
    uint32_t first_label, n_labels;       /* into labels[] */
};                                        /* values: values[i * n_sample_types ...] */

struct profile_mapping {
    uint64_t id; /* as in the file; unique, not 0 */
    uint64_t start, limit, offset;
    string_id filename, build_id;
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct profile_function {
    uint64_t id;
    string_id name, system_name, filename;
    int64_t start_line;
};

struct profile_line {
    uint32_t function; /* index into functions[] */
    int64_t line, column;
};

struct profile_location {
    uint64_t id;
    uint64_t address;
    uint32_t mapping;             /* index into mappings[] or PROFILE_NONE */
    uint32_t first_line, n_lines; /* into lines[] */
    bool is_folded;
};

struct profile {
    struct arena arena;

    struct profile_value_type *sample_types;
    uint32_t n_sample_types;
    struct profile_value_type period_type;
    int64_t period;
    int64_t time_nanos, duration_nanos;
    string_id drop_frames, keep_frames, default_sample_type, doc_url;
    string_id *comments;
    uint32_t n_comments;

    struct profile_sample *samples;
    int64_t *values;
    uint32_t n_samples;
    uint32_t *sample_locations; /* indices into locations[] */
    uint32_t n_sample_locations;
    struct profile_label *labels;
    uint32_t n_labels;
    struct profile_mapping *mappings;
    uint32_t n_mappings;
    struct profile_location *locations;
    uint32_t n_locations;
    struct profile_line *lines;
    uint32_t n_lines;
    struct profile_function *functions;
    uint32_t n_functions;
    struct profile_string *strings;
    uint32_t n_strings;

    /* Capacities of the arrays above while a profile is being built. */
    struct {
        uint32_t sample_types, comments, samples, sample_locations, labels, mappings, locations,
            lines, functions, strings;
    } room;
    uint32_t
        *string_index; /* hash table over strings[], made on first use; size is a power of two */
    uint32_t string_index_size;
};

/* An empty profile with strings[0] == "". limit bounds the arena, 0 is none. False when out of
 * memory. */
bool profile_init(struct profile *profile, size_t limit);
void profile_free(struct profile *profile);

static inline const char *profile_text(const struct profile *profile, string_id id)
{
    return profile->strings[id].bytes;
}

/* ---- building: each returns the new index, or PROFILE_NONE when out of memory (arena.failed is
 * sticky, so a caller may check it once at the end) ---- */

/* The id of a string, added if it is new. */
string_id profile_intern(struct profile *profile, const char *bytes, size_t n);
string_id profile_intern_text(struct profile *profile, const char *text);
uint32_t profile_add_sample_type(struct profile *profile, const char *type, const char *unit);
uint32_t profile_add_comment(struct profile *profile, const char *text);
uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping);
uint32_t profile_add_function(struct profile *profile, const struct profile_function *function);
/* Copies n_lines lines (0 is fine); first_line/n_lines of *location are ignored. */
uint32_t profile_add_location(struct profile *profile, const struct profile_location *location,
                              const struct profile_line *lines, uint32_t n_lines);
/* Gives a location other lines (copies them). False when out of memory. */
bool profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                       uint32_t n_lines);
/* Replaces a location's lines (the old ones stay in lines[], unused). */
bool profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                       uint32_t n_lines);
/* Makes room for so many more at once (optional; saves growing). Sample types must be there. */
bool profile_reserve_samples(struct profile *profile, uint32_t samples, uint32_t locations,
                             uint32_t labels);
/* values has n_sample_types entries: sample types must be added before the first sample. */
uint32_t profile_add_sample(struct profile *profile, const uint32_t *locations,
                            uint32_t n_locations, const int64_t *values,
                            const struct profile_label *labels, uint32_t n_labels);

#endif
