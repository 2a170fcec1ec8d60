/* live_sites.c - see live_sites.h. */
#include "live_sites.h"

#include "hash.h"
#include "key_table.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_VALUES = 4, ALLOC_SPACE = 1, INUSE_SPACE = 3 };

/* One kind of sites. Sites keep their place: pointers to them stay good. */
struct view {
    struct live_site **sites;
    size_t n, room;
    struct key_table table;
};

struct live_sites {
    struct view views[2];
    const struct live_site **sorted;
    size_t sorted_room;
    int64_t last_ns;
    unsigned looks;
    double rate;
};

struct live_sites *live_sites_open(void)
{
    return memory_array(1, sizeof(struct live_sites));
}

void live_sites_close(struct live_sites *sites)
{
    for (int v = 0; v < 2; v++) {
        struct view *view = &sites->views[v];
        for (size_t i = 0; i < view->n; i++) {
            free(view->sites[i]->function);
            free(view->sites[i]->file);
            free(view->sites[i]);
        }
        free(view->sites);
        key_table_free(&view->table);
    }
    free(sites->sorted);
    free(sites);
}

static uint64_t text_hash(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text));
}

static struct live_site *find(struct view *view, const char *function, const char *file,
                              int64_t line, bool add)
{
    uint64_t hash = key_hash(text_hash(text_hash(1, function), file), (uint64_t)line);
    struct key_cursor at = key_table_at(&view->table, hash);
    uint32_t id;
    while ((id = key_table_next(&view->table, &at)) != KEY_NONE) {
        struct live_site *site = view->sites[id];
        if (site->line == line && strcmp(site->function, function) == 0 &&
            strcmp(site->file, file) == 0) {
            return site;
        }
    }
    if (!add || view->n >= KEY_NONE - 1) {
        return NULL;
    }
    struct live_site *site = memory_array(1, sizeof *site);
    *site = (struct live_site){.function = memory_text(function, strlen(function)),
                               .file = memory_text(file, strlen(file)),
                               .line = line,
                               .hash = hash};
    MEMORY_ROOM(view->sites, view->n, view->room);
    view->sites[view->n] = site;
    key_table_add(&view->table, hash, (uint32_t)view->n++);
    return site;
}

/* Where a sample was allocated. */
static void place_of(const struct profile *profile, const struct profile_sample *sample,
                     const char **function, const char **file, int64_t *line)
{
    *function = "[unknown]";
    *file = "";
    *line = 0;
    if (sample->n_locations == 0) {
        return;
    }
    const struct profile_location *location =
        &profile->locations[profile->sample_locations[sample->first_location]];
    if (location->n_lines > 0) {
        const struct profile_line *inner = &profile->lines[location->first_line];
        const struct profile_function *found = &profile->functions[inner->function];
        *function = profile_text(profile, found->name);
        *file = profile_text(profile, found->filename);
        *line = inner->line;
    } else if (location->mapping != PROFILE_NONE) {
        *function = profile_text(profile, profile->mappings[location->mapping].filename);
    }
}

void live_sites_look(struct live_sites *sites, const struct profile *profile, int64_t taken_ns)
{
    double seconds = (double)(taken_ns - sites->last_ns) / 1e9, all = 0;
    bool first = sites->looks == 0;
    if (!first && seconds < 0.001) {
        return;
    }
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sites->views[v].n; i++) {
            struct live_site *site = sites->views[v].sites[i];
            site->before = site->allocated;
            site->allocated = site->live = 0;
        }
    }
    for (uint32_t s = 0; s < profile->n_samples; s++) {
        const char *function, *file;
        int64_t line;
        const int64_t *values = &profile->values[(size_t)s * N_VALUES];
        place_of(profile, &profile->samples[s], &function, &file, &line);
        for (int v = 0; v < 2; v++) {
            struct live_site *site =
                find(&sites->views[v], function, file, v == LIVE_LINES ? line : 0, true);
            if (site != NULL) {
                site->allocated += values[ALLOC_SPACE];
                site->live += values[INUSE_SPACE];
            }
        }
    }
    /* A mean over a few looks: with one sample in half a megabyte single looks jump. */
    double weight = sites->looks < 2 ? 1 : 0.4;
    for (int v = 0; v < 2 && !first; v++) {
        for (size_t i = 0; i < sites->views[v].n; i++) {
            struct live_site *site = sites->views[v].sites[i];
            int64_t more = site->allocated > site->before ? site->allocated - site->before : 0;
            site->rate += weight * ((double)more / seconds - site->rate);
            all += v == LIVE_FUNCTIONS ? site->rate : 0;
        }
    }
    sites->rate = all;
    sites->last_ns = taken_ns;
    sites->looks++;
    if (first) {
        live_sites_reset(sites);
    }
}

