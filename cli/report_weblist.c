/* report_weblist.c - the figures of `list` as one page for a browser, files in order of their
 * names. Everything that comes from a profile or a source file is escaped; the page runs no script
 * and loads nothing. */
#include "listing.h"

#include "memory.h"
#include "source_text.h"

#include <stdlib.h>
#include <string.h>

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>approf listing</title>\n<style>\n"
    "body { font-family: sans-serif; color: #222; background: #fff }\n"
    "h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin: 1.2em 0 0 }\n"
    ".legend, .filename { font-size: .9em; margin: .2em 0 } .filename { color: #555 }\n"
    "pre { margin: .3em 0 } .line { color: #777 } .livesrc { color: #00c } .nop { color: #666 }\n"
    ".missing { color: #a00 }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }\n"
    " .livesrc { color: #8ab4ff } .filename, .line, .nop { color: #999 } }\n"
    "</style>\n</head>\n<body>\n";

static void escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&#34;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            putc(*text, out);
        }
    }
}

static void header_text(void *ctx, const char *text)
{
    escaped(ctx, text);
    fputs("<br>\n", ctx);
}

static void print_lines(const struct listing *listing, const struct routine *routine,
                        struct source_texts *texts)
{
    const struct report *report = listing->report;
    const struct source_text *text =
        source_text_find(texts, profile_text(report->profile, routine->file));
    char flat_text[UNIT_TEXT_ROOM], cum_text[UNIT_TEXT_ROOM];
    int64_t start, end;
    uint32_t at = 0;
    bool any = listing_range(listing, routine, &start, &end);
    for (int64_t line = start; any && line <= end; line++) {
        bool there = !text->error && line <= text->n_lines;
        struct line_weight weight = listing_line(listing, routine, line, &at);
        int64_t flat = weight.flat, cum = weight.cum;
        if (!there && flat == 0 && cum == 0) {
            if (at >= routine->n) {
                break;
            }
            /* On to the next line with weight: a profile may claim that there are billions. */
            uint32_t node = listing->order[routine->first + at];
            line = listing->frames.infos[listing->graph.nodes[node].info].line - 1;
            continue;
        }
        fprintf(report->out, "<span class=line> %6ld</span> <span class=%s>  %10s %10s  ",
                (long)line, flat || cum ? "livesrc" : "nop", listing_value(report, flat_text, flat),
                listing_value(report, cum_text, cum));
        escaped(report->out, there ? text->lines[line - 1] : "???");
        fputs(" </span>\n", report->out);
    }
}

static void print_routine(const struct listing *listing, const struct routine *routine,
                          struct source_texts *texts)
{
    const struct report *report = listing->report;
    const struct profile *p = report->profile;
    char flat[UNIT_TEXT_ROOM], cum[UNIT_TEXT_ROOM], percent[UNIT_TEXT_ROOM];
    fputs("<h2>", report->out);
    escaped(report->out, profile_text(p, routine->name));
    fputs("</h2>\n<p class=\"filename\">", report->out);
    escaped(report->out,
            routine->file ? profile_text(p, routine->file) : "no source file is known");
    fputs("</p>\n", report->out);
    if (routine->file) {
        const struct source_text *text = source_text_find(texts, profile_text(p, routine->file));
        if (text->error) {
            fputs("<p class=\"missing\">", report->out);
            escaped(report->out, text->error);
            fputs("</p>\n", report->out);
        }
    }
    fprintf(report->out, "<pre>\n  Total:  %10s %10s (flat, cum) %s\n",
            listing_value(report, flat, routine->flat), listing_value(report, cum, routine->cum),
            unit_percentage(percent, sizeof percent, routine->cum, report->total));
    if (routine->file) {
        print_lines(listing, routine, texts);
    }
    fputs("</pre>\n", report->out);
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
    struct source_texts texts;
    char total[UNIT_TEXT_ROOM];
    source_texts_open(&texts, report->options.source_path, report->options.trim_path);
    uint32_t *order = memory_array(listing.n_routines, sizeof *order);
    for (uint32_t r = 0; r < listing.n_routines; r++) {
        order[r] = r;
    }
    qsort_r(order, listing.n_routines, sizeof *order, by_file, &listing);
    fputs(page_head, report->out);
    fputs("<h1>", report->out);
    escaped(report->out, report->regexp_text);
    fputs("</h1>\n<div class=\"legend\">", report->out);
    report_profile_lines(report, header_text, report->out);
    fprintf(report->out, "Total: %s</div>\n", report_value(report, total, report->total));
    for (uint32_t r = 0; r < listing.n_routines; r++) {
        const struct routine *routine = &listing.routines[order[r]];
        if (routine->flat || routine->cum) {
            print_routine(&listing, routine, &texts);
        }
    }
    fputs("</body>\n</html>\n", report->out);
    free(order);
    source_texts_close(&texts);
    listing_close(&listing);
    return STATUS_FINE;
}
