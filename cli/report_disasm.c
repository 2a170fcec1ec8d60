/* report_disasm.c - machine code of functions with its weights: pprof-spec 7.10.
 *
 * Functions are symbols of the binaries, so that inlined ones are where the compiler put them.
 * Where an instruction comes from is said by the debug information; in the way of Go 1.19 by the
 * profile, and only of instructions with weight. */
#include "code_view.h"
#include "memory.h"
#include "paths.h"
#include "regexp.h"
#include "report_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the expression means: names, or an address. */
struct wanted {
    struct regexp *regexp;
    bool is_address;
    uint64_t address;
};

/* Where an instruction comes from. */
struct origin {
    const char *function, *file;
    int64_t line;
};

static bool name_matches(const struct wanted *wanted, const struct code_symbol *symbol)
{
    return regexp_matches(wanted->regexp, symbol->linkage_name, strlen(symbol->linkage_name)) ||
           regexp_matches(wanted->regexp, symbol->name, strlen(symbol->name));
}

static bool holds_address(const struct code_view *view, const struct wanted *wanted,
                          const struct code_symbol *symbol)
{
    if (!wanted->is_address) {
        return false;
    }
    if (wanted->address >= symbol->start && wanted->address < symbol->end) {
        return true;
    }
    /* Or as the process saw it. */
    for (uint32_t i = symbol->first; i < symbol->first + symbol->n; i++) {
        if (view->frames.infos[view->samples[i].node].address == wanted->address) {
            return true;
        }
    }
    return false;
}

static int by_name(const void *left, const void *right, void *ctx)
{
    const struct code_view *view = ctx;
    const struct code_symbol *a = &view->symbols[*(const uint32_t *)left];
    const struct code_symbol *b = &view->symbols[*(const uint32_t *)right];
    int order = strcmp(a->name, b->name);
    return order ? order : (a->start > b->start) - (a->start < b->start);
}

static struct origin origin_of(const struct code_view *view, const struct code_symbol *symbol,
                               uint64_t address, const struct code_weight *weight)
{
    struct origin origin = {"", "", 0};
    if (!view->report->go119) {
        const struct code_answer *answer = symbol_module_find(symbol->module, address, true);
        if (answer && answer->n_frames > 0) {
            const struct source_frame *frame = &answer->frames[0];
            origin.function = frame->function && frame->function->name ? frame->function->name : "";
            origin.file = frame->file ? path_base(frame->file) : "";
            origin.line = frame->line;
            return origin;
        }
    }
    if (weight->node != UINT32_MAX) {
        const struct profile *p = view->report->profile;
        const struct frame_info *info = &view->frames.infos[weight->node];
        origin.function = profile_text(p, info->name);
        origin.file = path_base(profile_text(p, info->file));
        origin.line = info->line;
    }
    return origin;
}

static bool same_origin(const struct origin *a, const struct origin *b)
{
    return strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0 &&
           a->line == b->line;
}

static char *origin_text(const struct origin *origin)
{
    char *place = *origin->file && origin->line ? memory_print("%s:%ld", origin->file, origin->line)
                                                : memory_print("%s", origin->file);
    char *text = memory_print("%s%s%s", origin->function, *origin->function ? " " : "", place);
    free(place);
    return text;
}

static const char *value_or_dot(const struct report *report, char *text, int64_t value)
{
    return value ? report_value(report, text, value) : ".";
}

static void print_instruction(const struct code_view *view,
                              const struct machine_instruction *instruction,
                              const struct code_weight *weight, const char *place)
{
    const struct report *report = view->report;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], interval[INTERVAL_TEXT_ROOM + 24] = "";
    bool short_text = strlen(instruction->text) < 40;
    if (*place && !short_text) {
        fprintf(report->out, "%74s;%s\n", "", place);
        place = "";
    }
    if (report->options.ci) {
        char ends[INTERVAL_TEXT_ROOM] = ".";
        if (weight->cum) {
            interval_text(report, &view->intervals, weight->cum, weight->cum_variance, ends,
                          sizeof ends);
        }
        snprintf(interval, sizeof interval, "  %-*s", INTERVAL_WIDTH, ends);
    }
    const char *end = weight->cum ? report_style(report, STYLE_PLAIN) : "";
    fprintf(report->out,
            "%s%10s %10s%s %10lx: ", weight->cum ? report_style(report, STYLE_STRONG) : "",
            value_or_dot(report, flat, weight->flat), value_or_dot(report, cum, weight->cum),
            interval, instruction->address);
    if (*place) {
        fprintf(report->out, "%-40s;%s%s\n", instruction->text, place, end);
    } else {
        fprintf(report->out, "%s%s\n", instruction->text, end);
    }
}