void live_sites_reset(struct live_sites *sites)
{
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sites->views[v].n; i++) {
            sites->views[v].sites[i]->first_live = sites->views[v].sites[i]->live;
        }
    }
}

double live_site_weight(const struct live_site *site, enum live_order order)
{
    switch (order) {
    case LIVE_BY_RATE:
        return site->rate;
    case LIVE_BY_LIVE:
        return (double)site->live;
    default:
        return (double)(site->live - site->first_live);
    }
}

static int compare(const void *a, const void *b, void *ctx)
{
    const struct live_site *x = *(const struct live_site *const *)a;
    const struct live_site *y = *(const struct live_site *const *)b;
    enum live_order order = *(const enum live_order *)ctx;
    double v = live_site_weight(x, order), w = live_site_weight(y, order);
    if (v != w) {
        return v > w ? -1 : 1;
    }
    if (x->allocated != y->allocated) {
        return x->allocated > y->allocated ? -1 : 1;
    }
    int names = strcmp(x->function, y->function);
    return names != 0 ? names : x->line < y->line ? -1 : x->line > y->line;
}

const struct live_site *const *live_sites_sorted(struct live_sites *sites, enum live_view view,
                                                 enum live_order order, size_t *n)
{
    const struct view *chosen = &sites->views[view];
    *n = 0;
    if (chosen->n > sites->sorted_room) {
        sites->sorted_room = chosen->n;
        sites->sorted = memory_resize(sites->sorted, sites->sorted_room, sizeof *sites->sorted);
    }
    for (size_t i = 0; i < chosen->n; i++) {
        const struct live_site *site = chosen->sites[i];
        if (site->allocated != 0 || site->live != 0) {
            sites->sorted[(*n)++] = site;
        }
    }
    if (*n > 0) {
        qsort_r(sites->sorted, *n, sizeof *sites->sorted, compare, &order);
    }
    return sites->sorted;
}

const struct live_site *live_sites_line(struct live_sites *sites, const struct live_site *site,
                                        enum live_order order)
{
    const struct view *lines = &sites->views[LIVE_LINES];
    const struct live_site *best = NULL;
    if (site->line != 0) {
        return site;
    }
    for (size_t i = 0; i < lines->n; i++) {
        const struct live_site *line = lines->sites[i];
        if (line->line != 0 && strcmp(line->function, site->function) == 0 &&
            strcmp(line->file, site->file) == 0 &&
            (best == NULL || compare(&line, &best, &order) < 0)) {
            best = line;
        }
    }
    return best;
}

const struct live_site *live_sites_at(struct live_sites *sites, const char *file, int64_t line)
{
    const struct view *lines = &sites->views[LIVE_LINES];
    const struct live_site *best = NULL;
    for (size_t i = 0; i < lines->n; i++) {
        const struct live_site *site = lines->sites[i];
        if (site->line == line && strcmp(site->file, file) == 0 &&
            (best == NULL || site->allocated > best->allocated)) {
            best = site;
        }
    }
    return best;
}

double live_sites_rate(const struct live_sites *sites)
{
    return sites->rate;
}
