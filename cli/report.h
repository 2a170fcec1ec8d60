/* report.h - one report about one profile: what all formats share.
 *
 * A format is a function that prints a prepared report; report_print prepares (pprof-spec 4: label
 * units, label frames, total, filters) and calls it. Results go to `out`, messages to stderr.
 */
#ifndef APPROF_REPORT_H
#define APPROF_REPORT_H

#include "cli_options.h"
#include "frames.h"
#include "graph.h"
#include "label_units.h"
#include "message.h"
#include "terminal.h"
#include "units.h"

#include <stdio.h>

struct report;

enum {
    FORMAT_UNTRIMMED = 1,       /* nodecount and fractions do not apply */
    FORMAT_LINES = 2,           /* granularity is lines, */
    FORMAT_ADDRESSES = 4,       /* or addresses, whatever was asked */
    FORMAT_ALL_INLINES = 8,     /* -noinlines does not apply in Go 1.19's pprof */
    FORMAT_UNLIMITED = 16,      /* without -nodecount all rows, not 80 */
    FORMAT_TAKES_REGEXP = 32,   /* see report.regexp */
    FORMAT_OBJECT_NAMES = 64,   /* binaries and start lines tell rows apart */
    FORMAT_BINARY = 128,        /* what it writes is no text */
    FORMAT_WHOLE_NUMBERS = 256, /* its figures have no decimals */
    FORMAT_OTHER_VIEW = 4096,   /* the header says what the other view would have shown */
    FORMAT_CALL_TREE = 2048,    /* -call_tree applies */
    FORMAT_ALLOC_SPACE = 1024,  /* is about alloc_space, whatever -sample_index says */
    FORMAT_ALL_TOTALS = 8192,   /* report.totals is filled in */
    FORMAT_INTERVALS = 16384,   /* -ci applies */
    FORMAT_FULL_PATHS = 512,    /* -trim_path and -source_path do not apply */
};

struct report_format {
    const char *name;
    int (*print)(struct report *report); /* exit status */
    unsigned flags;
};

extern const struct report_format report_formats[];
extern const size_t n_report_formats;
const struct report_format *report_format_find(const char *name);

struct report {
    const struct report_format *format;
    struct profile *profile;    /* edited */
    struct cli_options options; /* with what the format overrides */
    const char *regexp_text;    /* of list, peek, ... */
    FILE *out;
    bool color; /* out is a terminal that shall have colours */
    bool go119;
    enum granularity granularity;
    uint32_t value_index;
    char *type;       /* of the values, "mean_" in front with -mean */
    const char *unit; /* of the values, as the profile says */
    const char *output_unit;
    double ratio; /* 1 / divide_by */
    int64_t total;
    const char
        *other_type; /* the view that is not shown (what lives, what was allocated), or NULL */
    int64_t other_total;
    int64_t *totals;       /* of each sample type, where the format asks for them */
    uint32_t header_lines; /* printed so far, where a report counts them */
    struct label_units label_units;
};

/* Prepares and prints. The profile is changed: clone it (profile_edit.h) to use it again. Returns
 * an exit status, after error messages. */
int report_print(struct profile *profile, const struct cli_options *options,
                 const struct report_format *format, const char *regexp, FILE *out);

/* ---- for formats ---- */

/* Which of a profile's sample types -sample_index and its short forms mean. False after an error
 * message. */
bool report_choose_type(const struct profile *profile, const struct cli_options *options,
                        uint32_t *index);

int64_t report_divided(const struct report *report, int64_t value);
/* A figure as the report shows it. Returns text. */
const char *report_value(const struct report *report, char text[UNIT_TEXT_ROOM], int64_t value);

/* How a figure's row is shown: what is a tenth of the total stands out, what is less than a
 * hundredth recedes. STYLE_PLAIN ends it. "" without colour. */
const char *report_style(const struct report *report, enum terminal_style style);
const char *report_weight_style(const struct report *report, int64_t value);

/* The expression of list, peek, ...; NULL after a message. */
struct regexp *report_regexp(const struct report *report);
bool report_frames(struct report *report, struct frame_table *frames); /* false after a message */
void report_graph_options(const struct report *report, struct graph_options *options);
/* Chooses the unit for all figures: pprof-spec 5.6. */
void report_choose_unit(struct report *report, const struct graph *graph);

/* Header lines (pprof-spec 7.1), each passed to line(). The first kind is about the profile. */
typedef void (*header_line)(void *ctx, const char *text);
void report_profile_lines(struct report *report, header_line line, void *ctx);
void report_all_lines(struct report *report, const struct graph *graph, bool drawing,
                      header_line line, void *ctx);
/* Prints them. */
void report_print_header(struct report *report, const struct graph *graph);

int report_top(struct report *report);
int report_topproto(struct report *report);
int report_tree(struct report *report);
int report_peek(struct report *report);
int report_list(struct report *report);
int report_weblist(struct report *report);
int report_disasm(struct report *report);
int report_raw(struct report *report);
int report_traces(struct report *report);
int report_tags(struct report *report);
int report_dot(struct report *report);
int report_callgrind(struct report *report);
int report_proto(struct report *report);
int report_comments(struct report *report);
int report_diff(struct report *report);
int report_churn(struct report *report);
int report_folded(struct report *report);
int report_speedscope(struct report *report);
int report_web(struct report *report);

#endif
