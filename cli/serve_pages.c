/* serve_pages.c - the pages beside profiles: index, cmdline and symbol. */
#include "serve_work.h"

#include "heap_source.h"
#include "html_text.h"
#include "memory.h"
#include "units.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- index ---- */

static void print_bytes(FILE *out, uint64_t bytes)
{
    char text[UNIT_TEXT_ROOM];
    unit_label(text, sizeof text, bytes < INT64_MAX ? (int64_t)bytes : 0, "bytes", "auto");
    fprintf(out, "<td>%s</td>", text);
}

static void print_processes(FILE *out, const struct tables_list *list)
{
    fputs("<table><tr><th>PID</th><th>Program</th><th>Allocated</th><th>Live</th><th></th></tr>\n",
          out);
    for (size_t i = 0; i < list->n; i++) {
        const struct tables_entry *entry = &list->entries[i];
        char state[64];
        fprintf(out, "<tr><td><a href=\"/%u/debug/pprof/\">%u</a></td><td>", entry->pid,
                entry->pid);
        html_text(out, entry->exe);
        fputs("</td>", out);
        print_bytes(out, entry->total_bytes);
        print_bytes(out, (int64_t)entry->live_bytes > 0 ? entry->live_bytes : 0);
        fprintf(out, "<td>%s</td></tr>\n",
                entry->alive ? "" : tables_state_text(entry, state, sizeof state));
    }
    fputs("</table>\n", out);
}

static void print_links(FILE *out, const struct tables_entry *entry)
{
    static const struct {
        const char *href, *name, *about;
    } links[] = {
        {"heap?debug=1", "heap", "what is in use, and what was allocated since the start"},
        {"allocs?debug=1", "allocs", "the same; readers show what was allocated first"},
        {"allocs?seconds=30", "allocs?seconds=30", "what is allocated during 30 seconds, to save"},
        {"heap", "heap", "to save, for approf top, go tool pprof and others"},
        {"cmdline", "cmdline", "the command line"},
    };
    fprintf(out, "<p>%u ", entry->pid);
    html_text(out, entry->exe);
    fprintf(out, "%s</p>\n<table>\n", entry->alive ? "" : " (ended)");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        fprintf(out, "<tr><td><a href=\"/%u/debug/pprof/%s\">%s</a></td><td>%s</td></tr>\n",
                entry->pid, links[i].href, links[i].name, links[i].about);
    }
    fputs("</table>\n", out);
}

void serve_index_page(const struct serve_pages *pages, struct serve_request *request)
{
    struct tables_list list;
    size_t n_alive = 0, kept = 0, length;
    serve_process_list(pages, &list);
    for (size_t i = 0; i < list.n; i++) {
        if (request->pid != 0 && list.entries[i].pid != request->pid) {
            free(list.entries[i].path);
            continue;
        }
        n_alive += list.entries[i].alive;
        list.entries[kept++] = list.entries[i];
    }
    list.n = kept;
    if (request->pid != 0 && list.n == 0) {
        serve_answer_error(request, 404, "process %u is not profiled, or has ended", request->pid);
        tables_list_free(&list);
        return;
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        abort(); /* out of memory */
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>approf</title>\n"
          "<style>body{font-family:sans-serif}td,th{padding:0 1em 0 0;text-align:left}</style>\n"
          "</head><body>\n<h1>/debug/pprof/</h1>\n",
          out);
    if (list.n == 0) {
        fputs("<p>No process is profiled. <code>approf run ./program</code> starts one.</p>\n",
              out);
    } else if (list.n == 1 || n_alive == 1) {
        const struct tables_entry *shown = &list.entries[list.n - 1];
        for (size_t i = 0; i < list.n; i++) {
            shown = list.entries[i].alive ? &list.entries[i] : shown;
        }
        print_links(out, shown);
    }
    if (n_alive > 1 && request->pid == 0) {
        fputs("<p>Together: <a href=\"/debug/pprof/heap?debug=1\">heap</a> "
              "<a href=\"/debug/pprof/allocs?debug=1\">allocs</a></p>\n",
              out);
    }
    if (list.n > 1) {
        print_processes(out, &list);
    }
    fputs("</body></html>\n", out);
    fclose(out);
    tables_list_free(&list);
    serve_answer(request, 200, "text/html; charset=utf-8", text, length);
}

/* ---- cmdline ---- */

