/* listing.h - the functions that an expression means, with their source lines: for list and
 * weblist. */
#ifndef APPROF_LISTING_H
#define APPROF_LISTING_H

#include "intervals.h"
#include "report.h"

/* The nodes of one function in one file: order[first .. first + n) of struct listing. */
struct routine {
    string_id name, file;
    uint32_t first, n;
    int64_t flat, cum;
    double flat_variance, cum_variance; /* with -ci */
    uint32_t stamp;
};

struct listing {
    struct report *report;
    struct frame_table frames;
    struct graph graph;
    struct intervals intervals; /* with -ci */
    uint32_t *order;            /* matching nodes, by name, file, line */
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

struct line_weight {
    int64_t flat, cum;
    double flat_variance, cum_variance; /* with -ci */
};

/* The weight of a line. Lines are asked for in rising order; *at, 0 at first, is where the search
 * goes on. */
struct line_weight listing_line(const struct listing *listing, const struct routine *routine,
                                int64_t line, uint32_t *at);

/* Figures of a listing: nothing is a dot. */
const char *listing_value(const struct report *report, char text[UNIT_TEXT_ROOM], int64_t value);
/* With -ci the interval of a cum as a column with two spaces before it; otherwise "". */
const char *listing_interval(const struct listing *listing, char *text, size_t room, int64_t cum,
                             double variance);

#endif
