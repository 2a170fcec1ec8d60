/* gate.h - the allocation gate: what its parts pass on to one another.
 *
 *   gate_side.c      profiles or a baseline -> per site and profile, figures with their cumulants
 *   gate_rules.c     limits from the command line and from a file
 *   gate_judge.c     rules x sites -> findings (gate_stats.h has the statistics)
 *   gate_moved.c     sites that were renamed, split or inlined elsewhere
 *   gate_waivers.c   findings that are excused until a date
 *   gate_baseline.c  a side as a text file for review
 *   gate_report_*.c  the verdict for people and machines
 *   cmd_gate.c       the command
 *
 * A side is a number of profiles of one program. A site is a function, or a source line, that
 * allocates: the leaf frame of samples. All memory is malloc's and lives until gate_free.
 * Single-threaded.
 */
#ifndef APPROF_GATE_H
#define APPROF_GATE_H

#include "gate_stats.h"
#include "key_table.h"
#include "profile.h"
#include "regexp.h"

#include <stdio.h>

enum gate_type {
    GATE_ALLOC_OBJECTS,
    GATE_ALLOC_SPACE,
    GATE_INUSE_OBJECTS,
    GATE_INUSE_SPACE,
    GATE_PEAK,
    GATE_TYPES
};
#define GATE_SITE_TYPES   GATE_PEAK /* a peak has no sites */
#define GATE_MAX_PROFILES 256
#define GATE_CALLERS      8 /* of a stack in a baseline */
extern const char *const gate_type_names[GATE_TYPES];
static inline const char *gate_type_unit(enum gate_type type)
{
    return type == GATE_ALLOC_OBJECTS || type == GATE_INUSE_OBJECTS ? "count" : "bytes";
}

enum gate_side_name { GATE_BASE, GATE_NEW, GATE_SIDES };

/* A value in one profile with its sampling cumulants (gate_stats.h). */
struct gate_cell {
    double k1, k2, k3;
};

/* Cells of one site in all profiles of both sides: cells[profile * GATE_SITE_TYPES + type]; the
 * base's profiles come first. */
struct gate_site {
    char *name;       /* function, or "function file:line" with the file's base name */
    uint32_t own;     /* name id of the function itself */
    const char *file; /* as the profile has it, or from gate.directory on; "" if unknown */
    int64_t line;     /* most weight; 0 if unknown */
    double line_weight;
    struct gate_cell *cells;
    uint32_t anchor; /* nearest caller that is a frame on both sides: a name id, KEY_NONE if none */
    double anchor_weight;
    bool on[GATE_SIDES]; /* seen on that side */
    double samples[GATE_SIDES];
};

/* A stack of one site, for blame. */
struct gate_stack {
    uint32_t site;
    uint32_t first_name, n_names; /* leaf first, into gate.stack_names */
    bool cut;                     /* of a baseline, and perhaps longer */
    uint32_t file; /* where it leaves the system's libraries: a name id, KEY_NONE if unknown */
    int64_t line;
    double values[GATE_SIDES][GATE_SITE_TYPES]; /* summed over the profiles of the side */
};

struct gate_side {
    uint32_t n_profiles;
    const char **sources; /* n_profiles names, for messages */
    struct gate_cell total[GATE_MAX_PROFILES][GATE_TYPES];
    double rate;                         /* largest of its profiles */
    bool exact;                          /* rate 1 throughout */
    bool exact_total[GATE_MAX_PROFILES]; /* alloc_space's total is exact though the profile is
                                            sampled */
    double samples;
    bool lacks[GATE_TYPES]; /* some profile does not have this type */
    double operations;      /* in a run, 1 if not given */
    char *program;          /* base name of the executable, "" unknown */
    char *toolchain;        /* "" unknown */
    char *label;            /* how the report calls it */
};

struct gate {
    struct gate_side side[GATE_SIDES];
    uint32_t n_profiles; /* of both */
    bool by_line;
    char *directory; /* the current one with a slash at its end: files below are shown from there */
    double operations; /* --per, 1 if not given */
    bool per_operation;

