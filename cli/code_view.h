/* code_view.h - the samples of a profile by machine address, and the symbols in which they lie.
 *
 * For reports about instructions: binaries are looked for as symbolize.h says, and must be of the
 * build that was profiled. Addresses here are the files' virtual addresses. Not thread-safe.
 */
#ifndef APPROF_CODE_VIEW_H
#define APPROF_CODE_VIEW_H

#include "disassembly.h"
#include "intervals.h"
#include "report.h"
#include "symbol_module.h"

/* An address with weight. */
struct code_sample {
    struct symbol_module *module;
    uint64_t address;
    uint32_t node; /* in the graph */
};

struct code_symbol {
    struct symbol_module *module;
    uint64_t start, end;
    const char *linkage_name;
    char *name;        /* readable; the linkage name where there is no other */
    uint32_t first, n; /* samples[first .. first + n) */
    int64_t flat, cum; /* a sample counts once, however often it passes through */
    double cum_variance;
    uint32_t stamp;
};

struct code_view {
    struct report *report;
    struct frame_table frames; /* addresses, inlined frames as part of their callers */
    struct graph graph;
    struct intervals intervals; /* with -ci */
    struct symbol_module *modules;
    struct code_sample *samples; /* by module and address */
    uint32_t n_samples;
    struct code_symbol *symbols; /* by module and start */
    uint32_t n_symbols;
    uint32_t n_missing; /* binaries that are not here */
    char *missing;      /* one of them */
};

/* False after a message. */
bool code_view_open(struct report *report, struct code_view *view);
void code_view_close(struct code_view *view);

/* Samples from sample i on that lie before end and belong to the same module as the symbol: their
 * sums. Returns the index of the first one behind. */
struct code_weight {
    int64_t flat, cum;
    double cum_variance;
    uint32_t node; /* the first of them, or UINT32_MAX */
};
uint32_t code_view_weigh(const struct code_view *view, const struct code_symbol *symbol, uint32_t i,
                         uint64_t end, struct code_weight *weight);

/* Instructions in ranges of one module, which are in rising order (they may overlap). error says
 * why it did not work. */
enum disassembly_fault code_view_disassemble(const struct code_view *view,
                                             const struct symbol_module *module,
                                             const struct address_range *ranges, size_t n,
                                             struct disassembly *out, char *error, size_t room);

#endif
