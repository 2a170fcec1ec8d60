/* report_weblist.c - the figures of `list` as one page for a browser, files in order of their
 * names; a click on a line shows its machine code. Everything that comes from a profile, a binary
 * or a source file is escaped; the page runs no script and loads nothing. */
#include "listing_code.h"

#include "html_text.h"
#include "memory.h"
#include "paths.h"
#include "source_text.h"

#include <stdlib.h>
#include <string.h>

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>approf listing</title>\n<style>\n"
    "body { font-family: sans-serif; color: #222; background: #fff }\n"
    "h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin: 1.2em 0 0 }\n"
    ".legend, .filename { font-size: .9em; margin: .2em 0 } .filename { color: #555 }\n"
    ".code { margin: .3em 0; font-family: monospace }\n"
    ".code div, summary, .asm { white-space: pre }\n"
    ".line { color: #777 } .livesrc { color: #00c } .nop { color: #666 }\n"
    "summary { display: block; cursor: pointer } summary:hover { background: #eee }\n"
    "summary .line::before { content: \"+\" } [open] > summary .line::before { content: \"-\" }\n"
    ".plain .line::before { content: \" \" }\n"
    ".asm { color: #070; display: block } .from { color: #888 } .inlined { color: #00c }\n"
    ".missing { color: #a00 }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }\n"
    " .livesrc, .inlined { color: #8ab4ff } .filename, .line, .nop, .from { color: #999 }\n"
    " .asm { color: #8c8 } summary:hover { background: #333 } }\n"
    "</style>\n</head>\n<body>\n";

static void header_text(void *ctx, const char *text)
{
    html_text(ctx, text);
    fputs("<br>\n", ctx);
}

struct page {
    const struct listing *listing;
    const struct listing_code *code;
    struct source_texts texts;
};

/* The lines of functions that are inlined at the shown line, from it down to the instruction; those
 * that the instruction before had as well are left out. */
static void print_inlined(struct page *page, const struct line_code *at,
                          const struct line_code *before)
{
    FILE *out = page->listing->report->out;
    const struct code_row *row = &page->code->rows[at->row];
    const struct code_row *last = before ? &page->code->rows[before->row] : NULL;
    bool same = last != NULL;
    for (uint32_t i = 0; i < at->depth; i++) {
        const struct source_frame *frame = &row->answer->frames[at->depth - 1 - i];
        if (same && i < before->depth) {
            const struct source_frame *other = &last->answer->frames[before->depth - 1 - i];
            same = other->function == frame->function && other->line == frame->line;
        } else {
            same = false;
        }
        if (same) {
            continue;
        }
        const struct source_text *text =
            frame->file ? source_text_find(&page->texts, frame->file) : NULL;
        bool there = text && !text->error && frame->line > 0 && frame->line <= text->n_lines;
        const char *source = there ? text->lines[frame->line - 1] : "???";
        fprintf(out, "%42s%*s<span class=inlined>", "", (int)(2 * i), "");
        html_text(out, source + strspn(source, " \t"));
        fputs("</span> <span class=from>", out);
        html_text(out, frame->file ? path_base(frame->file) : "");
        fprintf(out, ":%ld</span>\n", (long)frame->line);
    }
}

static void print_code(struct page *page, uint32_t first, uint32_t n)
{
    const struct report *report = page->listing->report;
    const struct line_code *before = NULL;
    fputs("<span class=asm>", report->out);
    for (uint32_t i = first; i < first + n; i++) {
        const struct line_code *at = &page->code->lines[i];
        const struct code_row *row = &page->code->rows[at->row];
        char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM];
        if (before && before->row == at->row) {
            continue; /* a recursion that was inlined into itself, at the same line */
        }
        /* A gap in the code. */
        if (before && before->row + 1 != at->row) {
            fprintf(report->out, "%42s⋮\n", "");
        }
        print_inlined(page, at, before);
        fprintf(report->out, "%8s %10s %10s %10lx: ", "",
                listing_value(report, flat, row->weight.flat),
                listing_value(report, cum, row->weight.cum), row->instruction->address);
        html_text(report->out, row->instruction->text);
        const struct source_frame *frame = &row->answer->frames[0];
        fputs(" <span class=from>", report->out);
        html_text(report->out, frame->file ? path_base(frame->file) : "");
        fprintf(report->out, ":%ld</span>\n", (long)frame->line);
        before = at;
    }
    fputs("</span>", report->out);
}

static void print_line(struct page *page, const struct routine *routine, int64_t line,
                       const struct line_weight *weight, const char *source)
{
    const struct listing *listing = page->listing;
    const struct report *report = listing->report;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], interval[INTERVAL_TEXT_ROOM];
    uint32_t n,
        first = listing_code_find(page->code, (uint32_t)(routine - listing->routines), line, &n);
    fputs(n ? "<details><summary>" : "<div class=plain>", report->out);
    fprintf(
        report->out, "<span class=line> %6ld</span> <span class=%s>  %10s %10s%s  ", (long)line,
        weight->flat || weight->cum ? "livesrc" : "nop", listing_value(report, flat, weight->flat),
        listing_value(report, cum, weight->cum),
        listing_interval(listing, interval, sizeof interval, weight->cum, weight->cum_variance));
    html_text(report->out, source);
    fputs(" </span>", report->out);
    if (n) {
        fputs("</summary>", report->out);
        print_code(page, first, n);
        fputs("</details>\n", report->out);
    } else {
        fputs("</div>\n", report->out);
    }
}