    struct gate_site *sites;
    uint32_t n_sites;
    size_t sites_room;
    struct key_table site_index;

    char **names; /* of frames */
    bool (*name_on)[GATE_SIDES];
    uint32_t n_names;
    size_t names_room, name_on_room;
    struct key_table name_index;

    struct gate_stack *stacks;
    uint32_t n_stacks;
    size_t stacks_room;
    struct key_table stack_index;
    uint32_t *stack_names;
    size_t n_stack_names, stack_names_room;
};

void gate_init(struct gate *gate, bool by_line, double operations);
void gate_free(struct gate *gate);
/* A site by its name, added if it is new. */
uint32_t gate_site_id(struct gate *gate, const char *name);
uint32_t gate_name_id(struct gate *gate, const char *name);
/* A stack of a baseline, cut off after GATE_CALLERS: names[] are name ids, leaf first. Returns its
 * number. */
uint32_t gate_add_stack(struct gate *gate, uint32_t site, const uint32_t *names, uint32_t n);
struct gate_cell *gate_cell(struct gate *gate, uint32_t site, enum gate_side_name side,
                            uint32_t profile, enum gate_type type);
/* Must be told before the first site: how many profiles each side will have. */
void gate_expect(struct gate *gate, uint32_t base_profiles, uint32_t new_profiles);
/* Adds profile number `index` of a side. The profile is symbolized, and may be freed afterwards.
 * False after a message. */
bool gate_add_profile(struct gate *gate, enum gate_side_name side, uint32_t index,
                      struct profile *profile, const char *source);
/* After the last profile: anchors. */
void gate_finish(struct gate *gate);

/* The figure of a site, of several (n sites, by number), or of the whole side (n == 0), divided by
 * operations. */
struct gate_figure gate_figure_of(const struct gate *gate, enum gate_side_name side,
                                  const uint32_t *sites, uint32_t n, enum gate_type type);
/* Unit of a sample where nothing was sampled. */
double gate_nothing(const struct gate *gate, enum gate_type type);

/* ---- rules ---- */

enum gate_scope { GATE_TOTAL, GATE_EACH_SITE, GATE_PATTERN };
enum gate_limit { GATE_MAX, GATE_GROWTH, GATE_GROWTH_BY }; /* absolute, relative, by an amount */

struct gate_rule {
    enum gate_scope scope;
    enum gate_limit limit;
    enum gate_type type;
    double value; /* bytes, objects or a fraction (5% is 0.05) */
    bool per_operation;
    bool soft; /* warns, does not fail */
    char *pattern;
    struct regexp *regexp;
    char *text;       /* as written */
    char *origin;     /* "--max-growth", "approf.gate:3" */
    uint32_t matched; /* sites that the pattern matched */
    /* Of a rule for each site, once judged: */
    uint32_t tested, below_floor, within;
    double blindest; /* the largest growth (a fraction; an amount for an absolute limit) that could
                        have stayed unseen at a site within limits; 0 if all are exact */
};

struct gate_rules {
    struct gate_rule *rules;
    uint32_t n;
    size_t room;
    double floor[GATE_TYPES]; /* sites below it on both sides do not count; 0 is none */
    double operations;        /* "per N" of a file; 0: not said */
};

/* kind: max, max-growth, max-site, max-site-growth, site (pattern first), floor. False after a
 * message. */
bool gate_rule_add(struct gate_rules *rules, const char *kind, const char *pattern,
                   const char *limit, const char *origin, bool soft);
bool gate_rules_read(struct gate_rules *rules, const char *path);
void gate_rules_default(struct gate_rules *rules);
void gate_rules_free(struct gate_rules *rules);

/* ---- verdict ---- */

enum gate_status { GATE_PASS, GATE_WARN, GATE_FAIL, GATE_UNDECIDED, GATE_MOVED, GATE_WAIVED };

