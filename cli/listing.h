/* listing.h - the functions that an expression means, with their source lines: for list and
 * weblist. */
#ifndef APPROF_LISTING_H
#define APPROF_LISTING_H

#include "report.h"

/* The nodes of one function in one file: order[first .. first + n) of struct listing. */
struct routine {
    string_id name, file;
    uint32_t first, n;
    int64_t flat, cum;
    uint32_t stamp;
};

struct listing {
    struct report *report;
    struct frame_table frames;
    struct graph graph;
    uint32_t *order; /* matching nodes, by name, file, line */
    uint32_t n;
    struct routine *routines;
    uint32_t n_routines;
};

/* by_file: a function is meant too when its file matches. False after a message; there is nothing
 * to close then. */
bool listing_open(struct report *report, bool by_file, struct listing *listing);
void listing_close(struct listing *listing);

/* The lines to show of a routine: some around those with weight. False when there are none. */
bool listing_range(const struct listing *listing, const struct routine *routine, int64_t *start,
                   int64_t *end);

/* The weight of a line. Lines are asked for in rising order; *at, 0 at first, is where the search
 * goes on. */
void listing_line(const struct listing *listing, const struct routine *routine, int64_t line,
                  uint32_t *at, int64_t *flat, int64_t *cum);

#endif