static void record_instruction(const struct code_view *view, struct records *records,
                               const struct code_symbol *symbol,
                               const struct machine_instruction *instruction,
                               const struct code_weight *weight, const struct origin *origin)
{
    char address[32];
    snprintf(address, sizeof address, "0x%lx", instruction->address);
    records_begin(records);
    records_text(records, "routine", symbol->name);
    records_text(records, "address", address);
    records_text(records, "instruction", instruction->text);
    records_text(records, "function", origin->function);
    records_text(records, "file", origin->file);
    records_int(records, "line", origin->line);
    records_int(records, "flat", report_divided(view->report, weight->flat));
    records_int(records, "cum", report_divided(view->report, weight->cum));
    if (view->report->options.ci) {
        interval_record(view->report, &view->intervals, records, "cum", weight->cum,
                        weight->cum_variance);
    }
    records_end(records);
}

static void print_heading(const struct code_view *view, const struct code_symbol *symbol)
{
    const struct report *report = view->report;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM];
    char ends[INTERVAL_TEXT_ROOM];
    fprintf(report->out, "ROUTINE ======================== %s\n%10s %10s", symbol->name,
            report_value(report, flat, symbol->flat), report_value(report, cum, symbol->cum));
    if (report->options.ci) {
        interval_text(report, &view->intervals, symbol->cum, symbol->cum_variance, ends,
                      sizeof ends);
        fprintf(report->out, "  %-*s", INTERVAL_WIDTH, ends);
    }
    fprintf(report->out, " (flat, cum%s) %s of Total\n", report->options.ci ? ", 95% of cum" : "",
            unit_percentage(percent, sizeof percent, symbol->cum, report->total));
}

/* records is NULL when text is wanted. */
static void show_symbol(const struct code_view *view, const struct code_symbol *symbol,
                        const struct disassembly *code, struct records *records)
{
    struct origin last = {"", "", 0};
    if (!records) {
        print_heading(view, symbol);
    }
    uint32_t sample = symbol->first;
    for (size_t i = disassembly_find(code, symbol->start);
         i < code->n && code->instructions[i].address < symbol->end; i++) {
        struct code_weight weight;
        const struct machine_instruction *instruction = &code->instructions[i];
        uint64_t next = i + 1 < code->n ? instruction[1].address : UINT64_MAX;
        sample = code_view_weigh(view, symbol, sample, next, &weight);
        struct origin origin = origin_of(view, symbol, instruction->address, &weight);
        if (records) {
            record_instruction(view, records, symbol, instruction, &weight, &origin);
            continue;
        }
        char *place = same_origin(&origin, &last) ? memory_text("", 0) : origin_text(&origin);
        print_instruction(view, instruction, &weight, place);
        free(place);
        last = origin;
    }
}

static int tell_nothing(const struct code_view *view)
{
    const struct report *report = view->report;
    message_error("disasm: no matches found for regexp: %s", report->regexp_text);
    if (view->n_missing) {
        message_hint("%s is not here, or is another build; -symbol_path=DIR says where the right "
                     "one is",
                     view->missing);
    } else {
        message_hint("the expression is matched against the symbols of the binaries that have "
                     "weight; inlined functions are part of others");
    }
    return STATUS_BAD_USAGE;
}

/* Symbols that are shown, and the code of each module's. */
struct chosen {
    uint32_t *symbols; /* of the view, in its order: by module and start */
    uint32_t n;
    struct disassembly *code;                  /* of each module that is in it */
    const struct symbol_module **code_modules; /* whose code that is */
    uint32_t n_code;
};

