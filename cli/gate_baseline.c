/* gate_baseline.c - a side as text, made for review in git.
 *
 *     # approf baseline 1
 *     program redis-clone
 *     toolchain GCC: (Debian 12.2.0-14) 12.2.0
 *     rate 1
 *     runs 1
 *     per 1000
 *     # alloc_objects alloc_space inuse_objects inuse_space [peak], then the site
 *     total 1200 480000 3 96 5120
 *     1200 480000 3 96 parse_line
 *
 * Figures are means per run (not per operation). Behind a sampled figure stands ~UNIT, what one
 * sample stands for (gate_stats.h): its noise is kept as k2 = figure * unit. Sites are sorted by
 * name, so that a diff shows what changed. The name is the rest of the line; neither addresses nor
 * paths are written. Read as untrusted: bounded lines, figures finite and not negative.
 */
#include "gate.h"
#include "memory.h"
#include "message.h"
#include "profile_codec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "# approf baseline 1";

bool gate_baseline_is(const char *path)
{
    char head[sizeof magic] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = fread(head, 1, sizeof magic - 1, file);
    fclose(file);
    return n == sizeof magic - 1 && memcmp(head, magic, n) == 0;
}

/* Calls line() for each; stops at false. */
static bool each_line(const char *path, bool (*line)(void *ctx, char *text, int number), void *ctx)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        message_error("%s: %s", path, strerror(errno));
        message_hint("approf gate --run 'CMD' --baseline %s --update makes it", path);
        return false;
    }
    char *text = NULL;
    size_t room = 0;
    ssize_t n;
    bool fine = true;
    for (int number = 1; fine && (n = getline(&text, &room, file)) >= 0; number++) {
        if (n > 65536 || memchr(text, 0, (size_t)n)) {
            message_error("%s:%d: not a line of a baseline", path, number);
            fine = false;
            break;
        }
        text[strcspn(text, "\r\n")] = 0;
        fine = line(ctx, text, number);
    }
    free(text);
    fclose(file);
    return fine;
}

struct reading {
    struct gate *gate;
    const char *path;
    uint32_t runs;
};

static bool bad_line(const struct reading *r, int number)
{
    message_error("%s:%d: not a line of a baseline", r->path, number);
    message_hint("make it again with --update");
    return false;
}

static bool read_runs(void *ctx, char *text, int number)
{
    struct reading *r = ctx;
    char *end;
    if (strncmp(text, "runs ", 5) != 0)
        return true;
    unsigned long runs = strtoul(text + 5, &end, 10);
    if (*end || runs < 1 || runs > GATE_MAX_PROFILES)
        return bad_line(r, number);
    r->runs = (uint32_t)runs;
    return true;
}

uint32_t gate_baseline_runs(const char *path)
{
    struct reading r = {.path = path, .runs = 1};
    return each_line(path, read_runs, &r) ? r.runs : 0;
}

/* FIGURE or FIGURE~UNIT. */
static bool read_cell(char **at, struct gate_cell *cell)
{
    char *end;
    double unit = 0;
    cell->k1 = strtod(*at, &end);
    if (end == *at || !isfinite(cell->k1) || cell->k1 < 0)
        return false;
    if (*end == '~') {
        char *start = end + 1;
        unit = strtod(start, &end);
        if (end == start || !isfinite(unit) || unit < 0)
            return false;
    }
    if (*end != ' ' && *end)
        return false;
    cell->k2 = cell->k1 * unit;
    cell->k3 = cell->k2 * unit;
    *at = *end ? end + 1 : end;
    return true;
}

static void set_text(char **text, const char *value)
{
    free(*text);
    *text = memory_text(value, strlen(value));
}

static bool read_one(void *ctx, char *text, int number)
{
    struct reading *r = ctx;
    struct gate *gate = r->gate;
    struct gate_side *side = &gate->side[GATE_BASE];
    struct gate_cell cells[GATE_TYPES];
    if (*text == '#' || !*text || strncmp(text, "runs ", 5) == 0)
        return true;
    if (strncmp(text, "program ", 8) == 0) {
        set_text(&side->program, text + 8);
        return true;
    }
    if (strncmp(text, "toolchain ", 10) == 0) {
        set_text(&side->toolchain, text + 10);
        return true;
    }
    if (strncmp(text, "rate ", 5) == 0 || strncmp(text, "samples ", 8) == 0) {
        bool is_rate = *text == 'r';
        char *end;
        double value = strtod(text + (is_rate ? 5 : 8), &end);
        if (*end || !isfinite(value) || value < 0)
            return bad_line(r, number);
        if (is_rate) {
            side->rate = value;
            side->exact = value <= 1;
        } else {
            side->samples = value;
        }
        return true;
    }
    if (strncmp(text, "per ", 4) == 0)
        return true; /* for people: figures are not divided */
    bool total = strncmp(text, "total ", 6) == 0;
    char *at = text + (total ? 6 : 0);
    for (int t = 0; t < (total ? GATE_TYPES : GATE_SITE_TYPES); t++)
        if (!read_cell(&at, &cells[t]))
            return bad_line(r, number);
    if (!total && !*at)
        return bad_line(r, number);
    if (total) {
        for (uint32_t i = 0; i < side->n_profiles; i++) {
            memcpy(side->total[i], cells, sizeof cells);
            side->exact_total[i] = cells[GATE_ALLOC_SPACE].k2 == 0;
        }
        return true;
    }
    uint32_t site = gate_site_id(gate, at);
    gate->sites[site].on[GATE_BASE] = true;
    /* Callers are not kept: every function of the baseline counts as one. */
    uint32_t name = gate_name_id(gate, at);
    gate->name_on[name][GATE_BASE] = true;
    for (uint32_t i = 0; i < side->n_profiles; i++)
        for (int t = 0; t < GATE_SITE_TYPES; t++)
            *gate_cell(gate, site, GATE_BASE, i, t) = cells[t];
    return true;
}