static void print_lines(struct page *page, const struct routine *routine)
{
    const struct listing *listing = page->listing;
    const struct report *report = listing->report;
    const struct source_text *text =
        source_text_find(&page->texts, profile_text(report->profile, routine->file));
    int64_t start, end;
    uint32_t at = 0;
    bool any = listing_range(listing, routine, &start, &end);
    for (int64_t line = start; any && line <= end; line++) {
        bool there = !text->error && line <= text->n_lines;
        struct line_weight weight = listing_line(listing, routine, line, &at);
        if (!there && weight.flat == 0 && weight.cum == 0) {
            if (at >= routine->n) {
                break;
            }
            /* On to the next line with weight: a profile may claim that there are billions. */
            uint32_t node = listing->order[routine->first + at];
            line = listing->frames.infos[listing->graph.nodes[node].info].line - 1;
            continue;
        }
        print_line(page, routine, line, &weight, there ? text->lines[line - 1] : "???");
    }
}

static void print_routine(struct page *page, const struct routine *routine)
{
    const struct listing *listing = page->listing;
    const struct report *report = listing->report;
    const struct profile *p = report->profile;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM];
    fputs("<h2>", report->out);
    html_text(report->out, profile_text(p, routine->name));
    fputs("</h2>\n<p class=\"filename\">", report->out);
    html_text(report->out,
              routine->file ? profile_text(p, routine->file) : "no source file is known");
    fputs("</p>\n", report->out);
    if (routine->file) {
        const struct source_text *text =
            source_text_find(&page->texts, profile_text(p, routine->file));
        if (text->error) {
            fputs("<p class=\"missing\">", report->out);
            html_text(report->out, text->error);
            fputs("</p>\n", report->out);
        }
    }
    char interval[INTERVAL_TEXT_ROOM];
    fprintf(
        report->out, "<div class=code>\n<div>   Total:  %10s %10s%s (flat, cum%s) %s</div>\n",
        listing_value(report, flat, routine->flat), listing_value(report, cum, routine->cum),
        listing_interval(listing, interval, sizeof interval, routine->cum, routine->cum_variance),
        report->options.ci ? ", 95% of cum" : "",
        unit_percentage(percent, sizeof percent, routine->cum, report->total));
    if (routine->file) {
        print_lines(page, routine);
    }
    fputs("</div>\n", report->out);
}

static int by_file(const void *left, const void *right, void *ctx)
{
    const struct listing *listing = ctx;
    const struct routine *a = &listing->routines[*(const uint32_t *)left];
    const struct routine *b = &listing->routines[*(const uint32_t *)right];
    const struct profile *p = listing->report->profile;
    int order = strcmp(profile_text(p, a->file), profile_text(p, b->file));
    return order ? order : (a > b) - (a < b);
}

int report_weblist(struct report *report)
{
    struct listing listing;
    if (!listing_open(report, true, &listing)) {
        return STATUS_BAD_USAGE;
    }
    struct listing_code code;
    if (!listing_code_open(&listing, &code)) {
        listing_close(&listing);
        return STATUS_BAD_USAGE;
    }
    struct page page = {.listing = &listing, .code = &code};
    char total[UNIT_TEXT_ROOM];
    source_texts_open(&page.texts, report->options.source_path, report->options.trim_path);
    uint32_t *order = memory_array(listing.n_routines, sizeof *order);
    for (uint32_t r = 0; r < listing.n_routines; r++) {
        order[r] = r;
    }
    qsort_r(order, listing.n_routines, sizeof *order, by_file, &listing);
    fputs(page_head, report->out);
    fputs("<h1>", report->out);
    html_text(report->out, report->regexp_text);
    fputs("</h1>\n<div class=\"legend\">", report->out);
    report_profile_lines(report, header_text, report->out);
    fprintf(report->out, "Total: %s", report_value(report, total, report->total));
    if (code.absent) {
        fputs("<br>\nNo machine code: ", report->out);
        html_text(report->out, code.absent);
    }
    fputs("</div>\n", report->out);
    for (uint32_t r = 0; r < listing.n_routines; r++) {
        const struct routine *routine = &listing.routines[order[r]];
        if (routine->flat || routine->cum) {
            print_routine(&page, routine);
        }
    }
    fputs("</body>\n</html>\n", report->out);
    free(order);
    source_texts_close(&page.texts);
    listing_code_close(&code);
    listing_close(&listing);
    return STATUS_FINE;
}
