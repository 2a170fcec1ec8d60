/* live_draw.c - the picture of approf live: a header, the table or help, the source, a line of
 * keys.
 */
#include "live.h"
#include "live_screen.h"
#include "units.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CELL = 24, LEAST_TABLE = 3 };

static const char *const order_names[LIVE_N_ORDERS] = {"allocation rate", "live bytes", "growth"};

static const char *bytes(char cell[CELL], double value, const char *after)
{
    char text[UNIT_TEXT_ROOM];
    int64_t whole = value >= 9e18 ? INT64_MAX : value <= -9e18 ? INT64_MIN + 1 : (int64_t)value;
    unit_label(text, sizeof text, whole, "bytes", "auto");
    snprintf(cell, CELL, "%.16s%s", text, whole != 0 ? after : "");
    return cell;
}

static void draw_header(const struct live *live)
{
    char total[CELL], in_use[CELL], peak[CELL], rate[CELL];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (live->pid == 0) {
        live_screen_line(LIVE_BOLD, "no process of this run is profiled yet");
        live_screen_line(LIVE_PLAIN, "%s", "");
        return;
    }
    long long up = (long long)now.tv_sec - live->start_realtime_ns / 1000000000;
    char others[64] = "";
    if (live->n_processes > 1) {
        snprintf(others, sizeof others, "  one of %zu processes", live->n_processes);
    }
    live_screen_line(LIVE_BOLD, "%s (%u)  %s%lld:%02lld:%02lld%s%s", live->name, live->pid,
                     live->ended ? "ended, began " : "up ", up / 3600, up / 60 % 60, up % 60,
                     live->ended    ? " ago"
                     : live->frozen ? "  frozen"
                                    : "",
                     others);
    live_screen_line(LIVE_PLAIN, "allocated %s  rate %s  live %s  peak %s  by %s, %s",
                     bytes(total, (double)live->total_bytes, ""),
                     bytes(rate, live_sites_rate(live->sites), "/s"),
                     bytes(in_use, (double)live->live_bytes, ""),
                     bytes(peak, (double)live->peak_bytes, ""), order_names[live->order],
                     live->view == LIVE_LINES ? "lines" : "functions");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void draw_table(struct live *live, int rows)
{
    size_t n;
    if (live->sites == NULL) {
        for (; rows > 0; rows--) {
            live_screen_line(LIVE_PLAIN, "%s", "");
        }
        return;
    }
    const struct live_site *const *sites =
        live_sites_sorted(live->sites, live->view, live->order, &n);
    static const char *const marks[LIVE_N_ORDERS][3] = {
        {"RATE*", "LIVE", "GROWTH"}, {"RATE", "LIVE*", "GROWTH"}, {"RATE", "LIVE", "GROWTH*"}};
    live_screen_line(LIVE_REVERSE, "%12s %10s %10s %10s  %s", marks[live->order][0],
                     marks[live->order][1], marks[live->order][2], "ALLOCATED",
                     live->view == LIVE_LINES ? "LINE" : "FUNCTION");
    rows--;
    size_t shown = rows > 0 ? (size_t)rows : 0;
    if (live->selected >= n) {
        live->selected = n > 0 ? n - 1 : 0;
    }
    if (live->selected < live->top) {
        live->top = live->selected;
    }
    if (shown > 0 && live->selected >= live->top + shown) {
        live->top = live->selected - shown + 1;
    }
    if (n == 0 && rows > 0) {
        live_screen_line(LIVE_PLAIN, "nothing was sampled yet: one sample in about %llu bytes",
                         (unsigned long long)live->rate);
        rows--;
    }
    for (size_t i = live->top; i < n && rows > 0; i++, rows--) {
        const struct live_site *site = sites[i];
        char rate[CELL], in_use[CELL], growth[CELL], signed_growth[CELL + 1], allocated[CELL],
            place[400] = "";
        double more = live_site_weight(site, LIVE_BY_GROWTH);
        if (live->view == LIVE_LINES && *site->file != 0) {
            snprintf(place, sizeof place, " %s:%lld", base_name(site->file), (long long)site->line);
        }
        snprintf(signed_growth, sizeof signed_growth, "%s%s", more >= 1 ? "+" : "",
                 bytes(growth, more, ""));
        live_screen_line(i == live->selected ? LIVE_REVERSE : LIVE_PLAIN,
                         "%12s %10s %10s %10s  %s%s", bytes(rate, site->rate, "/s"),
                         bytes(in_use, (double)site->live, ""), signed_growth,
                         bytes(allocated, (double)site->allocated, ""), site->function, place);
    }
    for (; rows > 0; rows--) {
        live_screen_line(LIVE_PLAIN, "%s", "");
    }
}

static void draw_source(struct live *live, int rows)
{
    size_t n;
    const struct live_site *const *sites =
        live_sites_sorted(live->sites, live->view, live->order, &n);
    const struct live_site *site =
        live->selected < n ? live_sites_line(live->sites, sites[live->selected], live->order)
                           : NULL;
    int end = live_screen_lines() + rows;
    if (site == NULL) {
        live_screen_line(LIVE_REVERSE, "the source of this is not known: it was built without -g");
    } else {
        const struct source_text *text = source_text_find(&live->texts, site->file);
        live_screen_line(LIVE_REVERSE, "%s:%lld  %s", site->file, (long long)site->line,
                         site->function);
        if (text->error != NULL) {
            live_screen_line(LIVE_PLAIN, "%s", text->error);
        } else {
            int64_t first = site->line - (rows - 1) / 2;
            first = first < 1 ? 1 : first;
            for (int64_t line = first; line <= text->n_lines && live_screen_lines() < end; line++) {
                const struct live_site *known = live_sites_at(live->sites, site->file, line);
                char rate[CELL] = "", in_use[CELL] = "", spaced[1000];
                size_t used = 0;
                if (known != NULL) {
                    bytes(rate, known->rate, "/s");
                    bytes(in_use, (double)known->live, "");
                }
                for (const char *c = text->lines[line - 1]; *c != 0 && used < sizeof spaced - 5;
                     c++) {
                    int wide = *c == '\t' ? 4 : 1;
                    memset(spaced + used, *c == '\t' ? ' ' : *c, (size_t)wide);
                    used += (size_t)wide;
                }
                spaced[used] = 0;
                live_screen_line(line == site->line ? LIVE_BOLD : LIVE_PLAIN, "%12s %10s %6lld  %s",
                                 rate, in_use, (long long)line, spaced);
            }
        }
    }
    while (live_screen_lines() < end) {
        live_screen_line(LIVE_PLAIN, "%s", "");
    }
}

static void draw_help(int rows)
{
    static const char *const lines[] = {
        "Where a running process allocates, refreshed all the time.",
        "",
        "  r  l  g     order by allocation rate, live bytes, growth since the start",
        "  o           the next order",
        "  v           functions or source lines",
        "  up down     select a row (also j k, page up, page down, home, end)",
        "  enter, s    the source of the selected row, with the figures of its lines",
        "  f, space    freeze, and go on",
        "  z           count growth from now on",
        "  w           write a profile (approf.PROGRAM.PID.pb.gz)",
        "  n           the next process of an approf run -live",
        "  ?           this help",
        "  q           end",
        "",
        "RATE is a mean over the last few looks. All figures are estimates from samples.",
    };
    int end = live_screen_lines() + rows;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && live_screen_lines() < end; i++) {
        live_screen_line(LIVE_PLAIN, "%s", lines[i]);
    }
    while (live_screen_lines() < end) {
        live_screen_line(LIVE_PLAIN, "%s", "");
    }
}

void live_draw(struct live *live)
{
    int columns, rows;
    live_screen_begin();
    live_screen_size(&columns, &rows);
    draw_header(live);
    int body = rows - 3; /* two lines above, one below */
    if (live->help) {
        draw_help(body);
    } else {
        int source = live->source ? body * 3 / 5 : 0;
        if (body - source < LEAST_TABLE) {
            source = 0;
        }
        draw_table(live, body - source);
        if (source > 0) {
            draw_source(live, source);
        }
    }
    if (live->message[0] != 0) {
        live_screen_line(LIVE_BOLD, "%s", live->message);
    } else {
        live_screen_line(LIVE_DIM,
                         "r rate  l live  g growth  v view  f freeze  w write  enter source  "
                         "? help  q quit");
    }
    live_screen_end();
}