static void choose(const struct code_view *view, const struct wanted *wanted, struct chosen *chosen)
{
    *chosen = (struct chosen){.symbols = memory_array(view->n_symbols, sizeof *chosen->symbols)};
    for (uint32_t k = 0; k < view->n_symbols; k++) {
        if (name_matches(wanted, &view->symbols[k]) ||
            holds_address(view, wanted, &view->symbols[k])) {
            chosen->symbols[chosen->n++] = k;
        }
    }
    chosen->code = memory_array(chosen->n, sizeof *chosen->code);
    chosen->code_modules = memory_array(chosen->n, sizeof *chosen->code_modules);
}

static void tell_fault(const struct symbol_module *module, enum disassembly_fault fault,
                       const char *error)
{
    if (fault == DISASSEMBLY_NO_TOOL) {
        message_error("disasm: %s", error);
        message_hint("objdump is part of binutils: apt-get install binutils; -tools=DIR says where "
                     "another one is");
    } else {
        message_error("disasm: %s: objdump %s", debug_file_path(module->file), error);
        message_hint("an expression that means fewer functions makes for less to read");
    }
}

/* All of it before anything is printed: a report is whole or is none. */
static bool read_code(const struct code_view *view, struct chosen *chosen)
{
    char error[256];
    struct address_range *ranges = memory_array(chosen->n, sizeof *ranges);
    enum disassembly_fault fault = DISASSEMBLY_FINE;
    for (uint32_t i = 0, next; i < chosen->n && fault == DISASSEMBLY_FINE; i = next) {
        const struct symbol_module *module = view->symbols[chosen->symbols[i]].module;
        for (next = i; next < chosen->n; next++) {
            const struct code_symbol *symbol = &view->symbols[chosen->symbols[next]];
            if (symbol->module != module) {
                break;
            }
            ranges[next - i] = (struct address_range){symbol->start, symbol->end};
        }
        chosen->code_modules[chosen->n_code] = module;
        fault = code_view_disassemble(view, module, ranges, next - i,
                                      &chosen->code[chosen->n_code++], error, sizeof error);
        if (fault != DISASSEMBLY_FINE) {
            tell_fault(module, fault, error);
        }
    }
    free(ranges);
    return fault == DISASSEMBLY_FINE;
}

static const struct disassembly *code_of(const struct chosen *chosen,
                                         const struct symbol_module *module)
{
    uint32_t i = 0;
    while (i + 1 < chosen->n_code && chosen->code_modules[i] != module) {
        i++;
    }
    return &chosen->code[i];
}

static void show(struct code_view *view, struct chosen *chosen)
{
    struct report *report = view->report;
    struct records records;
    bool recording = report_records_format(report) != RECORDS_NONE;
    if (recording) {
        report_records_open(report, &records);
    } else {
        char total[UNIT_TEXT_ROOM];
        fprintf(report->out, "Total: %s\n", report_value(report, total, report->total));
    }
    qsort_r(chosen->symbols, chosen->n, sizeof *chosen->symbols, by_name, view);
    for (uint32_t i = 0; i < chosen->n; i++) {
        const struct code_symbol *symbol = &view->symbols[chosen->symbols[i]];
        show_symbol(view, symbol, code_of(chosen, symbol->module), recording ? &records : NULL);
    }
    if (recording) {
        records_close(&records);
    }
}

int report_disasm(struct report *report)
{
    struct code_view view;
    struct chosen chosen;
    struct wanted wanted = {.regexp = report_regexp(report)};
    char *end;
    if (!wanted.regexp) {
        return STATUS_BAD_USAGE;
    }
    errno = 0;
    wanted.address = strtoull(report->regexp_text, &end, 0);
    wanted.is_address = *report->regexp_text && !*end && !errno;
    int status = STATUS_BAD_USAGE;
    if (code_view_open(report, &view)) {
        choose(&view, &wanted, &chosen);
        if (chosen.n == 0) {
            status = tell_nothing(&view);
        } else if (read_code(&view, &chosen)) {
            show(&view, &chosen);
            status = STATUS_FINE;
        }
        for (uint32_t i = 0; i < chosen.n_code; i++) {
            disassembly_free(&chosen.code[i]);
        }
        free(chosen.code);
        free(chosen.code_modules);
        free(chosen.symbols);
        code_view_close(&view);
    }
    regexp_free(wanted.regexp);
    return status;
}
