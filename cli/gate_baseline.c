/* gate_baseline.c - a side as text, made for review in git.
 *
 *     # approf baseline 1
 *     program redis-clone
 *     toolchain GCC: (Debian 12.2.0-14) 12.2.0
 *     rate 1
 *     runs 1
 *     per 1000                         only if --per was given
 *     samples 1200
 *     sites 1
 *     # alloc_objects alloc_space inuse_objects inuse_space [peak], then the site
 *     total 1200 480000 3 96 5120
 *     1200 480000 3 96 parse_line<TAB>read_file<TAB>main
 *
 * Figures are means per run (not per operation); "-" is a type that the profiles do not have.
 * Behind a sampled figure stands ~UNIT, what one sample stands for (gate_stats.h): its noise is
 * kept as k2 = figure * unit. Sites are sorted by name, so that a diff shows what changed. The name
 * is the rest of the line up to a tab; after it come the callers of its heaviest stack, nearest
 * first, by which code that moved is found again. Neither addresses nor paths are written. Read as
 * untrusted: bounded lines, figures finite and not negative; a file that was cut off shows by the
 * number of its sites or by its last line, which has no end.
 */
#include "gate.h"
#include "memory.h"
#include "message.h"
#include "output_file.h"
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
        message_error("%s: %s", path, message_errno(errno));
        message_hint("approf gate --run 'CMD' --baseline %s --update makes it", path);
        return false;
    }
    char *text = NULL;
    size_t room = 0;
    ssize_t n;
    bool fine = true;
    for (int number = 1; fine && (n = getline(&text, &room, file)) >= 0; number++) {
        if (n > 65536 || memchr(text, 0, (size_t)n) || text[n - 1] != '\n') {
            message_error("%s:%d: not a line of a baseline, or cut off", path, number);
            message_hint("make it again with --update");
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
    uint32_t sites, sites_said;
    bool has_total;
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

static bool plain_number(const char *text, char **end, double *value)
{
    *value = 0;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtod(text, end);
    return isfinite(*value) && *value <= 1e18 && memchr(text, 'x', (size_t)(*end - text)) == NULL;
}

/* FIGURE, FIGURE~UNIT or "-". */
static bool read_cell(char **at, struct gate_cell *cell, bool *missing)
{
    char *end;
    double unit = 0;
    *cell = (struct gate_cell){0};
    *missing = **at == '-';
    if (*missing)
        end = *at + 1;
    else if (!plain_number(*at, &end, &cell->k1))
        return false;
    if (*end == '~' && !plain_number(end + 1, &end, &unit))
        return false;
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

/* KEY VALUE, a number: false if it is none of these. */
static bool read_number(struct reading *r, const char *text, bool *fine)
{
    struct gate_side *side = &r->gate->side[GATE_BASE];
    static const char *const keys[] = {"rate ", "samples ", "sites ", "per "};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        size_t n = strlen(keys[k]);
        char *end = NULL;
        double value;
        if (strncmp(text, keys[k], n) != 0)
            continue;
        *fine = plain_number(text + n, &end, &value) && !*end;
        if (k == 0) {
            side->rate = value;
            side->exact = value <= 1;
        } else if (k == 1) {
            side->samples = value;
        } else if (k == 2) {
            *fine = *fine && value < UINT32_MAX;
            r->sites_said = *fine ? (uint32_t)value : 0;
        } else {
            *fine = *fine && value > 0;
            side->operations = value;
        }
        return true;
    }
    return false;
}

/* NAME<TAB>CALLER<TAB>... */
static bool read_site(struct reading *r, char *text, const struct gate_cell cells[GATE_TYPES])
{
    struct gate *gate = r->gate;
    char *callers = strchr(text, '\t');
    if (callers)
        *callers++ = 0;
    if (!*text)
        return false;
    uint32_t site = gate_site_id(gate, text);
    if (gate->sites[site].on[GATE_BASE])
        return false; /* twice */
    r->sites++;
    gate->sites[site].on[GATE_BASE] = true;
    for (uint32_t i = 0; i < gate->side[GATE_BASE].n_profiles; i++)
        for (int t = 0; t < GATE_SITE_TYPES; t++)
            *gate_cell(gate, site, GATE_BASE, i, t) = cells[t];
    /* The function itself, without " file:line". */
    char *end = gate->by_line ? strrchr(text, ' ') : NULL;
    if (end && strchr(end, ':'))
        *end = 0;
    uint32_t names[GATE_CALLERS + 1], n = 0;
    for (char *name = text; name && n <= GATE_CALLERS; n++) {
        char *next = strchr(name, '\t');
        if (next)
            *next++ = 0;
        names[n] = gate_name_id(gate, name);
        gate->name_on[names[n]][GATE_BASE] = true;
        name = n == 0 ? callers : next;
    }
    gate->sites[site].own = names[0];
    uint32_t id = gate_add_stack(gate, site, names, n); /* may move the stacks */
    struct gate_stack *stack = &gate->stacks[id];
    for (int t = 0; t < GATE_SITE_TYPES; t++)
        stack->values[GATE_BASE][t] = cells[t].k1 * gate->side[GATE_BASE].n_profiles;
    return true;
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
    bool fine = true;
    if (read_number(r, text, &fine))
        return fine || bad_line(r, number);
    bool total = strncmp(text, "total ", 6) == 0;
    char *at = text + (total ? 6 : 0);
    for (int t = 0; t < (total ? GATE_TYPES : GATE_SITE_TYPES); t++) {
        bool missing;
        if (!read_cell(&at, &cells[t], &missing) || (missing && !total && !side->lacks[t]))
            return bad_line(r, number);
        if (total)
            side->lacks[t] = missing;
    }
    if (!total)
        return (r->has_total && read_site(r, at, cells)) || bad_line(r, number);
    if (*at || r->has_total)
        return bad_line(r, number);
    r->has_total = true;
    for (uint32_t i = 0; i < side->n_profiles; i++) {
        memcpy(side->total[i], cells, sizeof cells);
        side->exact_total[i] = cells[GATE_ALLOC_SPACE].k2 == 0;
    }
    return true;
}

bool gate_baseline_read(struct gate *gate, const char *path)
{
    struct reading r = {.gate = gate, .path = path};
    struct gate_side *side = &gate->side[GATE_BASE];
    side->operations = 0;
    for (uint32_t i = 0; i < gate->side[GATE_BASE].n_profiles; i++)
        gate->side[GATE_BASE].sources[i] = path;
    if (!each_line(path, read_one, &r))
        return false;
    if (!r.has_total || r.sites != r.sites_said) {
        message_error("%s: the baseline is cut off: %u sites of %u", path, r.sites, r.sites_said);
        message_hint("get the whole file back, or make it again with --update");
        return false;
    }
    if (gate->per_operation != (side->operations > 0)) {
        message_error("%s: the baseline is %sper operation, and the new side is %s", path,
                      gate->per_operation ? "not " : "", gate->per_operation ? "" : "not");
        message_hint(gate->per_operation ? "make it again with --update and the same --per"
                                         : "say with --per how many operations this run does");
        return false;
    }
    if (!gate->per_operation)
        side->operations = 1;
    return true;
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

static void print_figure(FILE *out, const struct gate_figure *figure, bool missing)
{
    if (missing) {
        fputs("- ", out);
        return;
    }
    print_number(out, figure->n > 0 ? fmax(0, figure->k1 / figure->n) : 0);
    double unit = figure->k2 > 0 ? figure->k3 / figure->k2 : 0;
    /* How much the runs differ is kept as part of the noise. */
    struct gate_figure none = {0};
    if (figure->n > 1)
        unit = fmax(unit, gate_unit(&none, figure, 0, 0.01));
    if (unit > 0) {
        fprintf(out, "~%.6g", unit);
    }
    fputc(' ', out);
}

static int by_name(const void *a, const void *b)
{
    const struct gate_site *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static bool is_above(const struct gate *gate, const struct gate_stack *a,
                     const struct gate_stack *b)
{
    double x = 0, y = 0;
    for (int t = GATE_ALLOC_SPACE; t < GATE_SITE_TYPES; t += 2) {
        x += a->values[GATE_NEW][t];
        y += b->values[GATE_NEW][t];
    }
    if (x != y)
        return x > y;
    /* Equal ones in an order of their own, so that the file stays the same. */
    for (uint32_t i = 0; i < a->n_names && i < b->n_names; i++) {
        int order = strcmp(gate->names[gate->stack_names[a->first_name + i]],
                           gate->names[gate->stack_names[b->first_name + i]]);
        if (order)
            return order < 0;
    }
    return a->n_names < b->n_names;
}

/* By site, the number of its heaviest stack. free() it. */
static uint32_t *heaviest_stacks(const struct gate *gate)
{
    uint32_t *best = memory_array(gate->n_sites + 1, sizeof *best);
    for (uint32_t s = 0; s < gate->n_sites; s++)
        best[s] = KEY_NONE;
    for (uint32_t i = 0; i < gate->n_stacks; i++) {
        uint32_t *most = &best[gate->stacks[i].site];
        if (*most == KEY_NONE || is_above(gate, &gate->stacks[i], &gate->stacks[*most]))
            *most = i;
    }
    return best;
}

static void print_callers(const struct gate *gate, uint32_t stack, FILE *out)
{
    const struct gate_stack *s = stack == KEY_NONE ? NULL : &gate->stacks[stack];
    for (uint32_t i = 1; s && i < s->n_names && i <= GATE_CALLERS; i++)
        fprintf(out, "\t%s", gate->names[gate->stack_names[s->first_name + i]]);
}

static void print_baseline(const struct gate *given, FILE *out)
{
    struct gate undivided = *given; /* figures per run */
    struct gate *gate = &undivided;
    gate->side[GATE_NEW].operations = 1;
    uint32_t *stacks = heaviest_stacks(gate);
    const struct gate_side *side = &gate->side[GATE_NEW];
    fprintf(out, "%s\nprogram %s\n", magic, side->program);
    if (*side->toolchain)
        fprintf(out, "toolchain %s\n", side->toolchain);
    fputs("rate ", out);
    print_number(out, fmax(1, side->rate));
    fprintf(out, "\nruns %u\nsamples %.0f\n", side->n_profiles, side->samples);
    uint32_t on = 0;
    for (uint32_t s = 0; s < gate->n_sites; s++)
        on += gate->sites[s].on[GATE_NEW];
    fprintf(out, "sites %u\n", on);
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
        print_figure(memory, &figure, side->lacks[t]);
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
            print_figure(out, &figure, side->lacks[t]);
        }
        fputs(sorted[i]->name, out);
        print_callers(gate, stacks[site], out);
        fputc('\n', out);
    }
    free(stacks);
    free(sorted);
}

bool gate_baseline_write(const struct gate *gate, const char *path)
{
    struct output_file file;
    bool fine = output_open(&file, path);
    if (fine) {
        print_baseline(gate, file.stream);
        fine = output_close(&file, true);
    }
    if (!fine) {
        message_error("%s: %s", path, message_errno(errno));
        message_hint("the baseline was not changed");
    }
    return fine;
}