void serve_cmdline_page(const struct serve_pages *pages, struct serve_request *request)
{
    enum { MOST = 1 << 20 };
    struct tables_entry process;
    char path[PATH_MAX], proc[64];
    if (!serve_process_find(pages, request, &process, path, sizeof path)) {
        return;
    }
    snprintf(proc, sizeof proc, "/proc/%u/cmdline", process.pid);
    int fd = process.alive ? open(proc, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        serve_answer_error(request, 404, "process %u has ended", process.pid);
        return;
    }
    char *bytes = memory_array(MOST, 1);
    size_t length = 0;
    ssize_t n;
    while (length < MOST && (n = read(fd, bytes + length, MOST - length)) > 0) {
        length += (size_t)n;
    }
    close(fd);
    length -= length > 0 && bytes[length - 1] == 0; /* Go joins with NULs */
    serve_answer(request, 200, "text/plain; charset=utf-8", bytes, length);
}

/* ---- symbol ---- */

enum { MOST_ADDRESSES = 4096 };

/* A profile with the process's modules and a location for each address that is asked for. */
static bool ask_for(struct profile *profile, const struct heap_snapshot *snapshot, const char *text)
{
    if (!profile_init(profile, 0)) {
        return false;
    }
    for (uint32_t m = 0; m < snapshot->n_modules; m++) {
        const struct heap_module *module = &snapshot->modules[m];
        char id[2 * HEAP_BUILD_ID_BYTES + 1] = "";
        if (!module->valid || module->unloaded_ns != 0) {
            continue;
        }
        for (uint32_t i = 0; i < module->build_id_len; i++) {
            snprintf(id + 2 * (size_t)i, 3, "%02x", (unsigned)module->build_id[i]);
        }
        profile_add_mapping(profile,
                            &(struct profile_mapping){
                                .id = (uint64_t)profile->n_mappings + 1,
                                .start = module->text_start,
                                .limit = module->text_end,
                                .offset = module->text_offset,
                                .filename = profile_intern(profile, module->path, module->path_len),
                                .build_id = profile_intern_text(profile, id)});
    }
    while (*text != 0 && profile->n_locations < MOST_ADDRESSES) {
        char *end;
        uint64_t address = strtoull(text, &end, 16);
        if (end == text) {
            text++;
            continue;
        }
        text = end;
        struct profile_location location = {
            .id = (uint64_t)profile->n_locations + 1, .address = address, .mapping = PROFILE_NONE};
        for (uint32_t m = 0; m < profile->n_mappings; m++) {
            if (address >= profile->mappings[m].start && address < profile->mappings[m].limit) {
                location.mapping = m;
            }
        }
        profile_add_location(profile, &location, NULL, 0);
    }
    if (!profile->arena.failed) {
        return true;
    }
    profile_free(profile);
    return false;
}

void serve_symbol_page(const struct serve_pages *pages, struct serve_request *request)
{
    struct tables_entry process;
    char path[PATH_MAX];
    struct heap_snapshot snapshot;
    struct profile_error error;
    struct profile profile;
    size_t length;
    if (!serve_process_find(pages, request, &process, path, sizeof path)) {
        return;
    }
    if (!heap_source_snapshot(path, &snapshot, &error)) {
        serve_answer_error(request, 500, "%s", error.text);
        return;
    }
    bool fine = ask_for(&profile, &snapshot, request->body != NULL ? request->body : "");
    heap_snapshot_free(&snapshot);
    if (!fine) {
        serve_answer_error(request, 500, "out of memory");
        return;
    }
    fine = serve_symbols_apply(pages->symbols, &process, &profile);
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        abort(); /* out of memory */
    }
    fputs("num_symbols: 1\n", out); /* clients look whether it is 0 */
    for (uint32_t i = 0; fine && i < profile.n_locations; i++) {
        const struct profile_location *location = &profile.locations[i];
        if (location->n_lines == 0) {
            continue;
        }
        const struct profile_line *line =
            &profile.lines[location->first_line + location->n_lines - 1];
        fprintf(out, "0x%" PRIx64 " ", location->address);
        for (const char *c = profile_text(&profile, profile.functions[line->function].name);
             *c != 0; c++) {
            fputc((unsigned char)*c < 32 ? '?' : *c, out);
        }
        fputc('\n', out);
    }
    fclose(out);
    profile_free(&profile);
    serve_answer(request, 200, "text/plain; charset=utf-8", text, length);
}