struct gate_finding {
    const struct gate_rule *rule;
    uint32_t site;  /* KEY_NONE: the total, or the sum of a pattern's sites */
    uint32_t stack; /* that grew most, KEY_NONE if none */
    enum gate_status status;
    bool loose; /* --two-sided: far below its limit */
    bool exact;
    double base, now;  /* means per profile (and operation) */
    double low, high;  /* interval of the difference, 95% */
    double chance;     /* of a false alarm; 1 when not beyond the limit */
    double detectable; /* smallest value of now that would have been found beyond the limit */
    double samples[GATE_SIDES];
    const char *note; /* "moved: ...", waiver's reason; NULL */
    char *moved_to;
};

struct gate_verdict {
    struct gate_finding *findings; /* worst first */
    uint32_t n;
    size_t room;
    uint32_t failed, warned, undecided, moved, waived, loose;
    double false_alarms; /* chance of any, for the whole comparison (0.01) */
    double alpha;        /* least share of one test */
    uint32_t n_tests;
    bool two_sided;
    int exit_status;
    char **notes; /* lines about the comparison as a whole */
    uint32_t n_notes;
    size_t notes_room;
    char *more_command; /* to see more */
    const char *page;   /* name or address of the web page of what was judged, or NULL */
    const struct gate_rule *rules;
    uint32_t n_rules;
};

struct gate_waivers;

/* What judging needs to know beside the rules. */
struct gate_judge_options {
    double false_alarms;
    bool two_sided, allow_undecided;
    struct gate_waivers *waivers; /* NULL: none */
};

/* False after a message (a pattern that matches nothing). */
bool gate_judge(struct gate *gate, struct gate_rules *rules,
                const struct gate_judge_options *options, struct gate_verdict *verdict);
void gate_verdict_free(struct gate_verdict *verdict);
void gate_note(struct gate_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The sites that code may have moved between if this one has grown: by the function itself (what it
 * called is inlined into it now, or the other way round), or by the caller that both sides have.
 * Fills sites[] (room: all sites), the given one first; returns their number, 0 if nothing is gone
 * from the base that could have moved. */
uint32_t gate_moved_group(const struct gate *gate, uint32_t site, bool by_caller, uint32_t *sites);

struct gate_waivers *gate_waivers_read(const char *path); /* NULL after a message */
/* The reason if a finding about this name is excused today, else NULL. */
const char *gate_waived(struct gate_waivers *waivers, const char *name);
/* Notes on expired and unused ones. */
void gate_waivers_report(const struct gate_waivers *waivers, struct gate_verdict *verdict);
void gate_waivers_free(struct gate_waivers *waivers);

/* ---- baselines ---- */

bool gate_baseline_is(const char *path);
/* Adds a baseline as the base side. gate_expect must have been told gate_baseline_runs(path)
 * profiles. False after a message. */
uint32_t gate_baseline_runs(const char *path); /* 0 after a message */
bool gate_baseline_read(struct gate *gate, const char *path);
/* Writes the new side; atomically. False after a message. */
bool gate_baseline_write(const struct gate *gate, const char *path);

/* ---- reports ---- */

struct gate_format {
    const char *name;
    void (*print)(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
    const char *help;
};
extern const struct gate_format gate_formats[];
extern const uint32_t n_gate_formats;

extern bool gate_color; /* for the terminal report */
const char *gate_status_name(enum gate_status status);
/* "12.50MB", "1000": a value of a type, for people. Returns text (room UNIT_TEXT_ROOM). */
const char *gate_value(char *text, enum gate_type type, double value);
const char *gate_subject(const struct gate *gate, const struct gate_finding *finding);
const char *gate_file_of(const struct gate *gate, const struct gate_finding *finding,
                         int64_t *line);

void gate_print_text(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
void gate_print_markdown(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
void gate_print_json(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
void gate_print_junit(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
void gate_print_github(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);
void gate_print_benchmark(const struct gate *gate, const struct gate_verdict *verdict, FILE *out);

#endif
