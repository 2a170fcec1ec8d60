/* frames.h - what the rows of a report stand for: frames at the chosen granularity, as numbers.
 *
 * Each line of each location gets the number of its identity (name, file, line, address, ... as far
 * as the granularity keeps them; pprof-spec 5.1), so that walking samples is integers only.
 * Built once a report; the profile must outlive it and stay unchanged but for its samples.
 */
#ifndef APPROF_FRAMES_H
#define APPROF_FRAMES_H

#include "profile.h"

enum granularity {
    GRANULARITY_FUNCTIONS,
    GRANULARITY_FILEFUNCTIONS,
    GRANULARITY_FILES,
    GRANULARITY_LINES,
    GRANULARITY_ADDRESSES,
};

struct frame_options {
    enum granularity granularity;
    bool no_inlines;
    bool show_columns;
    bool object_names;                   /* binaries and start lines are part of the identity */
    const char *trim_path, *source_path; /* trim_path NULL: files are shown as they are */
};

struct frame_info {
    string_id name, file, object;
    uint64_t address;
    int64_t line, column, start_line;
};

struct frame_table {
    const struct profile *profile;
    struct frame_info *infos;
    uint32_t n_infos;
    /* The frames of location l, root to leaf: frames[first[l] .. first[l + 1]). */
    uint32_t *first;
    uint32_t *frames;     /* see FRAME_INFO and FRAME_INLINED */
    bool *may_be_inlined; /* by info: some line that is inlined has it */
    char **names;         /* by info, made when first asked for */
};

#define FRAME_INFO(frame)    ((frame) >> 1)
#define FRAME_INLINED(frame) ((frame)&1) /* not the last line of its location */

/* False when there are too many lines to number (2^31). May add strings to the profile. */
bool frames_build(struct profile *profile, const struct frame_options *options,
                  struct frame_table *table);
void frames_free(struct frame_table *table);

/* The printed name: `name`, `name file:line`, `0000000000401136 name file:line`, `[binary]`. */
const char *frame_name(struct frame_table *table, uint32_t info);

/* Total order of identities, for rows that are equal in all that is printed. */
int frame_compare(const struct frame_table *table, uint32_t a, uint32_t b);

#endif
