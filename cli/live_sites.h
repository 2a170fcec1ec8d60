/* live_sites.h - the sites of a process that is looked at again and again: what each allocates, has
 * in use, and how that changes.
 *
 * A site is a function or a source line with code that calls the allocator itself. Figures are
 * estimates in bytes. Not thread-safe.
 */
#ifndef APPROF_LIVE_SITES_H
#define APPROF_LIVE_SITES_H

#include "profile.h"

enum live_view { LIVE_FUNCTIONS, LIVE_LINES };
enum live_order { LIVE_BY_RATE, LIVE_BY_LIVE, LIVE_BY_GROWTH, LIVE_N_ORDERS };

struct live_site {
    char *function, *file;
    int64_t line; /* 0 in the view of functions */
    uint64_t hash;
    int64_t allocated, live; /* now */
    int64_t before;          /* allocated at the last look */
    int64_t first_live;      /* at the first look: growth is live - first_live */
    double rate;             /* bytes a second, over the last looks */
};

struct live_sites;

struct live_sites *live_sites_open(void);
void live_sites_close(struct live_sites *sites);

/* A look: a symbolized profile, and when it was taken (CLOCK_MONOTONIC). */
void live_sites_look(struct live_sites *sites, const struct profile *profile, int64_t taken_ns);
/* Growth counts from now on. */
void live_sites_reset(struct live_sites *sites);

/* The sites of a view in an order, those with nothing to show left out. The array is the sites',
 * good until the next call. */
const struct live_site *const *live_sites_sorted(struct live_sites *sites, enum live_view view,
                                                 enum live_order order, size_t *n);

/* A figure that an order is by. */
double live_site_weight(const struct live_site *site, enum live_order order);

/* The line of a function that weighs most, or the site itself in the view of lines; NULL if no
 * line is known. */
const struct live_site *live_sites_line(struct live_sites *sites, const struct live_site *site,
                                        enum live_order order);
/* What is known of a line of a file, or NULL. */
const struct live_site *live_sites_at(struct live_sites *sites, const char *file, int64_t line);

/* Over all. */
double live_sites_rate(const struct live_sites *sites);

#endif