bool gate_baseline_read(struct gate *gate, const char *path)
{
    struct reading r = {.gate = gate, .path = path};
    for (uint32_t i = 0; i < gate->side[GATE_BASE].n_profiles; i++)
        gate->side[GATE_BASE].sources[i] = path;
    return each_line(path, read_one, &r);
}

/* 1234.5 as 1234.5, 1200 as 1200: what reads back as the same to a thousandth. */
static void print_number(FILE *out, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.3f", value);
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        n--;
    n -= text[n - 1] == '.';
    fprintf(out, "%.*s", (int)n, text);
}

static void print_figure(FILE *out, const struct gate_figure *figure)
{
    print_number(out, figure->n > 0 ? fmax(0, figure->k1 / figure->n) : 0);
    double unit = figure->k2 > 0 ? figure->k3 / figure->k2 : 0;
    /* How much the runs differ is kept as part of the noise. */
    struct gate_figure none = {0};
    if (figure->n > 1)
        unit = fmax(unit, gate_unit(&none, figure, 0, 0.01));
    if (unit > 0) {
        fputc('~', out);
        print_number(out, unit);
    }
    fputc(' ', out);
}

static int by_name(const void *a, const void *b)
{
    const struct gate_site *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void print_baseline(const struct gate *given, FILE *out)
{
    struct gate undivided = *given; /* figures per run */
    struct gate *gate = &undivided;
    gate->operations = 1;
    const struct gate_side *side = &gate->side[GATE_NEW];
    fprintf(out, "%s\nprogram %s\n", magic, side->program);
    if (*side->toolchain)
        fprintf(out, "toolchain %s\n", side->toolchain);
    fputs("rate ", out);
    print_number(out, fmax(1, side->rate));
    fprintf(out, "\nruns %u\nsamples %.0f\n", side->n_profiles, side->samples);
    if (given->per_operation) {
        fputs("per ", out);
        print_number(out, given->operations);
        fputc('\n', out);
    }
    fputs("# alloc_objects alloc_space inuse_objects inuse_space [peak], then the site\ntotal",
          out);
    for (int t = 0; t < GATE_TYPES; t++) {
        struct gate_figure figure = gate_figure_of(gate, GATE_NEW, NULL, 0, t);
        fputc(' ', out);
        char *text;
        size_t n;
        FILE *memory = open_memstream(&text, &n);
        print_figure(memory, &figure);
        fclose(memory);
        fprintf(out, "%.*s", (int)(n - 1), text);
        free(text);
    }
    fputc('\n', out);
    const struct gate_site **sorted = memory_array(gate->n_sites + 1, sizeof *sorted);
    uint32_t n = 0;
    for (uint32_t s = 0; s < gate->n_sites; s++)
        if (gate->sites[s].on[GATE_NEW])
            sorted[n++] = &gate->sites[s];
    qsort(sorted, n, sizeof *sorted, by_name);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t site = (uint32_t)(sorted[i] - gate->sites);
        for (int t = 0; t < GATE_SITE_TYPES; t++) {
            struct gate_figure figure = gate_figure_of(gate, GATE_NEW, &site, 1, t);
            print_figure(out, &figure);
        }
        /* A name is one line. */
        for (const char *c = sorted[i]->name; *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
        fputc('\n', out);
    }
    free(sorted);
}

bool gate_baseline_write(const struct gate *gate, const char *path)
{
    char *temporary = memory_print("%s.new-%d", path, (int)getpid());
    FILE *out = fopen(temporary, "wxe");
    bool fine = out != NULL;
    if (fine) {
        print_baseline(gate, out);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
        fine = fine && rename(temporary, path) == 0;
    }
    if (!fine) {
        message_error("%s: %s", path, strerror(errno));
        message_hint("the baseline was not changed");
        if (out)
            unlink(temporary);
    }
    free(temporary);
    return fine;
}
